import { expect, test, vi } from 'vitest';
import { chordOf, printedKeys, runChord } from './keys';

const key = (init: KeyboardEventInit & { keyCode?: number }, target: Element = document.body) => {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
  target.dispatchEvent(event);
  return event;
};

test('letters go by their place, so the Korean layout works', () => {
  expect(chordOf(key({ code: 'KeyJ', key: 'ㅓ' }))).toBe('J');
  expect(chordOf(key({ code: 'KeyK', key: 'ㅏ', ctrlKey: true }))).toBe('Ctrl+K');
  expect(chordOf(key({ code: 'KeyN', key: 'N', ctrlKey: true, shiftKey: true }))).toBe('Ctrl+Shift+N');
  expect(chordOf(key({ code: 'Slash', key: '?', shiftKey: true }))).toBe('?');
  expect(chordOf(key({ code: 'Equal', key: '+', ctrlKey: true, shiftKey: true }))).toBe('Ctrl++');
  expect(chordOf(key({ code: 'ArrowLeft', key: 'ArrowLeft', altKey: true }))).toBe('Alt+ArrowLeft');
  expect(chordOf(key({ code: 'Digit1', key: '1', ctrlKey: true }))).toBe('Ctrl+1');
});

test('nothing fires while a Hangul syllable is composed', () => {
  const run = vi.fn();
  expect(runChord(key({ code: 'KeyR', key: 'Process', isComposing: true }), { R: run })).toBe(false);
  // WebKit: the key that ends a composition says it is not composing, but has key code 229.
  expect(runChord(key({ code: 'Enter', key: 'Enter', keyCode: 229 }), { Enter: run })).toBe(false);
  expect(run).not.toHaveBeenCalled();
});

test('single letters are held back in text fields, chords and Esc are not', () => {
  const field = document.body.appendChild(document.createElement('textarea'));
  const run = vi.fn();
  expect(runChord(key({ code: 'KeyR', key: 'r' }, field), { R: run })).toBe(false);
  expect(runChord(key({ code: 'Slash', key: '/' }, field), { '/': run })).toBe(false);
  expect(run).not.toHaveBeenCalled();
  expect(runChord(key({ code: 'KeyK', key: 'k', ctrlKey: true }, field), { 'Ctrl+K': run })).toBe(true);
  expect(runChord(key({ code: 'Escape', key: 'Escape' }, field), { Escape: run })).toBe(true);
  expect(run).toHaveBeenCalledTimes(2);
  field.remove();
});

test('keys are printed as they are on the caps', () => {
  expect(printedKeys('Ctrl+Shift+N')).toEqual(['Ctrl', 'Shift', 'N']);
  expect(printedKeys('Ctrl++')).toEqual(['Ctrl', '+']);
  expect(printedKeys('Ctrl+-')).toEqual(['Ctrl', '−']);
  expect(printedKeys('Alt+ArrowLeft')).toEqual(['Alt', '←']);
});
