// Five hundred items are reviewed without a mouse: single decisions, a stretch of them, and the rest at once. The
// focus is never lost.
import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { connect } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { locale, undoStack } from '$shared';
import { ReviewStore } from './review.svelte';
import ReviewRoom from './ReviewRoom.svelte';

const WAITING = 500;

let fake: FakePlatform;
let store: ReviewStore;

const waiting = () => fake.world.review.filter((item) => item.status === 'pending').length;
const press = (code: string, more: KeyboardEventInit = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { code, key: code, ...more });
const focused = () => document.activeElement !== null && document.activeElement !== document.body;

beforeEach(async () => {
  undoStack.clear();
  locale.current = 'ko';
  fake = new FakePlatform({ more: { review: WAITING } });
  await connect(fake);
  store = new ReviewStore();
  render(ReviewRoom, { place: { room: 'review', item: null }, go: () => {}, store });
  await waitFor(() => expect(store.pending.length).toBe(waiting()));
  await screen.findByTestId('review-item');
});

test('single keys, a stretch, and all that is left', async () => {
  const all = waiting();
  for (let done = 1; done <= 12; done += 1) {
    await press(done % 3 === 0 ? 'KeyR' : 'KeyA');
    await waitFor(() => expect(waiting()).toBe(all - done));
    await waitFor(() => expect(focused()).toBe(true));
  }
  for (let step = 0; step < 5; step += 1) await press('KeyJ', { shiftKey: true });
  expect(store.selected.size).toBe(6);
  expect(screen.getByTestId('review-selected').textContent).toContain('6');
  await press('KeyA');
  await waitFor(() => expect(waiting()).toBe(all - 18));
  await waitFor(() => expect(store.selected.size).toBe(0));
  await waitFor(() => expect(focused()).toBe(true));
  expect(store.current?.status).toBe('pending');
  await press('KeyA', { ctrlKey: true });
  expect(store.selected.size).toBe(all - 18);
  await press('KeyR');
  await waitFor(() => expect(waiting()).toBe(0), { timeout: 20_000 });
  await screen.findByTestId('review-empty');
  await waitFor(() => expect(focused()).toBe(true));
  await undoStack.undo();
  await waitFor(() => expect(waiting()).toBe(all - 18));
}, 60_000);

test('X marks and unmarks, Esc lets go, and what a verb does not fit waits on', async () => {
  const conflict = store.pending.findIndex((item) => item.waiting.existing !== null);
  const plain = store.pending.findIndex((item) => item.waiting.existing === null && item.waiting.candidate !== null);
  store.toggle(conflict);
  store.toggle(plain);
  expect(store.selected.size).toBe(2);
  const all = waiting();
  await press('KeyB');
  await waitFor(() => expect(waiting()).toBe(all - 1));
  await waitFor(() => expect(store.notice).toContain('1'));
  await press('KeyX');
  expect(store.selected.size).toBe(1);
  await press('KeyX');
  expect(store.selected.size).toBe(0);
  await press('KeyX');
  await press('Escape', { key: 'Escape' });
  expect(store.selected.size).toBe(0);
  expect(waiting()).toBe(all - 1);
});
