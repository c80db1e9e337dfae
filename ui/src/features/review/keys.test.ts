// Keys of the Review room: single letters by their place on the keyboard, and none while Hangul is being composed.
import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { connect } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { locale, undoStack } from '$shared';
import { ReviewStore } from './review.svelte';
import ReviewRoom from './ReviewRoom.svelte';

let fake: FakePlatform;
let store: ReviewStore;

const decided = () => fake.world.review.filter((item) => item.status === 'decided').map((item) => item.id);
const press = (code: string, more: KeyboardEventInit = {}) => fireEvent.keyDown(document.body, { code, ...more });

beforeEach(async () => {
  undoStack.clear();
  locale.current = 'ko';
  fake = new FakePlatform();
  await connect(fake);
  store = new ReviewStore();
  render(ReviewRoom, { place: { room: 'review', item: 'review-seat' }, go: () => {}, store });
  await waitFor(() => expect(screen.getByTestId('review-item').dataset['id']).toBe('review-seat'));
});

test('with the Korean layout on, the key of B keeps both and the key of U takes it back', async () => {
  await press('KeyB', { key: 'ㅠ' });
  await waitFor(() => expect(decided()).toEqual(['review-seat']));
  await press('KeyU', { key: 'ㅕ' });
  await waitFor(() => expect(decided()).toEqual([]));
  await waitFor(() => expect(screen.getByTestId('review-item').dataset['id']).toBe('review-seat'));
});

test('nothing fires while a syllable is being composed, in either form that browsers report', async () => {
  await press('KeyA', { key: 'ㅁ', isComposing: true });
  await press('KeyA', { key: 'Process', keyCode: 229 });
  await new Promise((done) => setTimeout(done, 30));
  expect(decided()).toEqual([]);
});

test('a key that is held down decides once', async () => {
  await press('KeyA', { key: 'a' });
  for (let times = 0; times < 5; times += 1) await press('KeyA', { key: 'a', repeat: true });
  await waitFor(() => expect(decided()).toEqual(['review-seat']));
});

test('in the text field letters are letters; Enter that ends a composition does not save, the next one does', async () => {
  await press('KeyE', { key: 'ㄷ' });
  const area = await screen.findByTestId<HTMLTextAreaElement>('review-edit-text');
  expect(document.activeElement).toBe(area);
  await fireEvent.keyDown(area, { code: 'KeyA', key: 'ㅁ' });
  await fireEvent.input(area, { target: { value: '밤 비행기에서는 창가 쪽' } });
  await fireEvent.keyDown(area, { code: 'Enter', key: 'Enter', keyCode: 229 });
  expect(decided()).toEqual([]);
  await fireEvent.keyDown(area, { code: 'Enter', key: 'Enter' });
  await waitFor(() => expect(decided()).toEqual(['review-seat']));
  expect(fake.world.memories[0]?.text).toBe('밤 비행기에서는 창가 쪽');
});

test('after the last item the room says that nothing waits, keeps the focus, and lists what was decided', async () => {
  for (let left = 4; left > 0; left -= 1) {
    await press('KeyA', { key: 'a' });
    await waitFor(() => expect(store.pending).toHaveLength(left - 1));
  }
  expect(await screen.findByTestId('review-empty')).toBeTruthy();
  await waitFor(() => expect(screen.getAllByTestId('review-undo')).toHaveLength(4));
  await waitFor(() => expect(document.activeElement).not.toBe(document.body));
});
