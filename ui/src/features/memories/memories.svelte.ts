// The store of the Memories room: what is asked, which memory is open, which are selected, and what can be done to
// them. Every change can be taken back, and afterwards the memory it was about has the focus again.
/* eslint-disable svelte/prefer-svelte-reactivity -- maps and sets are replaced here, never changed in place */
import {
  asEngineError,
  call,
  onStale,
  resource,
  type Category,
  type AsOfAxis,
  type EngineError,
  type Health,
  type Language,
  type Memory,
  type MemoryDetail,
  type MemoryOrder,
  type MemoryPatch,
  type Narrow,
  type News,
  type Origin,
  type Status,
  type Written,
} from '$ipc';
import { t, undoStack, type MessageKey, type Place } from '$shared';
import { MemoryPages, type Question } from './pages.svelte';

/** Search starts when nothing was typed for this long, milliseconds. */
const SEARCH_AFTER_MS = 40;

/** Characters that a memory may have, as the engine checks them. */
export const TEXT_CHARS = { min: 3, max: 500 } as const;

export type BatchVerb = 'pin' | 'archive' | 'delete';

const BATCH: Record<BatchVerb, { patch: MemoryPatch; done: MessageKey; leaves: boolean }> = {
  pin: { patch: { pinned: true }, done: 'memories.pin_batch', leaves: false },
  archive: { patch: { status: 'archived' }, done: 'memories.archive_batch', leaves: true },
  delete: { patch: { status: 'deleted' }, done: 'memories.delete_batch', leaves: true },
};

export class MemoriesStore {
  readonly pages = new MemoryPages();
  private readonly health = resource<Health>(['health'], () => call('health', {}));
  /** What appeared since somebody last looked. */
  readonly news = resource<News>(['memories'], () => call('news', { limit: 1 }));

  text = $state('');
  category = $state<Category | 'all'>('all');
  withSuperseded = $state(false);
  withArchived = $state(false);
  onlyPinned = $state(false);
  order = $state<MemoryOrder>('updated');
  trust = $state<Origin | 'all'>('all');
  language = $state<Language | 'all'>('all');
  /** First kept at this time or later, and before that one. */
  since = $state<number | null>(null);
  until = $state<number | null>(null);
  /** The list as it was at a time; `null` for now. */
  asOf = $state.raw<{ at: number; axis: AsOfAxis } | null>(null);
  /** When the first memory was kept: where the look into the past begins. */
  oldest = $state<number | null>(null);
  withIrrelevant = $state(false);

  /** Row with the focus of the list; -1 when there is none. */
  active = $state(-1);
  /** The memory in the detail. */
  openId = $state<string | null>(null);
  detail = $state.raw<MemoryDetail | null>(null);
  detailError = $state.raw<EngineError | null>(null);
  /** A change that was refused, said beside the memory it was about. */
  problem = $state.raw<{ id: string; error: EngineError } | null>(null);
  /** Texts being written, by memory: they stay when another memory is looked at. */
  drafts = $state.raw<ReadonlyMap<string, string>>(new Map());
  saving = $state(false);
  selected = $state.raw<ReadonlyMap<string, Memory>>(new Map());
  batch = $state.raw<{ done: number; count: number } | null>(null);
  /** What became of a batch that was not done in full. */
  batchProblem = $state<string | null>(null);

  /** Gives the list the focus; set by the view. */
  onfocus: (() => void) | null = null;

  private searchTimer: ReturnType<typeof setTimeout> | undefined;
  private arrived: Place | null = null;
  private waitsForRow = false;
  private opening = false;
  private again = false;
  private anchor: { index: number; before: ReadonlyMap<string, Memory> } | null = null;
  private stopListening: (() => void) | null = null;

  constructor() {
    // The focus of the list may be ahead of its rows, as after End in a long list.
    this.pages.onread = () => {
      if (this.waitsForRow) this.activate(this.active);
    };
  }

  /** Follows the engine while the room is shown. */
  start() {
    this.stopListening ??= onStale(['memories'], () => {
      if (!this.batch) void this.refresh();
    });
    void this.health.load();
    void this.news.load();
    void this.pages.ask(this.question(), true).then(() => this.settle(false));
    if (this.openId) void this.readDetail();
  }

  stop() {
    this.stopListening?.();
    this.stopListening = null;
    this.onfocus = null;
  }

  /** Whether words are searched now; otherwise everything is listed. */
  get searching(): boolean {
    return (this.pages.answered?.text ?? '').replace(/\b(?:type|ns|is|from|since|before):\S*/gu, '').trim().length > 0;
  }

  get words(): string {
    return (this.pages.answered?.text ?? '').trim();
  }

  get filtered(): boolean {
    return this.category !== 'all' || this.withSuperseded || this.withArchived || this.onlyPinned || this.narrowed;
  }

  /** Whether trust, language or dates narrow the list. */
  get narrowed(): boolean {
    return this.trust !== 'all' || this.language !== 'all' || this.since !== null || this.until !== null;
  }

  /** Why meaning did not take part, when the model is the reason. */
  get wordsOnly(): 'loading' | 'off' | null {
    const embedding = this.health.value?.embedding;
    if (!this.searching || this.pages.meaningSearched || !embedding || embedding.state === 'ready') return null;
    return embedding.state === 'loading' ? 'loading' : 'off';
  }

  get draft(): string | null {
    return this.openId === null ? null : (this.drafts.get(this.openId) ?? null);
  }

  /** Why the memory in the detail was found, when the list shows a search that found it. */
  get openRow(): { index: number; why: NonNullable<NonNullable<MemoryPages['rows'][number]>['why']> } | null {
    const index = this.openId === null ? -1 : this.pages.indexOf(this.openId);
    const why = this.pages.rows[index]?.why;
    return why ? { index, why } : null;
  }

  type(text: string) {
    this.text = text;
    this.withIrrelevant = false;
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => void this.search(), SEARCH_AFTER_MS);
  }

  /** Changes a filter or the order and asks again. */
  filter(
    change: Partial<
      Pick<
        MemoriesStore,
        | 'category'
        | 'withSuperseded'
        | 'withArchived'
        | 'onlyPinned'
        | 'order'
        | 'trust'
        | 'language'
        | 'since'
        | 'until'
        | 'asOf'
      >
    >,
  ) {
    Object.assign(this, change);
    void this.search();
  }

  clearFilters() {
    this.filter({
      category: 'all',
      withSuperseded: false,
      withArchived: false,
      onlyPinned: false,
      trust: 'all',
      language: 'all',
      since: null,
      until: null,
    });
  }

  /** Looks at another time, or at now again. */
  async lookAt(asOf: MemoriesStore['asOf']): Promise<void> {
    this.filter({ asOf });
    if (asOf === null || this.oldest !== null) return;
    const query = { ...this.question(), as_of: null, narrow: null, text: '', categories: [], pinned: false };
    const every: Status[] = ['active', 'superseded', 'archived'];
    const page = (offset: number) =>
      call('list_memories', { query: { ...query, statuses: every, order: 'created', offset, limit: 1 } });
    const last = await page(0)
      .then(({ total }) => page(Math.max(0, total - 1)))
      .catch(() => null);
    this.oldest = last?.rows[0]?.memory.created_at ?? null;
  }

  /** Lists what is new since somebody last looked. */
  showNews() {
    if (this.news.value) this.filter({ since: this.news.value.since, order: 'created' });
  }

  async markSeen(): Promise<void> {
    const { value } = this.news;
    if (!value) return;
    await call('mark_seen', { at: value.until });
    if (this.since === value.since) this.filter({ since: null });
    await this.news.load();
  }

  /** The person says that the open memory is right: it is trusted as their own words. */
  async confirmTrust(): Promise<void> {
    const memory = this.openMemory();
    if (!memory) return;
    const run = () => call('confirm_memory', { id: memory.id, version: memory.version });
    await this.attempt(memory, run, t('memories.confirmed', { text: memory.text }), true);
  }

  /** The open memory was erased: the next one takes its place. */
  erased(id: string) {
    this.leave(new Set([id]));
  }

  showIrrelevant(shown: boolean) {
    this.withIrrelevant = shown;
    void this.search();
  }

  async search(): Promise<void> {
    clearTimeout(this.searchTimer);
    this.anchor = null;
    if (await this.pages.ask(this.question())) this.settle(true);
  }

  /** Reads again what is in view; something changed. */
  async refresh(): Promise<void> {
    if (await this.pages.ask(this.question(), true)) this.settle(false);
    if (this.openId) await this.readDetail();
  }

  /** Comes to a place in this room; whether it is a new one. Coming back to the last one leaves everything as it was. */
  arrive(place: Place): boolean {
    if (place === this.arrived) return false;
    this.arrived = place;
    if (place.search !== undefined && place.search !== this.text) {
      this.text = place.search;
      void this.search();
    }
    if (place.item !== null && place.item !== this.openId) this.open(place.item);
    return true;
  }

  /** Opens a memory in the detail. */
  open(id: string) {
    this.openId = id;
    this.active = this.pages.indexOf(id);
    void this.readDetail();
  }

  /** The row at this place gets the focus and is opened. */
  activate(index: number) {
    const row = this.pages.rows[index];
    this.active = index;
    this.waitsForRow = row === undefined;
    if (row && row.memory.id !== this.openId) this.open(row.memory.id);
  }

  /** Moves the focus by rows; with `extend` the rows on the way are selected. */
  move(by: number, extend = false) {
    const to = Math.min(Math.max(this.active + by, 0), this.pages.rows.length - 1);
    if (to < 0) return;
    if (extend) this.extendTo(to, this.active);
    else this.anchor = null;
    this.activate(to);
  }

  extendTo(index: number, from: number) {
    this.anchor ??= { index: Math.max(from, 0), before: this.selected };
    const selected = new Map(this.anchor.before);
    const [low, high] = [Math.min(this.anchor.index, index), Math.max(this.anchor.index, index)];
    for (const row of this.pages.rows.slice(low, high + 1)) if (row) selected.set(row.memory.id, row.memory);
    this.selected = selected;
  }

  /** The next extension starts anew. */
  endExtend() {
    this.anchor = null;
  }

  toggle(index: number) {
    const memory = this.pages.rows[index]?.memory;
    if (!memory) return;
    const selected = new Map(this.selected);
    if (!selected.delete(memory.id)) selected.set(memory.id, memory);
    this.selected = selected;
    this.anchor = null;
  }

  clearSelection() {
    this.selected = new Map();
    this.anchor = null;
    this.batchProblem = null;
  }

  edit() {
    const memory = this.openMemory();
    if (memory && memory.status !== 'deleted' && !this.drafts.has(memory.id)) this.write(memory.text, memory.id);
  }

  write(text: string, id = this.openId) {
    if (id !== null) this.drafts = new Map(this.drafts).set(id, text);
  }

  cancelEdit() {
    const drafts = new Map(this.drafts);
    if (this.openId !== null) drafts.delete(this.openId);
    this.drafts = drafts;
    this.problem = null;
  }

  /** Saves the written text as a new version. After a conflict the detail shows the other text, and saving again
   *  puts this one over it. */
  async save(): Promise<void> {
    const memory = this.openMemory();
    const text = this.draft?.trim();
    if (!memory || text === undefined || this.saving) return;
    const length = [...text].length;
    if (length < TEXT_CHARS.min || length > TEXT_CHARS.max) {
      const message = t('memories.text_length', { count: length });
      this.problem = { id: memory.id, error: { code: 'invalid_input', field: null, message } };
      return;
    }
    if (text === memory.text) return this.cancelEdit();
    this.saving = true;
    const done = await this.change(memory, { text }, t('memories.changed', { text }), true);
    this.saving = false;
    if (!done) return;
    const drafts = new Map(this.drafts);
    drafts.delete(memory.id);
    this.drafts = drafts;
  }

  async togglePin(): Promise<void> {
    const memory = this.openMemory();
    if (!memory) return;
    const text = t(memory.pinned ? 'memories.unpinned_done' : 'memories.pinned_done', { text: memory.text });
    await this.change(memory, { pinned: !memory.pinned }, text, false);
  }

  /** Takes one change of the open memory back, whichever it was. It is refused where something was changed since. */
  async undoChange(changeId: string): Promise<void> {
    const memory = this.openMemory();
    if (!memory) return;
    const run = () => call('undo_change', { changeId });
    if (await this.attempt(memory, run, t('memories.undone', { text: memory.text }), true)) return this.refresh();
    if (this.problem?.error.code === 'conflict') {
      const error: EngineError = { code: 'invalid_input', field: null, message: t('memories.undo_conflict') };
      this.problem = { id: memory.id, error };
    }
  }

  async setStatus(status: Extract<Status, 'active' | 'archived'>): Promise<void> {
    const memory = this.openMemory();
    if (!memory) return;
    const text = t(status === 'archived' ? 'memories.archived' : 'memories.restored', { text: memory.text });
    const leaves = status === 'archived' && !this.withArchived;
    if ((await this.change(memory, { status }, text, true)) && leaves) this.leave(new Set([memory.id]));
  }

  /** Deletes what is selected, or else the open memory. */
  async remove(): Promise<void> {
    if (this.selected.size > 0) return this.runBatch('delete');
    const memory = this.openMemory();
    if (!memory || memory.status === 'deleted') return;
    const text = t('memories.deleted', { text: memory.text });
    const run = () => call('delete_memory', { id: memory.id, version: memory.version });
    if (await this.attempt(memory, run, text, true)) this.leave(new Set([memory.id]));
  }

  /** Does one thing to everything that is selected; one Undo takes all of it back. */
  async runBatch(verb: BatchVerb): Promise<void> {
    if (this.batch || this.selected.size === 0) return;
    const { patch, done: doneKey, leaves } = BATCH[verb];
    const memories = [...this.selected.values()];
    const changes: string[] = [];
    const done = new Set<string>();
    this.batchProblem = null;
    for (const memory of memories) {
      this.batch = { done: done.size, count: memories.length };
      const args = { id: memory.id, version: memory.version };
      const written = await (
        verb === 'delete' ? call('delete_memory', args) : call('edit_memory', { ...args, patch })
      ).catch(() => null);
      if (!written) continue;
      done.add(memory.id);
      if (written.change_id) changes.push(written.change_id);
    }
    this.batch = null;
    const failed = memories.length - done.size;
    if (failed > 0) this.batchProblem = t('memories.batch_failed', { failed });
    this.selected = new Map([...this.selected].filter(([id]) => !done.has(id)));
    const first = memories[0];
    if (changes.length > 0 && first) {
      const undo = () => takeBack(changes).finally(() => this.comeBack(first.id));
      undoStack.record({ id: changes.join(), text: t(doneKey, { count: done.size }), undo }, true);
    }
    const gone = verb === 'delete' || (leaves && !this.withArchived);
    if (gone && done.size > 0) this.leave(done);
    await this.refresh();
  }

  /** The open memory in its newest known version. */
  openMemory(): Memory | null {
    const shown = this.detail?.memory;
    const row = this.openId === null ? undefined : this.pages.rows[this.pages.indexOf(this.openId)]?.memory;
    if (shown?.id !== this.openId) return row ?? null;
    return row && row.version > shown.version ? row : shown;
  }

  private question(): Question {
    const statuses: Status[] = ['active'];
    if (this.withSuperseded) statuses.push('superseded');
    if (this.withArchived) statuses.push('archived');
    // Without a filter the box decides: `is:archived` then shows archived memories only.
    const plain = statuses.length === 1;
    return {
      text: this.text,
      categories: this.category === 'all' ? [] : [this.category],
      statuses: plain ? [] : statuses,
      pinned: this.onlyPinned,
      order: this.order,
      with_irrelevant: this.withIrrelevant,
      narrow: this.narrowed ? this.narrow() : null,
      as_of: this.asOf,
    };
  }

  private narrow(): Narrow {
    return {
      trusts: this.trust === 'all' ? [] : [this.trust],
      source: null,
      languages: this.language === 'all' ? [] : [this.language],
      since: this.since,
      until: this.until,
    };
  }

  /** Puts the focus of the list where it belongs after an answer. */
  private settle(asked: boolean) {
    const at = this.openId === null ? -1 : this.pages.indexOf(this.openId);
    if (at >= 0) this.active = at;
    else if (this.pages.rows.length > 0 && (asked || this.openId === null)) this.activate(0);
    else this.active = Math.min(asked ? -1 : this.active, this.pages.rows.length - 1);
  }

  /** Rows left the list: the next one takes the focus, else the one before, else nothing is open. */
  private leave(ids: ReadonlySet<string>) {
    const at = Math.max(0, this.active);
    const before = this.pages.rows.slice(0, at).filter((row) => row && ids.has(row.memory.id)).length;
    this.pages.drop(ids);
    const next = Math.min(at - before, this.pages.rows.length - 1);
    if (this.openId !== null && ids.has(this.openId)) {
      this.openId = null;
      this.detail = null;
    }
    if (next >= 0) this.activate(next);
    else this.active = -1;
    this.onfocus?.();
  }

  private async comeBack(id: string) {
    this.openId = id;
    await this.refresh();
    this.active = this.pages.indexOf(id);
    this.onfocus?.();
  }

  private change(memory: Memory, patch: MemoryPatch, text: string, announce: boolean): Promise<boolean> {
    const run = () => call('edit_memory', { id: memory.id, version: memory.version, patch });
    return this.attempt(memory, run, text, announce);
  }

  private async attempt(
    memory: Memory,
    run: () => Promise<Written>,
    text: string,
    announce: boolean,
  ): Promise<boolean> {
    this.problem = null;
    try {
      const { change_id: changeId, results } = await run();
      for (const { memory: now } of results) if (now) this.take(now);
      if (changeId) {
        const undo = () => call('undo_change', { changeId }).then(() => this.comeBack(memory.id));
        undoStack.record({ id: changeId, text, undo }, announce);
      }
      return true;
    } catch (thrown) {
      this.problem = { id: memory.id, error: asEngineError(thrown) };
      await this.refresh();
      return false;
    }
  }

  /** Shows a memory as the engine says it is now, before everything is read again. */
  private take(memory: Memory) {
    this.pages.replace(memory);
    if (this.detail?.memory.id === memory.id) this.detail = { ...this.detail, memory };
  }

  /** Reads the open memory. While one read runs, moving on only changes which one is read next. */
  private async readDetail() {
    if (this.opening) {
      this.again = true;
      return;
    }
    this.opening = true;
    do {
      this.again = false;
      const id = this.openId;
      if (id === null) break;
      try {
        const detail = await call('open_memory', { id });
        if (id === this.openId) {
          this.detail = detail;
          this.detailError = null;
        }
      } catch (thrown) {
        if (id === this.openId) this.detailError = asEngineError(thrown);
      }
    } while (this.again);
    this.opening = false;
  }
}

/** Takes changes back, the last one first. All are tried; the first refusal is told. */
async function takeBack(changes: readonly string[]): Promise<void> {
  let refusal: unknown = null;
  for (const changeId of [...changes].reverse()) {
    await call('undo_change', { changeId }).catch((thrown: unknown) => (refusal ??= thrown));
  }
  if (refusal !== null) throw asEngineError(refusal);
}

/** The room keeps its search and its place while other rooms are looked at. */
export const memories = new MemoriesStore();
