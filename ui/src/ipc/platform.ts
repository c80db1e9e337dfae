// What the window asks of the place it runs in. `tauri.ts` is the app, `fake.ts` is tests and plain browsers.
import type { Commands } from './generated/commands';
import type { EngineError, Event } from './generated/types';

export type CommandName = keyof Commands;

export interface Platform {
  /** Runs one command; a failure is thrown as an `EngineError` object. */
  call<K extends CommandName>(name: K, args: Commands[K]['arguments']): Promise<Commands[K]['answer']>;
  /** Listens to the engine until the returned function is called. */
  listen(handler: (event: Event) => void): Promise<() => void>;
}

/** Anything that was thrown, as an `EngineError`. */
export function asEngineError(thrown: unknown): EngineError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown) {
    const error = thrown as Partial<EngineError>;
    return { code: error.code ?? 'internal', field: error.field ?? null, message: String(error.message) };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', field: null, message };
}
