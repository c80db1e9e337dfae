// What Ctrl+Z takes back: the last actions of this window, newest first. Features record each change that can be
// undone, with the words that the toast shows.
import { asEngineError } from '$ipc';
import { errorText } from './errors';
import { t } from './text/i18n.svelte';
import { toast } from './toast.svelte';

export interface Undoable {
  /** Stable name, such as a change id; recording it again replaces it. */
  id: string;
  /** What was done: "Thread deleted". */
  text: string;
  /** Takes it back. Throws an `EngineError`. */
  undo: () => Promise<unknown>;
}

/** Older actions than this are only undone where they are shown. */
const REMEMBERED = 50;

let stack = $state.raw<Undoable[]>([]);

export const undoStack = {
  get last(): Undoable | null {
    return stack.at(-1) ?? null;
  },
  /** Records a change that was made; with `announce` a toast offers Undo. */
  record(change: Undoable, announce = false) {
    stack = [...stack.filter((entry) => entry.id !== change.id), change].slice(-REMEMBERED);
    if (announce) {
      const action = { text: t('action.undo'), run: () => void undoStack.undo(change.id) };
      toast.show({ text: change.text, action });
    }
  },
  /** Forgets a change that was taken back elsewhere. */
  drop(id: string) {
    stack = stack.filter((entry) => entry.id !== id);
  },
  /** Takes back one change, or the last one. */
  async undo(id?: string): Promise<void> {
    const change = id === undefined ? undoStack.last : (stack.find((entry) => entry.id === id) ?? null);
    if (!change) return;
    undoStack.drop(change.id);
    try {
      await change.undo();
      toast.show({ text: t('undo.done', { what: change.text }) });
    } catch (thrown) {
      toast.show({ kind: 'failed', text: errorText(asEngineError(thrown)) });
    }
  },
  clear() {
    stack = [];
  },
};
