// What the store of the Review room promises: a decision takes the item away at once, can be taken back, has one
// winner, and a refusal keeps the item with its next step.
import { beforeEach, describe, expect, test } from 'vitest';
import { connect, type ReviewReason } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { locale, undoStack } from '$shared';
import { effectsOf } from './effects';
import { ReviewStore, verbsOf, type Verb } from './review.svelte';

let fake: FakePlatform;
let store: ReviewStore;

const settled = () => new Promise((done) => setTimeout(done, 60));

async function open(options: ConstructorParameters<typeof FakePlatform>[0] = {}) {
  fake = new FakePlatform(options);
  await connect(fake);
  store = new ReviewStore();
  store.start();
  await settled();
}

const itemOf = (id: string) => fake.world.review.find((item) => item.id === id);
const memoryOf = (id: string) => fake.world.memories.find((memory) => memory.id === id);
const decisions = () => fake.calls.filter((call) => call.name === 'decide_review').map((call) => call.args);

beforeEach(() => {
  undoStack.clear();
  locale.current = 'ko';
});

describe('deciding', () => {
  test('approving takes the item away, and the next one is there before the queue is read again', async () => {
    await open();
    store.select('review-seat');
    const deciding = store.decide('keep_both');
    await deciding;
    expect(store.currentId).toBe('review-physio');
    expect(store.made.at(-1)?.text).toBe('둘 다 둠: Prefers aisle seats on flights');
    expect(memoryOf('window-night')?.status).toBe('active');
  });

  test('approving a conflict means that the newer side wins', async () => {
    await open();
    store.select('review-seat');
    await store.decide('approve');
    expect(decisions()).toEqual([{ id: 'review-seat', decision: { verb: 'newer_wins' } }]);
    expect(memoryOf('window-night')?.status).toBe('superseded');
  });

  test('what does not fit the item is not done', async () => {
    await open();
    store.select('review-ko');
    for (const verb of ['newer_wins', 'keep_both'] satisfies Verb[]) await store.decide(verb);
    expect(decisions()).toEqual([]);
  });

  test('an edited text is saved in its own words, and one that is too short stays in the field', async () => {
    await open();
    store.select('review-ko');
    store.edit();
    expect(store.draft).toBe('답은 항상 존댓말로 하기');
    store.write(' 네 ');
    await store.saveEdit();
    expect(store.problem?.text).toContain('지금은 1자');
    expect(store.draft).toBe(' 네 ');
    store.write('답은 존댓말로, 짧게 하기');
    await store.saveEdit();
    expect(decisions()).toEqual([{ id: 'review-ko', decision: { verb: 'edit', text: '답은 존댓말로, 짧게 하기' } }]);
  });

  test('skipping goes on, and the item still waits', async () => {
    await open();
    const first = store.currentId;
    store.skip();
    expect(store.currentId).not.toBe(first);
    expect(store.pending.some((item) => item.id === first)).toBe(true);
    expect(decisions()).toEqual([]);
  });
});

describe('taking back', () => {
  test('U takes back the last decision and shows the item again', async () => {
    await open();
    store.select('review-ko');
    await store.decide('reject');
    await settled();
    await store.undo();
    expect(store.currentId).toBe('review-ko');
    expect(itemOf('review-ko')?.status).toBe('pending');
    expect(undoStack.last).toBeNull();
  });

  test('the list of decisions takes back any of them', async () => {
    await open();
    await store.decide('approve');
    await store.decide('approve');
    await store.look('decided');
    expect(store.items).toHaveLength(2);
    const oldest = store.items.at(-1)?.id ?? '';
    await store.undo(oldest);
    expect(store.view).toBe('pending');
    expect(store.currentId).toBe(oldest);
  });

  test('when what it wrote was changed since, that is said and the decision stays', async () => {
    await open();
    store.select('review-ko');
    await store.decide('approve');
    fake.failures.set('undo_review', { code: 'conflict', field: null, message: 'changed since' });
    await store.undo();
    expect(store.notice).toContain('결정은 그대로');
    expect(itemOf('review-ko')?.status).toBe('decided');
  });
});

describe('when it does not work', () => {
  test('decided somewhere else: it is said, and the next item is there', async () => {
    await open();
    store.select('review-seat');
    await fake.call('decide_review', { id: 'review-seat', decision: { verb: 'reject' } });
    await store.decide('approve');
    expect(store.notice).toContain('다른 곳에서 먼저 정했어요');
    expect(store.currentId).toBe('review-physio');
  });

  test('decided somewhere else while it is looked at: the same', async () => {
    await open();
    store.select('review-seat');
    await fake.call('decide_review', { id: 'review-seat', decision: { verb: 'reject' } });
    fake.emit({ type: 'changed', tags: ['review'] });
    await settled();
    expect(store.notice).toContain('다른 곳에서 먼저 정했어요');
    expect(store.currentId).toBe('review-physio');
  });

  test('the disk is full: the item stays, and trying again decides it', async () => {
    await open();
    store.select('review-ko');
    fake.failures.set('decide_review', { code: 'disk_full', field: null, message: 'no space left on device' });
    await store.decide('approve');
    expect(store.currentId).toBe('review-ko');
    expect(store.problem?.text).toContain('디스크가 가득');
    store.problem?.retry?.();
    await settled();
    expect(itemOf('review-ko')?.status).toBe('decided');
  });

  test('the memory was changed in between: the item waits and says so', async () => {
    await open();
    store.select('review-seat');
    fake.failures.set('decide_review', { code: 'conflict', field: null, message: 'memory' });
    await store.decide('newer_wins');
    expect(store.currentId).toBe('review-seat');
    expect(store.problem?.retry).not.toBeNull();
    expect(store.notice).toBeNull();
  });
});

describe('many', () => {
  test('everything of one reason is decided at once, and one Undo takes all of it back', async () => {
    await open({ more: { review: 500 } });
    const count = store.counts.get('sensitive') ?? 0;
    expect(count).toBeGreaterThan(60);
    store.filter('sensitive');
    await store.decideAll('reject');
    expect(store.reason).toBe('all');
    expect(store.counts.get('sensitive')).toBeUndefined();
    expect(store.pending).toHaveLength(504 - count);
    await undoStack.undo();
    expect(store.counts.get('sensitive')).toBe(count);
  });

  test('what could not be decided still waits, and it is said how many', async () => {
    await open({ more: { review: 20 } });
    store.filter('confirm');
    const waiting = store.items.length;
    fake.failures.set('decide_reviews', { code: 'busy', field: null, message: 'busy' });
    await store.decideAll('approve');
    expect(store.notice).toContain(`${waiting}개는 정하지 못해`);
    expect(store.counts.get('confirm')).toBe(waiting);
  });

  test('what was decided elsewhere first leaves the queue, and Undo leaves it as it was decided there', async () => {
    await open({ more: { review: 20 } });
    store.filter('confirm');
    const [first, ...others] = store.items.map((item) => item.id);
    Object.assign(itemOf(first ?? '') ?? {}, { status: 'decided', decision: { verb: 'reject' } });
    await store.decideAll('approve');
    expect(store.notice).toBeNull();
    expect(store.counts.get('confirm')).toBeUndefined();
    await undoStack.undo();
    expect(itemOf(first ?? '')?.status).toBe('decided');
    expect(others.every((id) => itemOf(id)?.status === 'pending')).toBe(true);
  });
});

test('each reason offers what fits it, and the preview says what follows', async () => {
  await open({ more: { review: 7 } });
  const of = (reason: ReviewReason) => {
    const item = store.pending.find((entry) => entry.waiting.reason === reason);
    if (!item) throw new Error(`no item for ${reason}`);
    return item;
  };
  expect(verbsOf(of('conflict'))).toEqual(['newer_wins', 'keep_both', 'reject', 'edit']);
  expect(verbsOf(of('procedural'))).toEqual(['approve', 'reject', 'edit']);
  expect(verbsOf(of('retrieval_failed'))).toEqual(['approve', 'reject']);
  const become = (verb: Verb) => effectsOf(of('conflict'), verb, null).effects.map((effect) => effect.becomes);
  expect(become('newer_wins')).toEqual(['kept', 'history']);
  expect(become('keep_both')).toEqual(['kept', 'kept']);
  expect(become('reject')).toEqual(['none', 'kept']);
  expect(effectsOf(of('conflict'), 'edit', '낮에는 통로, 밤에는 창가').effects[0]?.text).toBe(
    '낮에는 통로, 밤에는 창가',
  );
});
