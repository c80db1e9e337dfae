// The states of the strip and of an answer, from what the engine says.
import { expect, test } from 'vitest';
import type { FinalOutput, Message, ThreadView } from '$ipc';
import { memoryOf, outputOf, storedOf } from '$ipc/fake/data';
import { failureOf, shownTurns, stripOf, wordsOf, type LiveTurn } from './turns';

const seat = storedOf(memoryOf('seat', 'preference', '통로 쪽 좌석을 좋아함', 0));
const thread = {
  id: 't',
  title: '',
  snippet: '',
  created_at: 0,
  updated_at: 0,
  archived: false,
  temporary: false,
  waiting: 0,
};

function message(id: string, role: Message['role'], text: string, more: Partial<Message> = {}): Message {
  return {
    id,
    thread_id: 't',
    seq: Number(id),
    role,
    text,
    created_at: 0,
    state: 'complete',
    answered_by: null,
    turn_id: 'turn',
    ...more,
  };
}

function view(
  answer: Partial<Message> | null,
  output: Partial<FinalOutput>,
  next: 'generate_response' | null = null,
): ThreadView {
  const messages = [message('1', 'user', '저는 통로 쪽 좌석이 좋아요')];
  if (answer) messages.push(message('2', 'assistant', 'Here is what I know', answer));
  return { thread, messages, turns: [{ turn_id: 'turn', user_message: '1', next, output: outputOf(output) }] };
}

const live = (more: Partial<LiveTurn>): Record<string, LiveTurn> => ({
  turn: {
    turnId: 'turn',
    threadId: 't',
    node: null,
    nodeSince: 0,
    text: '',
    phase: 'answering',
    answeredAt: 0,
    output: null,
    ...more,
  },
});

const stripWith = (output: Partial<FinalOutput>) => stripOf({ phase: 'ended', output: outputOf(output) });

test('strip: nothing while the answer is written, looking behind it, then what came of it', () => {
  const output = outputOf({ stored_updates: [seat], change_id: 'change' });
  expect(stripOf({ phase: 'answering', output })).toMatchObject({ looking: false, saved: [], empty: true });
  expect(stripOf({ phase: 'keeping', output })).toMatchObject({ looking: true, saved: [], empty: false });
  expect(stripOf({ phase: 'ended', output })).toMatchObject({
    looking: false,
    saved: [seat],
    changeId: 'change',
    empty: false,
  });
});

test('strip: waiting, skipped, and both at once with something saved', () => {
  const waiting = { review_id: 'r', reason: 'procedural' as const, text: '항상 존댓말로' };
  const skipped = { candidate: '표 찾아 줘', reason: 'transient_request' as const, explanation: '', known_key: null };
  const strip = stripWith({ stored_updates: [seat], review_updates: [waiting], skipped_updates: [skipped] });
  expect([strip.saved.length, strip.waiting.length, strip.skipped.length]).toEqual([1, 1, 1]);
  expect(stripWith({})).toMatchObject({ empty: true });
});

test('strip: a full disk is a failure to save, a lost model is not', () => {
  const disk = { code: 'disk_full' as const, node: 'store_memory_updates' as const, message: 'no space' };
  const model = { code: 'model_failed' as const, node: 'generate_response' as const, message: 'closed' };
  expect(stripWith({ problems: [model, disk] }).failed).toEqual(disk);
  expect(stripWith({ problems: [model] })).toMatchObject({ failed: null, empty: true });
});

test('what streams is shown at once, also before the engine has stored any of it', () => {
  const [turn] = shownTurns(view(null, {}, 'generate_response'), live({ text: '제가 아는' }));
  expect(turn).toMatchObject({ phase: 'answering', answerText: '제가 아는' });
  const [joined] = shownTurns(
    view({ state: 'streaming', text: 'Here is what I' }, {}, 'generate_response'),
    live({ text: null }),
  );
  expect(joined).toMatchObject({ phase: 'answering', answerText: 'Here is what I' });
});

test('a retry clears the broken answer, and keeps a whole one when only saving is tried again', () => {
  const broken = view({ state: 'interrupted' }, { status: 'failed' });
  expect(shownTurns(broken, live({ text: '' }))[0]).toMatchObject({ phase: 'answering', answerText: '' });
  const whole = view({ state: 'complete' }, {});
  expect(shownTurns(whole, live({ text: '' }))[0]).toMatchObject({
    phase: 'keeping',
    answerText: 'Here is what I know',
  });
});

test('a turn that was cut off by the end of the app offers a retry', () => {
  const [turn] = shownTurns(view({ state: 'interrupted' }, {}, 'generate_response'), {});
  expect(turn && failureOf(turn)).toMatchObject({ code: 'interrupted' });
});

test('a turn that goes on elsewhere is still being answered', () => {
  const [turn] = shownTurns(view({ state: 'streaming' }, {}, 'generate_response'), {});
  expect(turn).toMatchObject({ phase: 'answering', node: 'generate_response' });
  expect(turn && failureOf(turn)).toBeNull();
});

test('an empty message says why there is no answer', () => {
  const problem = { code: 'input_empty' as const, node: 'prepare_turn' as const, message: 'empty' };
  const [turn] = shownTurns(view(null, { status: 'failed', problems: [problem] }), {});
  expect(turn && failureOf(turn)).toMatchObject({ code: 'input_empty' });
});

test('words are counted as people count them', () => {
  expect(wordsOf('Here is – what I know.')).toBe(5);
  expect(wordsOf('제가 아는 내용이에요')).toBe(3);
  expect(wordsOf('')).toBe(0);
});
