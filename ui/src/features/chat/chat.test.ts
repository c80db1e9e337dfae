// The chat's store over the stand-in: sending, failing, stopping, undoing; drafts survive.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { undoStack } from '$shared';
import { ChatStore } from './chat.svelte';

let fake: FakePlatform;
let store: ChatStore;

beforeEach(async () => {
  fake = new FakePlatform({ stepMs: 0, empty: true });
  await connect(fake);
  store = new ChatStore();
  await store.start();
});
afterEach(() => {
  store.stop();
  undoStack.clear();
});

const last = () => store.turns.at(-1);
const ended = () => vi.waitFor(() => expect(last()?.phase).toBe('ended'), { timeout: 15_000 });

test('a message opens a thread, is answered from memory, and what lasts is saved', async () => {
  store.draft = '저는 통로 쪽 좌석이 좋아요. 표 찾아 주세요';
  const id = await store.send();
  expect(store.openId).toBe(id);
  expect(store.draft).toBe('');
  await ended();
  expect(last()?.output?.stored_updates[0]?.text).toBe('저는 통로 쪽 좌석이 좋아요');
  expect(last()?.answerText).toBe('아직 이 내용은 아는 것이 없어요.');
  await vi.waitFor(() => expect(store.threads.value?.[0]?.id).toBe(id), { timeout: 15_000 });
});

test('Ctrl+Z takes back what the turn saved, and "Saved" is no longer claimed', async () => {
  store.draft = 'I prefer aisle seats';
  await store.send();
  await ended();
  const memoryId = last()?.output?.stored_updates[0]?.memory_id ?? '';
  await vi.waitFor(() => expect(undoStack.last).not.toBeNull(), { timeout: 15_000 });
  await undoStack.undo();
  await vi.waitFor(() => expect(store.memories.isGone(memoryId)).toBe(true), { timeout: 15_000 });
});

test('the typed text stays when sending fails, also in the thread that was just made', async () => {
  fake.failures.set('send_message', { code: 'disk_full', field: null, message: 'no space left' });
  store.draft = '잃어버리면 안 되는 긴 글';
  const id = await store.send();
  expect(id).not.toBeNull();
  expect(store.draft).toBe('잃어버리면 안 되는 긴 글');
  expect(store.sendError?.code).toBe('disk_full');
  expect(await store.send()).toBe(id);
  expect(store.sendError).toBeNull();
  expect(store.draft).toBe('');
});

test('drafts stay with their threads', async () => {
  store.draft = 'for a new thread';
  const first = await fake.call('create_thread', { temporary: false });
  await store.open(first.id);
  expect(store.draft).toBe('');
  store.draft = '이 대화에 쓰던 글';
  await store.open('new');
  expect(store.draft).toBe('for a new thread');
  await store.open(first.id);
  expect(store.draft).toBe('이 대화에 쓰던 글');
});

test('blank text is not sent', async () => {
  store.draft = '  \n ';
  expect(await store.send()).toBeNull();
  expect(fake.calls.filter((entry) => entry.name === 'send_message')).toHaveLength(0);
});

test('Stop keeps the words that came', async () => {
  store.stop();
  fake = new FakePlatform({ stepMs: 4 });
  await connect(fake);
  store = new ChatStore();
  await store.open('thread-denver');
  store.draft = 'What do you know about flights and seats?';
  await store.send();
  await vi.waitFor(() => expect(last()?.answerText.length).toBeGreaterThan(8), { timeout: 15_000 });
  await store.stopAnswer();
  await ended();
  expect(last()?.answer?.state).toBe('stopped');
  expect(last()?.answerText.length).toBeGreaterThan(8);
});

test('a broken answer can be tried again', async () => {
  store.stop();
  fake = new FakePlatform({ stepMs: 0, fault: 'model_failed' });
  await connect(fake);
  store = new ChatStore();
  await store.open('thread-denver');
  store.draft = 'What do you know about flights and seats?';
  await store.send();
  await ended();
  expect(last()?.answer?.state).toBe('interrupted');
  await store.retry(last()?.turnId ?? '');
  await vi.waitFor(() => expect(last()?.answer?.state).toBe('complete'), { timeout: 15_000 });
});

test('a deleted thread comes back with Undo', async () => {
  store.draft = '안녕하세요';
  await store.send();
  await ended();
  await vi.waitFor(() => expect(store.threads.value).toHaveLength(1), { timeout: 15_000 });
  const thread = store.threads.value?.[0];
  if (thread) await store.delete(thread);
  await vi.waitFor(() => expect(store.threads.value).toHaveLength(0), { timeout: 15_000 });
  await undoStack.undo();
  await vi.waitFor(() => expect(store.threads.value).toHaveLength(1), { timeout: 15_000 });
});

test('a long pasted text goes with the message, and stays when sending fails', async () => {
  store.draft = '이 글을 요약해 줘';
  store.pastedText = '긴 글 '.repeat(9000);
  fake.failures.set('send_message', { code: 'read_only', field: null, message: 'read-only' });
  await store.send();
  expect(store.pastedText.length).toBe(36_000);
  await store.send();
  expect([store.draft, store.pastedText]).toEqual(['', '']);
  expect(fake.world.messages.at(0)?.text.startsWith('이 글을 요약해 줘\n\n긴 글')).toBe(true);
  await ended();
});

test('a thread keeps and uses what it was told to, and one change leaves the other as it was', async () => {
  store.draft = 'I prefer aisle seats';
  const id = await store.send();
  await ended();
  await store.setMode({ capture: 'confirm' });
  await store.setMode({ recall: false });
  expect(fake.world.threads.find((thread) => thread.id === id)).toMatchObject({ capture: 'confirm', recall: false });
  expect(store.view?.thread.capture).toBe('confirm');
});
