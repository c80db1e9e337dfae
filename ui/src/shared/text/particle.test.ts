import { expect, test } from 'vitest';
import { particle } from './particle';

test.each([
  ['통로', '을/를', '를'],
  ['좌석', '을/를', '을'],
  ['기억', '이/가', '이'],
  ['메모', '은/는', '는'],
  ['서울', '으로/로', '로'],
  ['부산', '으로/로', '으로'],
  ['제주', '으로/로', '로'],
  ['서울', '을/를', '을'],
  // A quote, a bracket or a full stop after the word is not read.
  ['“창가 쪽 좌석”', '을/를', '을'],
  ['회의(오전).', '은/는', '은'],
  // Digits are read in Korean: 삼, 육, 칠 … and 십, 백.
  ['3', '이/가', '이'],
  ['2', '이/가', '가'],
  ['1', '으로/로', '로'],
  ['6', '으로/로', '으로'],
  ['10', '을/를', '을'],
  ['2,000', '으로/로', '으로'],
  ['14:00', '은/는', '은'],
  ['50%', '을/를', '를'],
  // Latin words as they sound in Korean.
  ['Google', '을/를', '을'],
  ['Ollama', '이/가', '가'],
  ['Slack', '을/를', '을'],
  ['Chrome', '은/는', '은'],
  ['mail', '으로/로', '로'],
  ['SQL', '으로/로', '로'],
  ['AWS', '이/가', '가'],
  ['PDM', '을/를', '을'],
  ['database', '을/를', '를'],
  ['MEMORY_RRF_K', '으로/로', '로'],
  // Nothing to read: the form after a vowel.
  ['…', '을/를', '를'],
  ['', '을/를', '를'],
])('%s takes %s as %s', (word, pair, expected) => {
  expect(particle(word, pair)).toBe(expected);
});

test('decomposed Hangul is read like composed Hangul', () => {
  expect(particle('좌석'.normalize('NFD'), '을/를')).toBe('을');
});
