// What the store of the Memories room promises: the newest answer wins, pages come as they are needed, every change
// can be taken back, and there is always a next row.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { connect, type MemoryQuery } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { locale, undoStack } from '$shared';
import { endOfDay, inputDate, startOfDay } from './days';
import { historyOf } from './history';
import { MemoriesStore } from './memories.svelte';
import { PAGE_ROWS } from './pages.svelte';

let fake: FakePlatform;
let store: MemoriesStore;

async function open(options: ConstructorParameters<typeof FakePlatform>[0] = {}) {
  fake = new FakePlatform(options);
  await connect(fake);
  store = new MemoriesStore();
  store.start();
  await settled();
}

const settled = () => new Promise((done) => setTimeout(done, 60));
const texts = () => store.pages.rows.map((row) => row?.memory.text);
const queries = () =>
  fake.calls.filter((call) => call.name === 'list_memories').map((call) => (call.args as { query: MemoryQuery }).query);

beforeEach(() => {
  undoStack.clear();
  locale.current = 'en';
});

describe('searching', () => {
  test('typing asks once, after a pause, and opens the best match', async () => {
    await open();
    const before = queries().length;
    for (const text of ['통', '통로', '통로 ㅉ', '통로 쪽']) store.type(text);
    await settled();
    await settled();
    expect(
      queries()
        .slice(before)
        .map((query) => query.text),
    ).toEqual(['통로 쪽']);
    expect(texts()).toEqual(['통로 쪽 좌석을 좋아함']);
    expect(store.openMemory()?.text).toBe('통로 쪽 좌석을 좋아함');
    expect(store.openRow?.why.matched_words).toContain('통로');
  });

  test('an older answer never replaces a newer one, and old rows stay until then', async () => {
    await open();
    const call = fake.call.bind(fake);
    const waiting: (() => void)[] = [];
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const answer = await call(name, args);
      if (name === 'list_memories') await new Promise<void>((done) => waiting.push(done));
      return answer;
    });
    const rows = texts();
    store.text = '보리차';
    const older = store.search();
    store.text = '오후 회의';
    const newer = store.search();
    await settled();
    expect(texts()).toEqual(rows);
    waiting[1]?.();
    await newer;
    expect(texts()).toEqual(['오전 회의보다 오후 회의를 좋아함']);
    waiting[0]?.();
    await older;
    expect(texts()).toEqual(['오전 회의보다 오후 회의를 좋아함']);
  });

  test('a filter that does not exist is an error that names its field, and the rows stay', async () => {
    await open();
    const rows = texts();
    store.type('type:취향');
    await settled();
    await settled();
    expect(store.pages.error).toMatchObject({ code: 'invalid_input', field: 'type' });
    expect(texts()).toEqual(rows);
  });

  test('words only is said when meaning was not searched because of the model', async () => {
    await open({ wordsOnly: true });
    expect(store.wordsOnly).toBeNull();
    store.type('좌석');
    await settled();
    await settled();
    expect(store.wordsOnly).toBe('off');
  });
});

describe('a long list', () => {
  test('has its true length at once and reads only what is in view', async () => {
    await open({ more: { memories: 100_000 } });
    expect(store.pages.rows).toHaveLength(100_015);
    expect(queries()).toHaveLength(1);
    store.activate(100_014);
    store.pages.show(100_000, 100_014);
    await settled();
    expect(queries().at(-1)).toMatchObject({ offset: 100_000, limit: PAGE_ROWS });
    expect(store.pages.rows[100_014]?.memory.text).toMatch(/100000$/);
    expect(store.openId).toBe(store.pages.rows[100_014]?.memory.id);
    expect(store.pages.rows[50_000]).toBeUndefined();
  });

  test('a fast scroll asks for where it ends', async () => {
    await open({ more: { memories: 10_000 } });
    for (let first = 0; first < 9_000; first += 90) store.pages.show(first, first + 20);
    await settled();
    expect(queries().length).toBeLessThan(5);
    expect(store.pages.rows[8_950]).toBeDefined();
  });
});

describe('changing', () => {
  test('an edit keeps the old words in the history and can be taken back', async () => {
    await open();
    store.open('tea-ko');
    await settled();
    store.edit();
    store.write('커피 대신 유자차를 마심');
    await store.save();
    await settled();
    expect(store.draft).toBeNull();
    expect(store.detail?.memory.text).toBe('커피 대신 유자차를 마심');
    const [newest] = store.detail ? historyOf(store.detail) : [];
    expect(newest).toMatchObject({ before: '커피 대신 보리차를 마심', after: '커피 대신 유자차를 마심' });
    await undoStack.undo();
    await settled();
    expect(store.detail?.memory.text).toBe('커피 대신 보리차를 마심');
  });

  test('when it was changed meanwhile, what was written stays and saving again puts it over', async () => {
    await open();
    store.open('tea-ko');
    await settled();
    store.edit();
    store.write('보리차만 마심');
    const args = { id: 'tea-ko', version: 1, patch: { text: '녹차를 마심' } };
    await fake.call('edit_memory', args);
    await store.save();
    expect(store.problem?.error.code).toBe('conflict');
    expect(store.draft).toBe('보리차만 마심');
    await settled();
    expect(store.openMemory()?.text).toBe('녹차를 마심');
    await store.save();
    expect(store.draft).toBeNull();
    expect(store.openMemory()?.text).toBe('보리차만 마심');
  });

  test('a text of two characters is refused before it is sent', async () => {
    await open();
    store.open('tea-ko');
    store.edit();
    store.write('차🍵');
    await store.save();
    expect(store.problem?.error.message).toContain('this has 2');
    expect(fake.calls.some((call) => call.name === 'edit_memory')).toBe(false);
  });

  test('after a delete the next row is open, and Undo brings back the one that was deleted', async () => {
    await open();
    const focused = vi.fn();
    store.onfocus = focused;
    store.activate(2);
    await settled();
    const [gone, next] = [store.pages.rows[2]?.memory.id, store.pages.rows[3]?.memory.id];
    await store.remove();
    expect(store.openId).toBe(next);
    expect(store.active).toBe(2);
    expect(focused).toHaveBeenCalled();
    await settled();
    await undoStack.undo();
    await settled();
    expect(store.openId).toBe(gone);
    expect(store.pages.rows[store.active]?.memory.id).toBe(gone);
    expect(focused).toHaveBeenCalledTimes(2);
  });

  test('the last row gone leaves the one before it open', async () => {
    await open();
    const last = store.pages.rows.length - 1;
    store.activate(last);
    await settled();
    await store.remove();
    expect(store.active).toBe(last - 1);
    expect(store.openId).toBe(store.pages.rows[last - 1]?.memory.id);
  });

  test('a batch is one Undo, and says what it could not do', async () => {
    await open();
    store.activate(0);
    store.toggle(0);
    store.move(1, true);
    store.move(1, true);
    const ids = [...store.selected.keys()];
    expect(ids).toHaveLength(3);
    await fake.call('edit_memory', {
      id: ids[1] ?? '',
      version: store.selected.get(ids[1] ?? '')?.version ?? 0,
      patch: { pinned: true },
    });
    await store.runBatch('archive');
    expect(store.batchProblem).toContain('1 was changed');
    expect([...store.selected.keys()]).toEqual([ids[1]]);
    const statusOf = (id: string | undefined) => fake.world.memories.find((memory) => memory.id === id)?.status;
    expect(ids.map(statusOf)).toEqual(['archived', 'active', 'archived']);
    await undoStack.undo();
    expect(ids.map(statusOf)).toEqual(['active', 'active', 'active']);
  });
});

describe('the history', () => {
  test('any change is taken back, and a refusal says what to do first', async () => {
    await open();
    const memory = store.openMemory();
    if (!memory) throw new Error('a memory is open');
    store.edit();
    store.write('창가 쪽 좌석을 더 좋아함');
    await store.save();
    await settled();
    const [changed] = store.detail ? historyOf(store.detail) : [];
    expect(changed?.after).toBe('창가 쪽 좌석을 더 좋아함');
    expect(changed?.change).not.toBeNull();
    fake.failures.set('undo_change', { code: 'conflict', field: null, message: 'changed since' });
    await store.undoChange(changed?.change ?? '');
    expect(store.problem?.error.message).toBe('It was changed again after that. Take back the later changes first.');
    await store.undoChange(String(undoStack.last?.id));
    await settled();
    expect(store.openMemory()?.text).toBe(memory.text);
  });
});

describe('another time', () => {
  test('a day, its date field and the slider say the same; what held then is listed', async () => {
    await open();
    await store.lookAt({ at: Date.now(), axis: 'valid' });
    await settled();
    expect(store.oldest).not.toBeNull();
    const before = store.pages.rows.length;
    const day = startOfDay(inputDate(Date.now() - 200 * 86_400_000)) ?? 0;
    await store.lookAt({ at: endOfDay(day), axis: 'known' });
    await settled();
    expect(queries().at(-1)?.as_of).toEqual({ at: endOfDay(day), axis: 'known' });
    expect(store.pages.rows.length).toBeLessThan(before);
    expect(store.pages.rows.every((row) => (row?.memory.valid_from ?? Infinity) <= endOfDay(day))).toBe(true);
    await store.lookAt(null);
    await settled();
    expect(queries().at(-1)?.as_of).toBeNull();
  });

  test('a text that is no day is no day', () => {
    expect(startOfDay('2026-02-30')).toBeNull();
    expect(startOfDay('어제')).toBeNull();
    expect(inputDate(startOfDay('2024-02-29') ?? 0)).toBe('2024-02-29');
  });

  test('further filters narrow the list, and are cleared together', async () => {
    await open();
    store.filter({ language: 'ko', trust: 'user' });
    await settled();
    expect(queries().at(-1)?.narrow).toMatchObject({ trusts: ['user'], languages: ['ko'] });
    expect(store.pages.rows.every((row) => row?.memory.language === 'ko')).toBe(true);
    store.clearFilters();
    await settled();
    expect(queries().at(-1)?.narrow).toBeNull();
  });

  test('what is new is listed from the last look on, and seen when the person says so', async () => {
    await open();
    expect(store.news.value?.count).toBeGreaterThan(0);
    store.showNews();
    await settled();
    expect(queries().at(-1)?.narrow?.since).toBe(store.news.value?.since);
    await store.markSeen();
    expect(store.news.value?.count).toBe(0);
    expect(store.since).toBeNull();
  });
});
