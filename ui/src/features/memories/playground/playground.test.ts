// The playground: lists and lines as data, the newest answer wins, and the keys.
import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { call, connect } from '$ipc';
import { FakePlatform } from '$ipc/fake';
import { locale } from '$shared';
import { GAP_REM, lanesOf, ROW_REM } from './lanes';
import Playground from './Playground.svelte';
import { PlaygroundStore } from './playground.svelte';

beforeEach(() => {
  locale.current = 'en';
});

async function connected() {
  const fake = new FakePlatform({ stepMs: 0 });
  await connect(fake);
  return fake;
}

const probe = (text: string, more = {}) => ({
  text,
  strategy: 'hybrid' as const,
  rrf_k: 60,
  tokens_max: 2000,
  ...more,
});

test('the side lists are in the order of their ranks, and a line ends at the row of its memory', async () => {
  await connected();
  const { hits } = await call('explain_search', { probe: probe('aisle seats on flights', { tokens_max: 40 }) });
  const lanes = lanesOf(hits);
  for (const lane of [lanes.keyword, lanes.meaning]) {
    expect(lane.map((entry) => entry.rank)).toEqual([...lane.map((entry) => entry.rank)].sort((a, b) => a - b));
  }
  const end = lanes.end ?? -1;
  expect(end).toBe(hits.filter((hit) => hit.in_prompt).length);
  expect(lanes.middles[end]).toBe(ROW_REM * (end + 0.5) + GAP_REM);
  for (const link of lanes.keywordLinks) expect(link.to).toBe(lanes.middles[link.hit]);
});

test('everything fits: there is no line where the budget ends', async () => {
  await connected();
  const { hits } = await call('explain_search', { probe: probe('통로 쪽 좌석', { strategy: 'exact' }) });
  expect(hits.length).toBeGreaterThan(0);
  expect(lanesOf(hits).end).toBeNull();
});

test('an older answer never replaces a newer one', async () => {
  const fake = await connected();
  const store = new PlaygroundStore();
  const real = fake.call.bind(fake);
  let late: (() => void) | undefined;
  fake.call = (name, args) => {
    const first = name === 'explain_search' && late === undefined;
    const answer = real(name, args);
    return first ? new Promise<void>((done) => (late = done)).then(() => answer) : answer;
  };
  store.text = 'seats';
  const older = store.ask();
  store.text = '보리차';
  await store.ask();
  late?.();
  await older;
  expect(store.answered).toBe('보리차');
  expect(store.answer?.hits[0]?.memory.text).toContain('보리차');
});

test('brackets change k, arrows walk the hits, and Enter opens one', async () => {
  const fake = await connected();
  const store = new PlaygroundStore();
  const places: unknown[] = [];
  render(Playground, { store, go: (place: unknown) => places.push(place) });
  const box = screen.getByTestId('playground-question');
  await fireEvent.input(box, { target: { value: 'aisle seats on flights' } });
  const list = await screen.findByTestId('playground-hits');
  await fireEvent.keyDown(box, { key: ']', code: 'BracketRight' });
  expect(store.kNow).toBe(60);
  await fireEvent.keyDown(list, { key: ']', code: 'BracketRight' });
  await waitFor(() => expect(store.answer?.rrf_k).toBe(80));
  const asked = fake.calls.filter((entry) => entry.name === 'explain_search').at(-1);
  expect(asked?.args).toMatchObject({ probe: { rrf_k: 80 } });
  await fireEvent.keyDown(list, { key: 'ArrowDown', code: 'ArrowDown' });
  const second = store.answer?.hits[1]?.memory;
  await waitFor(() => expect(screen.getByTestId('playground-why').textContent).toContain(second?.text));
  await fireEvent.keyDown(list, { key: 'Enter', code: 'Enter' });
  expect(places).toEqual([{ room: 'memories', item: second?.id }]);
});

test('a refused parameter is said, and the old answer stays', async () => {
  const fake = await connected();
  const store = new PlaygroundStore();
  store.text = 'seats';
  await store.ask();
  fake.failures.set('explain_search', { code: 'invalid_input', field: 'rrf_k', message: 'k: 1 to 1000.' });
  await store.ask();
  expect(store.error?.field).toBe('rrf_k');
  expect(store.answer).not.toBeNull();
});
