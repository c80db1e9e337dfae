// The app: commands and events of the desktop shell.
import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import { EVENT } from './generated/commands';
import type { Event } from './generated/types';
import { asEngineError, type Platform } from './platform';
import { wellFormed } from './well-formed';

export const tauriPlatform: Platform = {
  async call(name, args) {
    try {
      return await invoke(name, wellFormed(args as Record<string, unknown>));
    } catch (thrown) {
      throw asEngineError(thrown);
    }
  },
  listen: (handler) => listen<Event>(EVENT, (message) => handler(message.payload)),
};

/** Whether this page runs inside the desktop shell. */
export const insideTauri = () => '__TAURI_INTERNALS__' in window;
