// The whole window over the stand-in: rooms, keys, languages, first run, start-up errors; axe finds nothing.
import axe from 'axe-core';
import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { connect } from '$ipc';
import { FakePlatform, type FakeOptions } from '$ipc/fake';
import { locale, undoStack } from '$shared';
import { openedBefore } from '../features/chat/opened';
import App from './App.svelte';
import { navigation } from './navigation.svelte';

beforeEach(() => {
  navigation.reset();
  openedBefore.reset();
  undoStack.clear();
  locale.current = 'en';
});

async function open(options: FakeOptions = {}) {
  const fake = new FakePlatform({ stepMs: 0, ...options });
  await connect(fake);
  const view = render(App);
  return { fake, ...view };
}

const press = (init: KeyboardEventInit & { keyCode?: number }, target: Element = document.body) =>
  fireEvent.keyDown(target, init);

async function expectNoViolations() {
  const { violations } = await axe.run(document.body, {
    // jsdom does not lay out or paint: contrast and sizes are checked in a browser.
    rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: false } },
  });
  expect(violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
}

test.each(['en', 'ko'] as const)('every room opens by its key, without a violation (%s)', async (language) => {
  await open({ settings: { 'ui.language': language } });
  await screen.findByTestId('composer');
  for (const [digit, room] of [
    ['1', 'chat'],
    ['2', 'memories'],
    ['3', 'review'],
    ['4', 'settings'],
  ] as const) {
    await press({ code: `Digit${digit}`, key: digit, ctrlKey: true });
    await waitFor(() => expect(screen.getByTestId(`rail-${room}`).getAttribute('aria-current')).toBe('page'));
    expect(document.documentElement.lang).toBe(language);
    await expectNoViolations();
  }
});

test('a turn: said, answered from memory, saved with Undo, used and explained', async () => {
  await open();
  const box = await screen.findByTestId('composer');
  await fireEvent.input(box, { target: { value: 'I prefer aisle seats. Find me a flight' } });
  await press({ code: 'Enter', key: 'Enter' }, box);
  await screen.findByTestId('saved-strip');
  expect(screen.getByTestId('from-memory').textContent).toBe('Answered from memory, no model connected');
  await fireEvent.click(screen.getByTestId('skipped-toggle'));
  expect(screen.getByTestId('skipped-reasons').textContent).toContain('A request of the moment');
  await fireEvent.click(screen.getAllByTestId('memory-chip')[0] as Element);
  const panel = await screen.findByTestId('why-panel');
  expect(panel.textContent).toContain('Keyword');
  expect(panel.textContent).toContain('Cited in the answer');
  await expectNoViolations();
  await fireEvent.click(screen.getByTestId('saved-undo'));
  await screen.findByTestId('saved-undone');
});

test('the Enter that ends a Hangul syllable does not send', async () => {
  const { fake } = await open();
  const box = (await screen.findByTestId('composer')) as HTMLTextAreaElement;
  await fireEvent.input(box, { target: { value: '저는 통로 쪽이 좋아' } });
  await press({ code: 'Enter', key: 'Enter', isComposing: true }, box);
  await press({ code: 'Enter', key: 'Enter', keyCode: 229 }, box);
  await press({ code: 'Enter', key: 'Enter', shiftKey: true }, box);
  expect(fake.calls.some((entry) => entry.name === 'send_message')).toBe(false);
  expect(box.value).toBe('저는 통로 쪽이 좋아');
  await press({ code: 'Enter', key: 'Enter' }, box);
  await waitFor(() => expect(fake.calls.some((entry) => entry.name === 'send_message')).toBe(true));
});

test('a single letter does nothing while a text is typed', async () => {
  await open();
  const box = await screen.findByTestId('composer');
  await press({ code: 'Slash', key: '?', shiftKey: true }, box);
  expect(screen.queryByTestId('keys-dialog')).toBeNull();
  await press({ code: 'Slash', key: '?', shiftKey: true });
  await screen.findByTestId('keys-dialog');
  await expectNoViolations();
});

test('the palette finds memories and actions; > shows only actions', async () => {
  await open();
  await screen.findByTestId('composer');
  await press({ code: 'KeyK', key: 'ㅏ', ctrlKey: true });
  const input = await screen.findByTestId('palette-input');
  await fireEvent.input(input, { target: { value: 'Seoul' } });
  await waitFor(() => expect(screen.getAllByRole('option')[0]?.textContent).toContain('Seoul'));
  await expectNoViolations();
  await fireEvent.input(input, { target: { value: '>dark' } });
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1));
  await press({ code: 'Enter', key: 'Enter' }, input);
  await waitFor(() => expect(document.documentElement.dataset['theme']).toBe('dark'));
});

test('the language changes while running', async () => {
  await open({ settings: { 'ui.language': 'en' } });
  await screen.findByTestId('composer');
  expect(screen.getByTestId('rail-chat').textContent).toContain('Chat');
  await press({ code: 'KeyK', key: 'k', ctrlKey: true });
  await fireEvent.input(await screen.findByTestId('palette-input'), { target: { value: '>Korean' } });
  await press({ code: 'Enter', key: 'Enter' }, screen.getByTestId('palette-input'));
  await waitFor(() => expect(screen.getByTestId('rail-chat').textContent).toContain('대화'));
});

test('text size goes from 100 to 200 % and back', async () => {
  await open();
  await screen.findByTestId('composer');
  const size = () => document.documentElement.style.getPropertyValue('--text-scale');
  for (let step = 0; step < 6; step += 1) {
    await press({ code: 'Equal', key: '+', ctrlKey: true });
    await new Promise((done) => setTimeout(done, 5));
  }
  await waitFor(() => expect(size()).toBe('2'));
  await press({ code: 'Digit0', key: '0', ctrlKey: true });
  await waitFor(() => expect(size()).toBe('1'));
});

test('back and forward', async () => {
  await open();
  await screen.findByTestId('composer');
  await press({ code: 'Digit2', key: '2', ctrlKey: true });
  await press({ code: 'ArrowLeft', key: 'ArrowLeft', altKey: true });
  await waitFor(() => expect(navigation.place.room).toBe('chat'));
  await press({ code: 'ArrowRight', key: 'ArrowRight', altKey: true });
  await waitFor(() => expect(navigation.place.room).toBe('memories'));
});

test('a memory added by hand can be taken back', async () => {
  const { fake } = await open();
  await screen.findByTestId('composer');
  await press({ code: 'KeyN', key: 'n', ctrlKey: true });
  await fireEvent.input(await screen.findByTestId('new-memory-text'), { target: { value: '회의는 오후가 좋아요' } });
  await fireEvent.click(screen.getByTestId('new-memory-save'));
  await waitFor(() => expect(fake.world.memories[0]?.text).toBe('회의는 오후가 좋아요'));
  await waitFor(() => expect(undoStack.last).not.toBeNull());
  await press({ code: 'KeyZ', key: 'z', ctrlKey: true });
  await waitFor(() => expect(fake.world.memories[0]?.status).toBe('deleted'));
});

test('the first run: Start has the focus, and leads to the chat', async () => {
  await open({ settings: { 'ui.onboarded': false } });
  const start = await screen.findByTestId('onboarding-start');
  expect(document.activeElement).toBe(start);
  await expectNoViolations();
  await fireEvent.click(start);
  await screen.findByTestId('composer');
});

test.each(['damaged', 'newer_data', 'read_only', 'busy', 'internal'] as const)(
  'start-up says it when %s',
  async (code) => {
    const { fake } = await open({ startupError: { code, field: null, message: 'reverie.db: page 41' } });
    const page = await screen.findByTestId('startup-error');
    expect(page.textContent).toContain('reverie.db: page 41');
    await expectNoViolations();
    await fireEvent.click(screen.getByText('Try again'));
    await waitFor(() => expect(fake.calls.filter((entry) => entry.name === 'startup').length).toBeGreaterThan(1));
  },
);

test('a value out of range is refused with the field and the range', async () => {
  const { fake } = await open();
  await screen.findByTestId('composer');
  await press({ code: 'Digit4', key: '4', ctrlKey: true });
  await fireEvent.click(await screen.findByTestId('settings-search'));
  const field = await screen.findByTestId('setting-memoryMaxTokens');
  await fireEvent.input(field, { target: { value: '20000' } });
  await fireEvent.change(field);
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(document.body.textContent).toContain('0 to 16000');
  expect(fake.world.settings.find((setting) => setting.name === 'memoryMaxTokens')?.value).toBe(2000);
  expect((screen.getByTestId('setting-memoryRrfK') as HTMLInputElement).disabled).toBe(true);
});

test('a kind of private thing goes its own way, and back to the rule above it', async () => {
  const { fake } = await open();
  await screen.findByTestId('composer');
  await press({ code: 'Digit4', key: '4', ctrlKey: true });
  await fireEvent.click(await screen.findByTestId('settings-privacy'));
  const value = () => fake.world.settings.find((setting) => setting.name === 'sensitive.health')?.value;
  const select = (await screen.findByTestId('setting-sensitive.health')) as HTMLSelectElement;
  expect(select.value).toBe('');
  await fireEvent.change(select, { target: { value: 'block' } });
  await waitFor(() => expect(value()).toBe('block'));
  await fireEvent.click(await screen.findByLabelText('Back to the default of “Health”: As above'));
  await waitFor(() => expect(value()).toBeNull());
  await expectNoViolations();
});

test('G P opens the playground and G L the list', async () => {
  await open();
  await screen.findByTestId('composer');
  await press({ code: 'Digit2', key: '2', ctrlKey: true });
  await screen.findByTestId('memory-list');
  await press({ code: 'KeyG', key: 'ㅎ' });
  await press({ code: 'KeyP', key: 'ㅔ' });
  const box = await screen.findByTestId('playground-question');
  await fireEvent.input(box, { target: { value: 'aisle seats on flights' } });
  await screen.findByTestId('playground-hits');
  await expectNoViolations();
  await press({ code: 'KeyG', key: 'g' });
  await press({ code: 'KeyL', key: 'l' });
  await screen.findByTestId('memory-list');
});
