import { expect, test } from 'vitest';
import { argumentsOf, format } from './message';
import { locale, t, tCode } from './i18n.svelte';

test('values, numbers, plurals and choices', () => {
  expect(format('Saved: {text}', { text: 'an aisle seat' }, 'en')).toBe('Saved: an aisle seat');
  expect(format('{count, number} rows', { count: 12408 }, 'en')).toBe('12,408 rows');
  const plural = '{count, plural, =0 {none} one {# memory} other {# memories}}';
  expect(format(plural, { count: 0 }, 'en')).toBe('none');
  expect(format(plural, { count: 1 }, 'en')).toBe('1 memory');
  expect(format(plural, { count: 1200 }, 'en')).toBe('1,200 memories');
  expect(format('{kind, select, a {first} other {rest}}', { kind: 'a' }, 'en')).toBe('first');
  expect(format('{kind, select, a {first} other {rest}}', { kind: 'z' }, 'en')).toBe('rest');
});

test('particles follow the word before them', () => {
  const message = '‘{text}’{text, particle, 을/를} 대신해요';
  expect(format(message, { text: '창가 쪽 좌석' }, 'ko')).toBe('‘창가 쪽 좌석’을 대신해요');
  expect(format(message, { text: '커피' }, 'ko')).toBe('‘커피’를 대신해요');
});

test('a text is never taken for a pattern', () => {
  expect(format('{text}', { text: '{count, plural, other {#}} <b>' }, 'en')).toBe('{count, plural, other {#}} <b>');
});

test('a broken pattern says where', () => {
  expect(() => format('{count, plural, one {#}}', { count: 1 }, 'en')).toThrow('`other` is missing');
  expect(argumentsOf('{a} {b, plural, other {{c}}} {d, particle, 이/가}')).toEqual(['a', 'b', 'c', 'd']);
});

test('the language changes while running, on the page too', () => {
  locale.current = 'ko';
  expect(document.documentElement.lang).toBe('ko');
  expect(t('status.memories', { count: 12408 })).toBe('이 컴퓨터에 기억 12,408개');
  expect(tCode('skip', 'question')).toBe('질문이라 저장할 내용이 없어요.');
  locale.current = 'en';
  expect(t('status.memories', { count: 1 })).toBe('On this machine · 1 memory');
  expect(tCode('skip', 'a_reason_of_tomorrow', 'in plain English')).toBe('in plain English');
});
