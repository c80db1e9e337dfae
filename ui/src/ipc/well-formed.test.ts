import { expect, test } from 'vitest';
import { wellFormed } from './well-formed';

test('half a surrogate pair becomes the replacement character, and everything else stays', () => {
  const text = '통로 \uD83D쪽 🛫 \uDE00 좌석';
  expect(wellFormed({ threadId: 't', text, list: [text, 1, null, true] })).toEqual({
    threadId: 't',
    text: '통로 \uFFFD쪽 🛫 \uFFFD 좌석',
    list: ['통로 \uFFFD쪽 🛫 \uFFFD 좌석', 1, null, true],
  });
});
