// The store of the Review room: what waits, one item at a time, and what was decided. A decided item leaves at once
// and the next is there; what another window decided first is said in a sentence.
/* eslint-disable svelte/prefer-svelte-reactivity -- maps and sets are replaced here, never changed in place */
import {
  asEngineError,
  call,
  onStale,
  type Decision,
  type EngineError,
  type ReviewItem,
  type ReviewReason,
  type ThreadView,
} from '$ipc';
import { errorText, headOf, t, tCode, undoStack, type Place } from '$shared';

export type Verb = Decision['verb'];

/** Characters that a memory may have, as the engine checks them. */
const TEXT_CHARS = { min: 3, max: 500 } as const;

/** Characters of an item's text in a short message. */
const TITLE_UNITS = 80;

/** Items decided in one transaction: few enough that progress moves and Stop works at once. */
const TOGETHER = 100;

/** Conversations kept to show the whole message around a quote. */
const THREADS_KEPT = 20;

/** What a person may do with an item, the first being the primary one. */
export function verbsOf(item: ReviewItem): Verb[] {
  if (!item.waiting.candidate) return ['approve', 'reject'];
  if (item.waiting.existing) return ['newer_wins', 'keep_both', 'reject', 'edit'];
  return ['approve', 'reject', 'edit'];
}

/** What an item is called in the queue and in messages. */
export function titleOf(item: ReviewItem): string {
  const text = item.waiting.candidate?.text;
  return text ? headOf(text, TITLE_UNITS) : t('review.turn_waits');
}

export class ReviewStore {
  pending = $state.raw<ReviewItem[]>([]);
  decided = $state.raw<ReviewItem[]>([]);
  loaded = $state(false);
  loadError = $state.raw<EngineError | null>(null);

  view = $state<'pending' | 'decided'>('pending');
  reason = $state<ReviewReason | 'all'>('all');
  currentId = $state<string | null>(null);
  /** The action whose consequence is shown; `null` for the primary one. */
  focused = $state<Verb | null>(null);
  /** Texts being written, by item. */
  drafts = $state.raw<ReadonlyMap<string, string>>(new Map());
  busy = $state<Verb | 'undo' | null>(null);
  /** A refused decision, said at its item. */
  problem = $state.raw<{ id: string; text: string; retry: (() => void) | null } | null>(null);
  /** Something that happened elsewhere. */
  notice = $state<string | null>(null);
  /** The last decisions of this window, newest last; `U` takes them back one by one. */
  made = $state.raw<{ id: string; text: string }[]>([]);
  batch = $state.raw<{ done: number; count: number } | null>(null);
  asking = $state(false);
  /** Items that are decided together. */
  selected = $state.raw<ReadonlySet<string>>(new Set());
  threads = $state.raw<ReadonlyMap<string, ThreadView | null>>(new Map());

  /** Puts the focus on the next item; set by the view. */
  onfocus: (() => void) | null = null;

  private arrived: Place | null = null;
  private anchor: { index: number; before: ReadonlySet<string> } | null = null;
  private turn = 0;
  private stopRequested = false;
  private stopListening: (() => void) | null = null;

  start() {
    this.stopListening ??= onStale(['review'], () => {
      if (!this.batch) void this.load();
    });
    void this.load();
  }

  stop() {
    this.stopListening?.();
    this.stopListening = null;
    this.onfocus = null;
  }

  /** What the queue shows. */
  get items(): ReviewItem[] {
    const all = this.view === 'pending' ? this.pending : this.decided;
    return this.reason === 'all' ? all : all.filter((item) => item.waiting.reason === this.reason);
  }

  /** How many wait for each reason. */
  get counts(): Map<ReviewReason, number> {
    const counts = new Map<ReviewReason, number>();
    for (const { waiting } of this.view === 'pending' ? this.pending : this.decided) {
      counts.set(waiting.reason, (counts.get(waiting.reason) ?? 0) + 1);
    }
    return counts;
  }

  get index(): number {
    return this.items.findIndex((item) => item.id === this.currentId);
  }

  get current(): ReviewItem | null {
    return this.items[this.index] ?? null;
  }

  get draft(): string | null {
    return this.currentId === null ? null : (this.drafts.get(this.currentId) ?? null);
  }

  /** Reads what waits, and what was decided where that is looked at. */
  async load(): Promise<void> {
    const turn = ++this.turn;
    try {
      const [pending, decided] = await Promise.all([
        call('list_review', { status: 'pending' }),
        this.view === 'decided' || this.pending.length <= 1
          ? call('list_review', { status: 'decided' })
          : Promise.resolve(this.decided),
      ]);
      if (turn !== this.turn) return;
      const at = this.index;
      const gone = this.currentId !== null && this.view === 'pending' && at >= 0;
      this.pending = pending;
      this.decided = [...decided].sort((a, b) => (b.decided_at ?? 0) - (a.decided_at ?? 0));
      this.loaded = true;
      this.loadError = null;
      this.dropSelected();
      if (this.reason !== 'all' && this.items.length === 0) this.reason = 'all';
      if (this.current) return;
      if (gone) this.sayDecidedElsewhere();
      this.select(this.items[Math.min(Math.max(at, 0), this.items.length - 1)]?.id ?? null);
    } catch (thrown) {
      if (turn === this.turn) this.loadError = asEngineError(thrown);
    }
  }

  /** Comes to a place in this room. Coming back to the last one leaves everything as it was. */
  arrive(place: Place) {
    if (place === this.arrived) return;
    this.arrived = place;
    if (place.item !== null) void this.show(place.item);
  }

  /** Opens an item by its id, also one that was decided. */
  async show(id: string): Promise<void> {
    if (!this.loaded) await this.load();
    this.reason = 'all';
    this.view = 'pending';
    if (!this.pending.some((item) => item.id === id)) {
      const decided = await call('list_review', { status: 'decided' }).catch(() => []);
      if (decided.some((item) => item.id === id)) await this.look('decided');
    }
    if (this.items.some((item) => item.id === id)) this.select(id);
  }

  /** Shows what waits or what was decided. */
  async look(view: 'pending' | 'decided'): Promise<void> {
    this.view = view;
    this.reason = 'all';
    this.asking = false;
    this.currentId = null;
    this.clearSelection();
    await this.load();
  }

  select(id: string | null) {
    if (id === this.currentId) return;
    this.currentId = id;
    this.focused = null;
    if (this.problem && this.problem.id !== id) this.problem = null;
    const thread = this.current?.waiting.candidate?.evidence.thread_id ?? this.current?.thread_id;
    if (thread) void this.readThread(thread);
  }

  filter(reason: ReviewReason | 'all') {
    this.reason = reason;
    this.asking = false;
    this.clearSelection();
    if (!this.current) this.select(this.items[0]?.id ?? null);
  }

  /** Moves by items; with `extend` those on the way are selected. */
  move(by: number, extend = false) {
    const to = Math.min(Math.max(this.index + by, 0), this.items.length - 1);
    this.notice = null;
    if (extend) this.extendTo(to, this.index);
    else this.anchor = null;
    this.select(this.items[to]?.id ?? null);
  }

  /** Selects an item for a decision together with others, or lets it go. */
  toggle(index: number) {
    const item = this.items[index];
    if (!item || item.status !== 'pending' || this.batch) return;
    const selected = new Set(this.selected);
    if (!selected.delete(item.id)) selected.add(item.id);
    this.selected = selected;
    this.anchor = null;
  }

  extendTo(index: number, from: number) {
    if (this.view !== 'pending') return;
    this.anchor ??= { index: Math.max(from, 0), before: this.selected };
    const [low, high] = [Math.min(this.anchor.index, index), Math.max(this.anchor.index, index)];
    this.selected = new Set([...this.anchor.before, ...this.items.slice(low, high + 1).map((item) => item.id)]);
  }

  /** Selects everything that the queue shows. */
  selectAll() {
    if (this.view === 'pending') this.selected = new Set(this.items.map((item) => item.id));
  }

  endExtend() {
    this.anchor = null;
  }

  clearSelection() {
    this.selected = new Set();
    this.anchor = null;
  }

  /** Goes on without deciding; after the last item comes the first. */
  skip() {
    const { items } = this;
    if (items.length > 1) this.select(items[(this.index + 1) % items.length]?.id ?? null);
  }

  edit() {
    const item = this.current;
    if (!item?.waiting.candidate || item.status !== 'pending' || this.drafts.has(item.id)) return;
    this.write(item.waiting.candidate.text);
    this.focused = 'edit';
  }

  write(text: string) {
    if (this.currentId !== null) this.drafts = new Map(this.drafts).set(this.currentId, text);
  }

  cancelEdit() {
    const drafts = new Map(this.drafts);
    if (this.currentId !== null) drafts.delete(this.currentId);
    this.drafts = drafts;
    this.problem = null;
    this.focused = null;
  }

  async saveEdit(): Promise<void> {
    const item = this.current;
    const text = this.draft?.trim();
    if (!item || text === undefined) return;
    const length = [...text].length;
    if (length < TEXT_CHARS.min || length > TEXT_CHARS.max) {
      this.problem = { id: item.id, text: t('memories.text_length', { count: length }), retry: null };
      return;
    }
    await this.decide('edit');
  }

  /** Decides the current item. Approving a conflict means that the newer side wins. */
  async decide(asked: Verb): Promise<void> {
    if (this.selected.size > 0 && asked !== 'edit') return this.decideSelected(asked);
    const item = this.current;
    if (!item || item.status !== 'pending' || this.busy || this.batch) return;
    const verb = asked === 'approve' && item.waiting.existing ? 'newer_wins' : asked;
    if (!verbsOf(item).includes(verb)) return;
    const text = this.draft?.trim() ?? '';
    if (verb === 'edit' && !text) return this.edit();
    const decision: Decision = verb === 'edit' ? { verb, text } : { verb };
    this.busy = verb;
    this.problem = null;
    this.notice = null;
    try {
      await call('decide_review', { id: item.id, decision });
    } catch (thrown) {
      await this.refused(item, verb, asEngineError(thrown));
      return;
    } finally {
      this.busy = null;
    }
    this.leave(item.id);
    const done = tCode('review.done', verb, '', { text: verb === 'edit' ? text : titleOf(item) });
    this.made = [...this.made, { id: item.id, text: done }];
    undoStack.record({ id: undoName(item.id), text: done, undo: () => this.takeBack(item.id) });
  }

  /** Takes back the last decision of this window, or the newest of all. */
  async undo(id?: string): Promise<void> {
    const wanted = id ?? this.made.at(-1)?.id ?? (this.view === 'decided' ? this.currentId : null);
    if (!wanted || this.busy) return;
    this.busy = 'undo';
    this.notice = null;
    try {
      await this.takeBack(wanted);
      const item = this.current;
      if (item) this.notice = t('review.undone', { text: titleOf(item) });
    } catch (thrown) {
      const error = asEngineError(thrown);
      this.notice = error.code === 'conflict' ? t('review.changed_since') : errorText(error);
    } finally {
      this.busy = null;
    }
  }

  /** Decides everything of the shown reason; one Undo takes all of it back. */
  async decideAll(asked: 'approve' | 'reject'): Promise<void> {
    if (this.view === 'pending' && this.reason !== 'all') await this.decideMany(this.items, asked);
  }

  /** Decides what is selected. What a verb does not fit, such as keeping both sides of one, waits on. */
  async decideSelected(asked: Exclude<Verb, 'edit'>): Promise<void> {
    const chosen = this.items.filter((item) => this.selected.has(item.id));
    await this.decideMany(chosen, asked);
  }

  /** Decides several items; one Undo takes all of it back. Afterwards the item that follows the first of them is
   *  there. */
  private async decideMany(items: readonly ReviewItem[], asked: Exclude<Verb, 'edit'>): Promise<void> {
    const deciding = items.flatMap((item) => {
      const verb = verbFor(item, asked);
      return verb === null ? [] : [{ id: item.id, decision: { verb } as Decision }];
    });
    if (deciding.length === 0 || this.batch || this.busy) return;
    const shown = this.items;
    const at = shown.findIndex((item) => item.id === deciding[0]?.id);
    this.asking = false;
    this.notice = null;
    this.stopRequested = false;
    const done: string[] = [];
    const gone = new Set<string>();
    let failed = items.length - deciding.length;
    for (let from = 0; from < deciding.length && !this.stopRequested; from += TOGETHER) {
      this.batch = { done: done.length, count: deciding.length };
      const part = deciding.slice(from, from + TOGETHER);
      const outcomes = await call('decide_reviews', { decisions: part }).catch(() => []);
      done.push(...outcomes.filter((entry) => entry.status === 'decided').map((entry) => entry.id));
      // What somebody else decided first does not wait any more, and is not ours to take back.
      const elsewhere = outcomes.filter((entry) => ['decided_before', 'not_found'].includes(entry.status));
      for (const { id } of elsewhere) gone.add(id);
      const refused = outcomes.filter((entry) => entry.status === 'refused').length;
      failed += outcomes.length === 0 ? part.length : refused;
    }
    const decided = new Set([...done, ...gone]);
    const next = shown.slice(Math.max(at, 0)).find((item) => !decided.has(item.id));
    this.pending = this.pending.filter((item) => !decided.has(item.id));
    this.batch = null;
    this.clearSelection();
    if (failed > 0) this.notice = t('review.batch_failed', { count: failed });
    if (done.length > 0) {
      const key = asked === 'reject' ? 'review.batch_rejected' : 'review.batch_approved';
      const undo = () => this.takeAllBack(done);
      undoStack.record({ id: undoName(done.join()), text: t(key, { count: done.length }), undo }, true);
    }
    if (this.items.length === 0) this.reason = 'all';
    this.select(next?.id ?? this.items.at(-1)?.id ?? null);
    await this.load();
    this.onfocus?.();
  }

  stopBatch() {
    this.stopRequested = true;
  }

  /** What was decided meanwhile is selected no more. */
  private dropSelected() {
    if (this.selected.size === 0) return;
    const waiting = new Set(this.pending.map((item) => item.id));
    this.selected = new Set([...this.selected].filter((id) => waiting.has(id)));
  }

  private async takeBack(id: string): Promise<void> {
    await call('undo_review', { id });
    this.made = this.made.filter((entry) => entry.id !== id);
    undoStack.drop(undoName(id));
    this.view = 'pending';
    this.reason = 'all';
    this.currentId = null;
    await this.load();
    this.select(id);
    this.onfocus?.();
  }

  private async takeAllBack(ids: readonly string[]): Promise<void> {
    this.batch = { done: 0, count: ids.length };
    const outcomes = await call('undo_reviews', { ids: [...ids].reverse() }).catch((thrown: unknown) => thrown);
    const refusal = Array.isArray(outcomes)
      ? (outcomes.find((entry) => entry.status !== 'decided')?.error ?? null)
      : outcomes;
    this.batch = null;
    await this.load();
    if (refusal !== null) throw asEngineError(refusal);
  }

  /** The item is decided: the one after it takes its place. */
  private leave(id: string) {
    const at = this.index;
    this.pending = this.pending.filter((item) => item.id !== id);
    const drafts = new Map(this.drafts);
    drafts.delete(id);
    this.drafts = drafts;
    this.select(this.items[Math.min(at, this.items.length - 1)]?.id ?? null);
    this.onfocus?.();
  }

  private async refused(item: ReviewItem, verb: Verb, error: EngineError): Promise<void> {
    if (error.code === 'conflict' || error.code === 'not_found') {
      await this.load();
      if (!this.pending.some((waiting) => waiting.id === item.id)) {
        this.sayDecidedElsewhere();
        this.onfocus?.();
        return;
      }
    }
    const retry = error.code === 'invalid_input' ? null : () => void this.decide(verb);
    this.problem = { id: item.id, text: errorText(error), retry };
  }

  private sayDecidedElsewhere() {
    this.notice = t(this.items.length > 0 ? 'review.decided_elsewhere' : 'review.decided_elsewhere_last');
  }

  private async readThread(id: string) {
    if (this.threads.has(id)) return;
    const view = await call('open_thread', { id }).catch(() => null);
    this.threads = new Map([...this.threads, [id, view] as const].slice(-THREADS_KEPT));
  }
}

/** The verb for one of several items: approving a conflict means that the newer side wins. */
function verbFor(item: ReviewItem, asked: Exclude<Verb, 'edit'>): Verb | null {
  const verb = asked === 'approve' && item.waiting.existing ? 'newer_wins' : asked;
  return verbsOf(item).includes(verb) ? verb : null;
}

const undoName = (id: string) => `review:${id}`;

/** The room keeps its place while other rooms are looked at. */
export const review = new ReviewStore();
