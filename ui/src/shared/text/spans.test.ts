import { expect, test } from 'vitest';
import { chunksOf, cutAtSpans, cutAtWords, headOf, languageOf } from './spans';

test('spans count Unicode scalar values, so emoji and Hangul are cut in the right place', () => {
  const text = '🙂🙂 저는 통로 쪽 좌석이 좋아요.';
  const start = [...text].indexOf('통');
  expect(cutAtSpans(text, [{ start, end: start + 7 }])).toEqual([
    { text: '🙂🙂 저는 ', span: null },
    { text: '통로 쪽 좌석', span: 0 },
    { text: '이 좋아요.', span: null },
  ]);
});

test('overlapping, empty and too long spans do no harm', () => {
  const pieces = cutAtSpans('an aisle seat', [
    { start: 3, end: 8 },
    { start: 5, end: 13 },
    { start: 9, end: 9 },
    { start: 9, end: 99 },
  ]);
  expect(pieces.map((piece) => piece.text)).toEqual(['an ', 'aisle', ' ', 'seat']);
  expect(pieces.map((piece) => piece.span)).toEqual([null, 0, null, 3]);
});

test('matched words are found whatever their case, and are not patterns', () => {
  expect(cutAtWords('Seat 14C (aisle)', ['seat', '(aisle)']).filter((piece) => piece.span === 0)).toHaveLength(2);
  expect(cutAtWords('통로 쪽 좌석', ['좌석']).map((piece) => piece.text)).toEqual(['통로 쪽 ', '좌석']);
  expect(cutAtWords('a.b', ['.'])).toHaveLength(3);
});

test('a head never ends in half a character', () => {
  expect(headOf('ab🙂cd', 3)).toBe('ab');
  expect(headOf('ab🙂cd', 4)).toBe('ab🙂');
  expect(headOf('short', 10)).toBe('short');
});

test('the language of a text is seen from its letters', () => {
  expect(languageOf('DL 1107, 9시 40분')).toBe('ko');
  expect(languageOf('an aisle seat')).toBe('en');
});

test('a long text is cut into chunks after line breaks, without losing a character', () => {
  const text = `${'통로 쪽 🙂\n'.repeat(50)}${'x'.repeat(90)}`;
  const chunks = chunksOf(text, 40);
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
  for (const chunk of chunks) expect([...text].slice(chunk.start).join('').startsWith(chunk.text)).toBe(true);
  expect(chunksOf('🙂🙂🙂', 3).map((chunk) => chunk.text)).toEqual(['🙂', '🙂', '🙂']);
});
