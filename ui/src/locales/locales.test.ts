// Both locales say the same things, and cover every value that the engine can send.
import { describe, expect, test } from 'vitest';
import { argumentsOf, format } from '$shared/text/message';
import generated from '../ipc/generated/types.ts?raw';
import en from './en.json';
import ko from './ko.json';

const locales: Record<string, Record<string, string>> = { en, ko };

/** The values of a generated union of strings. */
function valuesOf(type: string): string[] {
  const union = generated.match(new RegExp(`export type ${type} = ([^;]+);`))?.[1] ?? '';
  return [...union.matchAll(/"(\w+)"/g)].map((match) => match[1] ?? '');
}

test('the locales have the same keys', () => {
  expect(Object.keys(ko)).toEqual(Object.keys(en));
});

test('each text takes the same values in both languages', () => {
  for (const [key, message] of Object.entries(en)) {
    expect([key, argumentsOf(locales['ko']?.[key] ?? '')]).toEqual([key, argumentsOf(message)]);
  }
});

test('no text is empty, shouts, says please, or prints a particle in brackets', () => {
  for (const messages of Object.values(locales)) {
    for (const [key, message] of Object.entries(messages)) {
      expect([key, message.trim().length > 0]).toEqual([key, true]);
      expect([key, /!|\bplease\b|successfully|\([을를이가은는과와]\)/i.test(message)]).toEqual([key, false]);
      expect(() => format(message, {}, 'en')).not.toThrow();
    }
  }
});

describe.each([
  ['error', 'ErrorCode'],
  ['skip', 'SkipReason'],
  ['review.reason', 'ReviewReason'],
  ['waiting', 'ReviewReason'],
  ['problem', 'ProblemCode'],
  ['node', 'Node'],
  ['category', 'Category'],
  ['memory_type', 'MemoryType'],
  ['memory_status', 'Status'],
  ['origin', 'Origin'],
  ['change_reason', 'ChangeReason'],
  ['left_out', 'LeftOutReason'],
  ['language', 'Language'],
])('%s covers %s', (prefix, type) => {
  test.each(Object.keys(locales))('in %s', (name) => {
    const values = valuesOf(type);
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(locales[name]).toHaveProperty([`${prefix}.${value}`]);
  });
});
