// Rules that hold for every component, read from the sources.
import { expect, test } from 'vitest';

const components = import.meta.glob('../**/*.svelte', { query: '?raw', import: 'default', eager: true }) as Record<
  string,
  string
>;

test('no component has an inline style attribute: the content security policy would refuse it', () => {
  for (const [path, source] of Object.entries(components)) {
    expect([path, /<[^>]*\sstyle="/.test(source)]).toEqual([path, false]);
  }
});

test('markup is made from text in one place only', () => {
  const makers = Object.entries(components).filter(([, source]) => source.includes('{@html'));
  expect(makers.map(([path]) => path)).toEqual(['./parts/Markdown.svelte']);
});

test('a feature imports ipc and shared, and no other feature', () => {
  for (const [path, source] of Object.entries(components)) {
    if (!path.startsWith('../features/')) continue;
    const outside = [...source.matchAll(/from '(\.\.\/[^']+)'/g)].map((match) => match[1]);
    expect([path, outside]).toEqual([path, []]);
  }
});
