// Keys of the Memories room.
import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { connect } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { locale, undoStack, type Place } from '$shared';
import MemoriesRoom from './MemoriesRoom.svelte';
import { MemoriesStore } from './memories.svelte';

let fake: FakePlatform;
let store: MemoriesStore;
let went: Place[];

const press = (code: string, more: KeyboardEventInit = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { code, key: code, ...more });

beforeEach(async () => {
  undoStack.clear();
  locale.current = 'ko';
  went = [];
  // Nothing has a size in jsdom, and a list without a height draws no rows.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(640);
  fake = new FakePlatform();
  await connect(fake);
  store = new MemoriesStore();
  render(MemoriesRoom, { place: { room: 'memories', item: 'seat-ko' }, go: (place: Place) => went.push(place), store });
  await waitFor(() => expect(screen.getByTestId('memory-title').textContent).toContain('통로 쪽 좌석을 좋아함'));
});

test('the saved words are marked in the whole message, and open it', async () => {
  const quote = screen.getByTestId('memory-quote');
  expect(quote.textContent).toContain('다음 주 서울 출장 준비하고 있어요.');
  expect(quote.querySelector('mark')?.textContent).toBe('저는 통로 쪽 좌석이 좋아요');
  expect(quote.querySelector('[lang]')?.getAttribute('lang')).toBe('ko');
  await fireEvent.click(screen.getByText('메시지 열기'));
  expect(went).toEqual([{ room: 'chat', item: 'thread-seoul', message: expect.stringMatching(/^message-/) as string }]);
});

test('rows tell their true place, and J moves with the Korean layout on', async () => {
  const before = store.active;
  await press('KeyJ', { key: 'ㅓ' });
  expect(store.active).toBe(before + 1);
  const option = screen.getByTestId('memory-list').querySelector('[role=option]');
  expect(option?.getAttribute('aria-setsize')).toBe('15');
  expect(option?.getAttribute('aria-posinset')).toBe('1');
  await press('KeyJ', { key: 'ㅓ', isComposing: true });
  expect(store.active).toBe(before + 1);
});

test('Delete takes the memory away, the list keeps the focus, and a held key takes only one', async () => {
  const count = store.pages.rows.length;
  await press('Delete');
  await press('Delete', { repeat: true });
  await waitFor(() => expect(store.pages.rows).toHaveLength(count - 1));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('memory-list')));
  await undoStack.undo();
  await waitFor(() => expect(store.openId).toBe('seat-ko'));
});

test('E edits in place; letters go into the text; Esc leaves it as it was', async () => {
  await press('KeyE', { key: 'ㄷ' });
  const area = await screen.findByTestId<HTMLTextAreaElement>('memory-edit-text');
  expect(document.activeElement).toBe(area);
  await press('KeyP', { key: 'ㅔ' });
  expect(fake.calls.some((call) => call.name === 'edit_memory')).toBe(false);
  await press('Escape');
  await waitFor(() => expect(screen.queryByTestId('memory-edit-text')).toBeNull());
  expect(store.openMemory()?.text).toBe('통로 쪽 좌석을 좋아함');
});

test('/ goes to the search, and the arrow goes from there to the list', async () => {
  await press('Slash', { key: '/' });
  expect(document.activeElement).toBe(screen.getByTestId('memory-search'));
  await press('ArrowDown');
  expect(document.activeElement).toBe(screen.getByTestId('memory-list'));
});

test('X and Shift J select, P pins all of them', async () => {
  await press('KeyX', { key: 'ㅌ' });
  await press('KeyJ', { key: 'ㅓ', shiftKey: true });
  expect(store.selected.size).toBe(2);
  const ids = [...store.selected.keys()];
  await press('KeyP', { key: 'ㅔ' });
  await waitFor(() => expect(store.selected.size).toBe(0));
  const pinned = fake.world.memories.filter((memory) => ids.includes(memory.id)).map((memory) => memory.pinned);
  expect(pinned).toEqual([true, true]);
});
