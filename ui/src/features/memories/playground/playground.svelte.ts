// The store of the search playground: a question, its parameters, and what the engine found with them. Nothing that
// is tried here counts as recalled, and no setting changes.
import { asEngineError, call, onStale, type EngineError, type SearchExplained, type Strategy } from '$ipc';

/** A question is asked when nothing was changed for this long, milliseconds. */
const ASK_AFTER_MS = 40;

/** The k that the slider stops at: close together where a step changes most. The setting allows 1 to 1000. */
const K_STEPS = [1, 2, 5, 10, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000];

/** Tokens that the slider stops at. The setting allows 0 to 16000. */
const TOKEN_STEPS = [0, 50, 100, 200, 300, 500, 1000, 2000, 4000, 8000, 16000];

export class PlaygroundStore {
  text = $state('');
  strategy = $state<Strategy>('hybrid');
  /** `null` takes what the settings say. */
  k = $state<number | null>(null);
  tokensMax = $state<number | null>(null);
  answer = $state.raw<SearchExplained | null>(null);
  /** The question that `answer` answers. */
  answered = $state('');
  /** From the question to the answer, milliseconds. */
  millis = $state(0);
  error = $state.raw<EngineError | null>(null);
  loading = $state(false);
  /** Place of the hit that is explained below the lists. */
  selected = $state(0);

  private timer: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;
  private stopListening: (() => void) | null = null;

  start() {
    this.stopListening ??= onStale(['memories', 'settings', 'health'], () => {
      if (this.asks) void this.ask();
    });
    if (this.asks) void this.ask();
  }

  stop() {
    clearTimeout(this.timer);
    this.stopListening?.();
    this.stopListening = null;
  }

  /** Whether there is something to ask; the last changed ones are listed without words too. */
  get asks(): boolean {
    return this.text.trim() !== '' || this.strategy === 'recent';
  }

  get kSteps(): number[] {
    return withStep(K_STEPS, this.kNow);
  }

  get tokenSteps(): number[] {
    return withStep(TOKEN_STEPS, this.tokensNow);
  }

  get kNow(): number {
    return this.k ?? this.answer?.rrf_k ?? 60;
  }

  get tokensNow(): number {
    return this.tokensMax ?? this.answer?.tokens_max ?? 2000;
  }

  type(text: string) {
    this.text = text;
    this.later();
  }

  choose(change: Partial<Pick<PlaygroundStore, 'strategy' | 'k' | 'tokensMax'>>) {
    Object.assign(this, change);
    this.later();
  }

  /** Moves k along its steps. */
  stepK(by: number) {
    const steps = this.kSteps;
    const to = steps[Math.min(Math.max(steps.indexOf(this.kNow) + by, 0), steps.length - 1)];
    if (to !== undefined) this.choose({ k: to });
  }

  select(index: number) {
    this.selected = Math.min(Math.max(index, 0), Math.max(0, (this.answer?.hits.length ?? 0) - 1));
  }

  /** Asks now. An older answer never replaces a newer one, and the hit that was looked at stays selected. */
  async ask(): Promise<void> {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    const text = this.text.trim();
    if (!this.asks) {
      Object.assign(this, { answer: null, error: null, loading: false, selected: 0 });
      return;
    }
    this.loading = true;
    const began = performance.now();
    const looked = this.answered === text ? this.answer?.hits[this.selected]?.memory.id : undefined;
    try {
      const answer = await call('explain_search', {
        probe: { text, strategy: this.strategy, rrf_k: this.k, tokens_max: this.tokensMax },
      });
      if (turn !== this.turn) return;
      this.millis = performance.now() - began;
      this.answer = answer;
      this.answered = text;
      this.error = null;
      this.selected = Math.max(
        0,
        answer.hits.findIndex((hit) => hit.memory.id === looked),
      );
    } catch (thrown) {
      if (turn === this.turn) this.error = asEngineError(thrown);
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  private later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), ASK_AFTER_MS);
  }
}

/** The steps with the present value among them. */
function withStep(steps: readonly number[], value: number): number[] {
  return steps.includes(value) ? [...steps] : [...steps, value].sort((a, b) => a - b);
}

/** The room keeps its question while other rooms are looked at. */
export const playground = new PlaygroundStore();
