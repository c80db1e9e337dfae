// The connection to the engine: one platform, its commands, its events, and which kinds of data went stale.
import { TAGS, type Commands } from './generated/commands';
import type { Event, Tag } from './generated/types';
import { asEngineError, type CommandName, type Platform } from './platform';

/** Changes that arrive close together refresh a store once, milliseconds. */
const COALESCE_MS = 16;

let platform: Platform | null = null;
let stopListening: (() => void) | null = null;
const eventHandlers = new Set<(event: Event) => void>();
const staleHandlers = new Set<{ tags: Set<Tag>; run: () => void }>();
const staleTags = new Set<Tag>();
let staleTimer: ReturnType<typeof setTimeout> | null = null;

/** Chooses the platform; called once by `main.ts`, and by each test. */
export async function connect(next: Platform): Promise<void> {
  stopListening?.();
  platform = next;
  stopListening = await next.listen((event) => {
    for (const handler of [...eventHandlers]) handler(event);
    if (event.type === 'changed') invalidate(event.tags);
  });
}

/** Runs a command. Throws an `EngineError`; after a success, what the command invalidates is refreshed. */
export async function call<K extends CommandName>(
  name: K,
  args: Commands[K]['arguments'],
): Promise<Commands[K]['answer']> {
  if (!platform) throw asEngineError(new Error('the window is not connected to the engine'));
  const answer = await platform.call(name, args).catch((thrown: unknown) => {
    throw asEngineError(thrown);
  });
  invalidate(TAGS[name].invalidates);
  return answer;
}

/** Listens to the engine's events until the returned function is called. */
export function onEvent(handler: (event: Event) => void): () => void {
  eventHandlers.add(handler);
  return () => eventHandlers.delete(handler);
}

/** Runs `run` when one of these kinds of data went stale, until the returned function is called. */
export function onStale(tags: readonly Tag[], run: () => void): () => void {
  const entry = { tags: new Set(tags), run };
  staleHandlers.add(entry);
  return () => staleHandlers.delete(entry);
}

/** Says that these kinds of data changed. */
export function invalidate(tags: readonly Tag[]): void {
  for (const tag of tags) staleTags.add(tag);
  if (staleTags.size === 0 || staleTimer !== null) return;
  staleTimer = setTimeout(() => {
    staleTimer = null;
    const changed = [...staleTags];
    staleTags.clear();
    for (const entry of [...staleHandlers]) if (changed.some((tag) => entry.tags.has(tag))) entry.run();
  }, COALESCE_MS);
}
