// Which of the memories that a conversation names are still remembered. "Saved" is shown only while it is true.
import { asEngineError, call, onStale, type Memory, type MemoryId } from '$ipc';

/** Memories asked about at a time: those of the last turns. */
const ASKED_MAX = 40;

export class MemoryStates {
  private readonly known = $state<Record<MemoryId, Memory | 'gone'>>({});
  private wanted: MemoryId[] = [];
  private readonly stopListening: () => void;

  constructor() {
    this.stopListening = onStale(['memories'], () => {
      this.forgetAll();
      this.check(this.wanted);
    });
  }

  stop() {
    this.stopListening();
  }

  /** Deleted since; `false` while it is not known. */
  isGone(id: MemoryId): boolean {
    const state = this.known[id];
    return state === 'gone' || (typeof state === 'object' && state.status === 'deleted');
  }

  /** The memory as it is now, where it is known. */
  now(id: MemoryId): Memory | null {
    const state = this.known[id];
    return typeof state === 'object' ? state : null;
  }

  /** Makes the next check ask again; what was known stays until the answers come. */
  forgetAll() {
    this.asked = {};
  }

  private asked: Record<MemoryId, true> = {};

  check(ids: readonly MemoryId[]) {
    this.wanted = ids.filter((id, index) => ids.lastIndexOf(id) === index).slice(-ASKED_MAX);
    for (const id of this.wanted) {
      if (this.asked[id]) continue;
      this.asked[id] = true;
      void call('open_memory', { id })
        .then((detail) => (this.known[id] = detail.memory))
        .catch((thrown: unknown) => {
          if (asEngineError(thrown).code === 'not_found') this.known[id] = 'gone';
        });
    }
  }
}
