// The store of the conversations: threads, the open one, the turns that run, and what was typed and not yet sent.
import {
  asEngineError,
  call,
  onEvent,
  resource,
  type EngineError,
  type Event,
  type Resource,
  type ReviewItem,
  type SettingView,
  type Thread,
  type ThreadMode,
  type ThreadId,
  type ThreadView,
  type TurnId,
} from '$ipc';
import { errorText, t, toast, undoStack } from '$shared';
import { MemoryStates } from './memory-states.svelte';
import { shownTurns, type LiveTurn, type ShownTurn } from './turns';

/** A thread that does not exist yet: it is created with its first message. */
export type OpenId = ThreadId | 'new' | 'temporary';

export class ChatStore {
  /** What the search field of the thread list holds. */
  search = $state('');
  /** The list shows archived threads. */
  archived = $state(false);
  openId = $state<OpenId>('new');
  /** Why the last message of a thread could not be sent; its text is still in the box. */
  readonly sendErrors = $state<Record<OpenId, EngineError | null>>({});
  readonly drafts = $state<Record<OpenId, string>>({});
  /** Long pasted texts, kept beside the box: a text field with a megabyte in it would freeze the window. */
  readonly pasted = $state<Record<OpenId, string>>({});
  readonly live = $state<Record<TurnId, LiveTurn>>({});
  readonly threads: Resource<Thread[]>;
  readonly memories = new MemoryStates();
  private readonly pendingRead: Resource<ReviewItem[]>;
  private readonly settingsRead: Resource<SettingView[]>;
  private readonly viewRead: Resource<ThreadView | null>;
  private sending = $state(false);
  private readonly stopEvents: () => void;

  constructor() {
    this.threads = resource(['threads', 'review'], () =>
      call('list_threads', { search: this.search.trim() || null, archived: this.archived }),
    );
    this.viewRead = resource<ThreadView | null>(['messages'], async () => {
      const id = this.openId;
      return id === 'new' || id === 'temporary' ? null : await call('open_thread', { id });
    });
    this.pendingRead = resource(['review'], () => call('list_review', { status: 'pending' }));
    this.settingsRead = resource(['settings'], () => call('list_settings', {}));
    this.stopEvents = onEvent((event) => this.hear(event));
  }

  /** Loads what the room shows at once. */
  async start(): Promise<void> {
    await Promise.all([this.threads.load(), this.pendingRead.load(), this.settingsRead.load(), this.viewRead.load()]);
  }

  stop() {
    this.stopEvents();
    this.memories.stop();
    for (const read of [this.threads, this.viewRead, this.pendingRead, this.settingsRead]) read.stop();
  }

  // ---- what is shown

  /** The open thread; `null` while it loads, and for one that does not exist yet. */
  get view(): ThreadView | null {
    const view = this.viewRead.value;
    return view && view.thread.id === this.openId ? view : null;
  }

  get viewError(): EngineError | null {
    return this.isUnborn ? null : this.viewRead.error;
  }

  get isUnborn(): boolean {
    return this.openId === 'new' || this.openId === 'temporary';
  }

  get isTemporary(): boolean {
    return this.openId === 'temporary' || this.view?.thread.temporary === true;
  }

  get turns(): ShownTurn[] {
    return this.view ? shownTurns(this.view, this.live) : [];
  }

  /** The turn that is being answered in the open thread. */
  get answering(): ShownTurn | null {
    return this.turns.find((turn) => turn.phase === 'answering') ?? null;
  }

  get draft(): string {
    return this.drafts[this.openId] ?? '';
  }

  set draft(text: string) {
    this.drafts[this.openId] = text;
  }

  /** The long text that goes with the message; empty when there is none. */
  get pastedText(): string {
    return this.pasted[this.openId] ?? '';
  }

  set pastedText(text: string) {
    this.pasted[this.openId] = text;
  }

  /** The whole message: what was typed, then what was pasted. */
  get message(): string {
    return [this.draft, this.pastedText].filter((text) => text.trim() !== '').join('\n\n');
  }

  get sendError(): EngineError | null {
    return this.sendErrors[this.openId] ?? null;
  }

  get busySending(): boolean {
    return this.sending;
  }

  /** Whether such a review item still waits; while the queue is unknown, it is taken for waiting. */
  waits(reviewId: string): boolean {
    return this.pendingRead.value?.some((item) => item.id === reviewId) ?? true;
  }

  /** The switch "Remembering". */
  get remembering(): SettingView | null {
    return this.settingsRead.value?.find((setting) => setting.name === 'memoryEnabled') ?? null;
  }

  // ---- verbs

  async open(id: OpenId): Promise<void> {
    this.openId = id;
    await this.viewRead.load();
    this.checkMemories();
  }

  async find(search: string): Promise<void> {
    this.search = search;
    await this.threads.load();
  }

  async showArchived(archived: boolean): Promise<void> {
    this.archived = archived;
    await this.threads.load();
  }

  /** Sends what is typed. The text leaves the box only when the engine has it. Returns the thread it went to. */
  async send(): Promise<ThreadId | null> {
    const text = this.message;
    const [draft, pasted] = [this.draft, this.pastedText];
    if (this.sending || text.trim() === '') return null;
    const from = this.openId;
    this.sending = true;
    this.sendErrors[from] = null;
    let id = from;
    try {
      if (from === 'new' || from === 'temporary') {
        const thread = await call('create_thread', { temporary: from === 'temporary' });
        id = thread.id;
        // From here on the text belongs to the thread that now exists, also if sending fails.
        this.drafts[id] = draft;
        this.pasted[id] = pasted;
        this.drafts[from] = this.pasted[from] = '';
        if (this.openId === from) this.openId = id;
      }
      const started = await call('send_message', { threadId: id, text });
      if (this.drafts[id] === draft) this.drafts[id] = '';
      if (this.pasted[id] === pasted) this.pasted[id] = '';
      this.watch(started.turn_id, id);
      if (this.openId === id) await this.viewRead.load();
      return id;
    } catch (thrown) {
      this.sendErrors[id] = asEngineError(thrown);
      return id === from ? null : id;
    } finally {
      this.sending = false;
    }
  }

  async stopAnswer(): Promise<void> {
    const turnId = this.answering?.turnId;
    if (turnId) await this.attempt(() => call('stop_answer', { turnId }));
  }

  async retry(turnId: TurnId): Promise<void> {
    delete this.live[turnId];
    const failed = await this.attempt(() => call('retry_turn', { turnId }));
    if (!failed) {
      this.watch(turnId, this.openId);
      await this.viewRead.load();
    }
  }

  async rename(thread: Thread, title: string): Promise<EngineError | null> {
    try {
      await call('rename_thread', { id: thread.id, title });
      await this.viewRead.load();
      return null;
    } catch (thrown) {
      return asEngineError(thrown);
    }
  }

  async archive(thread: Thread, archived: boolean): Promise<void> {
    const failed = await this.attempt(() => call('archive_thread', { id: thread.id, archived }));
    if (failed) return;
    const text = archived
      ? t('chat.archived', { title: titleOf(thread) })
      : t('chat.unarchived', { title: titleOf(thread) });
    const undo = () => call('archive_thread', { id: thread.id, archived: !archived });
    undoStack.record({ id: `archive:${thread.id}`, text, undo }, true);
  }

  async delete(thread: Thread): Promise<boolean> {
    const failed = await this.attempt(() => call('delete_thread', { id: thread.id, deleted: true }));
    if (failed) return false;
    const text = t('chat.deleted', { title: titleOf(thread) });
    const undo = () => call('delete_thread', { id: thread.id, deleted: false });
    undoStack.record({ id: `delete:${thread.id}`, text, undo }, true);
    return true;
  }

  /** Takes back what a turn saved. */
  async undoSaved(changeId: string): Promise<void> {
    const failed = await this.attempt(() => call('undo_change', { changeId }));
    if (failed) return;
    undoStack.drop(changeId);
    this.memories.forgetAll();
    this.checkMemories();
  }

  async setRemembering(on: boolean): Promise<void> {
    await this.attempt(() => call('save_setting', { name: 'memoryEnabled', value: on }));
  }

  /** Sets what the open thread keeps and whether memories are used in it; what is not named stays. */
  async setMode(change: ThreadMode): Promise<void> {
    const thread = this.view?.thread;
    if (!thread) return;
    const mode = { capture: thread.capture ?? null, recall: thread.recall ?? null, ...change };
    await this.attempt(() => call('set_thread_mode', { id: thread.id, mode }));
    await this.viewRead.load();
  }

  /** Asks which of the memories that the open thread names are still remembered. */
  checkMemories() {
    const outputs = this.turns.map((turn) => turn.output).filter((output) => output !== null);
    this.memories.check(
      outputs.flatMap((output) => [
        ...output.stored_updates.map((stored) => stored.memory_id),
        ...output.retrieved_memories.map((found) => found.hit.memory.id),
      ]),
    );
  }

  /** Runs a command; says a failure in a toast and returns it. */
  private async attempt(run: () => Promise<unknown>): Promise<EngineError | null> {
    try {
      await run();
      return null;
    } catch (thrown) {
      const error = asEngineError(thrown);
      toast.show({ kind: 'failed', text: errorText(error) });
      return error;
    }
  }

  // ---- events

  private watch(turnId: TurnId, threadId: ThreadId): LiveTurn {
    this.live[turnId] ??= {
      turnId,
      threadId,
      node: null,
      nodeSince: Date.now(),
      text: '',
      phase: 'answering',
      answeredAt: 0,
      output: null,
    };
    return this.live[turnId];
  }

  private hear(event: Event) {
    if (event.type === 'changed' || event.type === 'review_count') return;
    const known = event.turn_id in this.live;
    const turn = this.watch(event.turn_id, event.thread_id);
    switch (event.type) {
      case 'node_started':
        if (event.node === 'prepare_turn') Object.assign(turn, { text: '', phase: 'answering', output: null });
        Object.assign(turn, { node: event.node, nodeSince: Date.now() });
        break;
      case 'answer_piece':
        // The window opened in the middle of this answer: what is stored is shown until the answer is complete.
        if (!known) turn.text = null;
        if (turn.text !== null) turn.text += event.piece;
        break;
      case 'answered':
        Object.assign(turn, { phase: 'keeping', answeredAt: Date.now(), output: event.output });
        this.refresh(event.thread_id);
        break;
      case 'turn_ended':
        Object.assign(turn, { phase: 'ended', node: null, output: event.output });
        this.recordSaved(event.output);
        this.refresh(event.thread_id);
        break;
    }
  }

  private recordSaved({ change_id: id, stored_updates: stored }: Extract<Event, { type: 'turn_ended' }>['output']) {
    const first = stored[0];
    if (!id || !first) return;
    const undo = async () => {
      await call('undo_change', { changeId: id });
      this.memories.forgetAll();
      this.checkMemories();
    };
    undoStack.record({ id, text: t('strip.saved_plain', { text: first.text }), undo });
  }

  private refresh(threadId: ThreadId) {
    if (this.openId === threadId) void this.viewRead.load().then(() => this.checkMemories());
  }
}

export function titleOf(thread: Thread): string {
  return thread.title || (thread.temporary ? t('chat.temporary') : t('chat.untitled'));
}
