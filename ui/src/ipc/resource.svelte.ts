// A value read from the engine that stays fresh: it loads, keeps the old value while the new one comes, never
// shows an older answer after a newer one, and loads again when one of its tags went stale.
import type { EngineError, Tag } from './generated/types';
import { onStale } from './connection';
import { asEngineError } from './platform';

export interface Resource<T> {
  /** The last value that arrived; `null` before the first. */
  readonly value: T | null;
  /** Why the last load failed; the old value stays. */
  readonly error: EngineError | null;
  /** Whether a load runs now. */
  readonly loading: boolean;
  /** Loads (again). */
  load(): Promise<void>;
  /** Stops following its tags. */
  stop(): void;
}

/** Makes a resource. `load` is called by its owner the first time; afterwards its tags call it. */
export function resource<T>(tags: readonly Tag[], read: () => Promise<T>): Resource<T> {
  let value = $state.raw<T | null>(null);
  let error = $state.raw<EngineError | null>(null);
  let running = $state(0);
  let newest = 0;
  let loadedOnce = false;

  async function load() {
    loadedOnce = true;
    const turn = ++newest;
    running += 1;
    try {
      const answer = await read();
      if (turn === newest) {
        value = answer;
        error = null;
      }
    } catch (thrown) {
      if (turn === newest) error = asEngineError(thrown);
    } finally {
      running -= 1;
    }
  }

  const stop = onStale(tags, () => {
    if (loadedOnce) void load();
  });

  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    get loading() {
      return running > 0;
    },
    load,
    stop,
  };
}
