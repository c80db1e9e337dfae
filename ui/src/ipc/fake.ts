// A stand-in for the engine that runs inside the page: for tests, plain browsers and design checks. It keeps the
// contract (answers, errors, events, tags) and holds realistic English and Korean data in memory.
import type { Commands } from './generated/commands';
import type {
  ChangeReason,
  EngineError,
  Event,
  Health,
  JsonValue,
  Memory,
  MemoryQuery,
  Message,
  Narrow,
  Startup,
  Tag,
  Written,
} from './generated/types';
import { makeWorld, memoryOf, outputOf, USER, whyOf, type World } from './fake/data';
import { explain } from './fake/explain';
import { inspectHandlers } from './fake/inspect';
import { addMore } from './fake/more';
import { playTurn, searchMemories } from './fake/turn';
import type { CommandName, Platform } from './platform';

export interface FakeOptions {
  /** Milliseconds that one step of a turn takes; 0 plays it as fast as it goes. */
  stepMs?: number;
  /** Settings that differ from the defaults. */
  settings?: Record<string, JsonValue>;
  /** Why the data cannot be opened. */
  startupError?: EngineError | null;
  /** A failure to play in turns: `disk_full` or `model_failed`. */
  fault?: string | null;
  /** Nothing in it yet. */
  empty?: boolean;
  /** The embedding model does not work. */
  wordsOnly?: boolean;
  /** So many more memories, and so many more review items. */
  more?: { memories?: number; review?: number };
  now?: () => number;
}

type Handlers = { [K in CommandName]: (args: Commands[K]['arguments']) => Commands[K]['answer'] };

const FILTER_VALUES: Record<string, string[]> = {
  type: ['preference', 'decision', 'pattern', 'profile', 'instruction', 'project', 'reference'],
  is: ['pinned', 'active', 'archived', 'superseded'],
};

const refuse = (code: EngineError['code'], message: string, field: string | null = null): never => {
  throw { code, field, message } satisfies EngineError;
};

export class FakePlatform implements Platform {
  readonly world: World;
  /** Every command that was called, for tests. */
  readonly calls: { name: CommandName; args: unknown }[] = [];
  /** Makes the next call of a command fail. */
  readonly failures = new Map<CommandName, EngineError>();
  fault: string | null;

  private readonly listeners = new Set<(event: Event) => void>();
  private readonly stops = new Set<string>();
  private readonly changes = new Map<string, () => void>();
  private readonly versions = new Map<string, { memory: Memory; changed_at: number; reason: ChangeReason }[]>();
  private ids = 0;
  private readonly options: FakeOptions;

  constructor(options: FakeOptions = {}) {
    this.options = options;
    this.fault = options.fault ?? null;
    this.world = makeWorld(this.now());
    addMore(this.world, options.more ?? {}, this.now());
    if (options.empty) Object.assign(this.world, { threads: [], messages: [], turns: [], memories: [], review: [] });
    for (const [name, value] of Object.entries(options.settings ?? {})) {
      const setting = this.world.settings.find((entry) => entry.name === name);
      if (setting) setting.value = value;
    }
    // Undo of what the example threads saved.
    for (const turn of this.world.turns) {
      const ids = turn.output.stored_updates.map((stored) => stored.memory_id);
      if (turn.output.change_id) this.changes.set(turn.output.change_id, () => this.remove(ids));
    }
  }

  async call<K extends CommandName>(name: K, args: Commands[K]['arguments']): Promise<Commands[K]['answer']> {
    this.calls.push({ name, args });
    await Promise.resolve();
    const failure = this.failures.get(name);
    if (failure) {
      this.failures.delete(name);
      throw failure;
    }
    return structuredClone((this.handlers[name] as Handlers[K])(args));
  }

  listen(handler: (event: Event) => void): Promise<() => void> {
    this.listeners.add(handler);
    return Promise.resolve(() => this.listeners.delete(handler));
  }

  /** Sends an event, as the engine would. */
  emit = (event: Event) => {
    for (const listener of this.listeners) listener(structuredClone(event));
  };

  private changed(...tags: Tag[]) {
    this.emit({ type: 'changed', tags });
  }

  private now = () => (this.options.now ?? Date.now)();
  private newId = (kind: string) => `${kind}-new-${++this.ids}`;
  private thread = (id: string) =>
    this.world.threads.find((entry) => entry.id === id) ?? refuse('not_found', `no thread \`${id}\``);
  private memory = (id: string) =>
    this.world.memories.find((entry) => entry.id === id) ?? refuse('not_found', `no memory \`${id}\``);

  private remove(ids: string[]) {
    for (const memory of this.world.memories) {
      if (ids.includes(memory.id)) memory.status = 'deleted';
      if (memory.superseded_by && ids.includes(memory.superseded_by)) {
        Object.assign(memory, { status: 'active', valid_to: null, superseded_by: null });
      }
    }
    this.changed('memories', 'health');
  }

  private health(): Health {
    return {
      version: '0.1.0',
      data_dir: '~/.local/share/reverie',
      memories: this.world.memories.filter((memory) => memory.status === 'active').length,
      waiting: this.world.review.filter((item) => item.status === 'pending').length,
      without_vector: 0,
      store_ok: true,
      store_error: null,
      database_bytes: 4_096 * (600 + this.world.memories.length),
      embedding: this.options.wordsOnly
        ? { state: 'failed', model: 'all-MiniLM-L6-v2', reason: 'the model file is missing' }
        : { state: 'ready', model: 'all-MiniLM-L6-v2' },
      chat_model: null,
      troubles: this.options.wordsOnly
        ? [{ kind: 'embedding', message: 'model.safetensors: no such file', at: this.now() - 90_000, times: 3 }]
        : [],
      chat_problem: null,
    };
  }

  private written(memory: Memory, before: Memory | null, undo: () => void, reason: ChangeReason): Written {
    const changeId = this.newId('change');
    const history =
      this.versions.get(memory.id) ??
      (before ? [{ memory: before, changed_at: before.updated_at, reason: 'turn' as const }] : []);
    history.push({ memory: structuredClone(memory), changed_at: this.now(), reason });
    this.versions.set(memory.id, history);
    this.changes.set(changeId, undo);
    const status = before ? ('updated' as const) : ('created' as const);
    const result = { namespace: memory.namespace, key: memory.key, status, memory, replaced: null, error: null };
    return { change_id: changeId, results: [result] };
  }

  /** Changes a memory after the version check, and remembers how to take it back. */
  private change(id: string, version: number, patch: Partial<Memory>, reason: ChangeReason): Written {
    const memory = this.memory(id);
    if (memory.version !== version) refuse('conflict', 'the memory was changed somewhere else');
    const before = structuredClone(memory);
    Object.assign(memory, patch, { version: version + 1, updated_at: this.now() });
    return this.written(memory, before, () => Object.assign(memory, before, { version: memory.version + 1 }), reason);
  }

  private list(query: MemoryQuery): Commands['list_memories']['answer'] {
    const statuses = query.statuses.length > 0 ? query.statuses : ['active'];
    const filters = [...query.text.matchAll(/(type|is):(\S+)/gu)];
    for (const [, name = '', value = ''] of filters) {
      if (!FILTER_VALUES[name]?.includes(value)) refuse('invalid_input', `${name}: not \`${value}\`.`, name);
    }
    const text = query.text.replace(/(type|is):\S+/gu, '').trim();
    const { as_of: asOf, narrow } = query;
    const wanted = (memory: Memory) =>
      (asOf ? heldAt(memory, asOf.at) : statuses.includes(memory.status)) &&
      (!narrow || meets(memory, narrow)) &&
      (query.categories.length === 0 || query.categories.includes(memory.category)) &&
      (!query.pinned || memory.pinned) &&
      filters.every(([, name, value]) =>
        name === 'type' ? memory.category === value : value === 'pinned' ? memory.pinned : memory.status === value,
      );
    const all = this.world.memories.filter(wanted);
    const sorted = [...all].sort((a, b) =>
      query.order === 'text'
        ? a.text.localeCompare(b.text)
        : query.order === 'created'
          ? b.created_at - a.created_at
          : query.order === 'recalled'
            ? (b.last_recalled_at ?? 0) - (a.last_recalled_at ?? 0)
            : b.updated_at - a.updated_at,
    );
    const found =
      text && !asOf
        ? searchMemories(this.world, text, statuses as Memory['status'][])
            .filter(({ memory }) => wanted(memory))
            .map(({ memory, words }, index) => ({ memory, why: whyOf(index + 1, index + 2, words, 3) }))
        : sorted.map((memory) => ({ memory, why: null }));
    const limit = query.limit || 100;
    return {
      rows: found.slice(query.offset, query.offset + limit),
      total: found.length,
      of: all.length,
      left_out:
        text && found.length === 0
          ? sorted
              .slice(0, 2)
              .map((memory) => ({ memory_id: memory.id, text: memory.text, reason: 'below_floor' as const }))
          : [],
      meaning_searched: this.options.wordsOnly !== true,
    };
  }

  private send(threadId: string, text: string): Commands['send_message']['answer'] {
    const thread = this.thread(threadId);
    if (!text.trim()) refuse('invalid_input', 'the message is empty', 'text');
    const running = this.world.turns.some((turn) => turn.thread_id === threadId && turn.next !== null);
    if (running) refuse('turn_running', 'the last message is still being answered');
    const user = this.addMessage(threadId, 'user', text);
    if (!thread.title) thread.title = text.slice(0, 40);
    Object.assign(thread, { snippet: text.slice(0, 60), updated_at: this.now() });
    const turnId = this.newId('turn');
    user.turn_id = turnId;
    const turn = {
      turn_id: turnId,
      user_message: user.id,
      next: 'prepare_turn' as const,
      output: outputOf({ trace: [] }),
    };
    this.world.turns.push({ ...turn, thread_id: threadId });
    this.play(user);
    return { turn_id: turnId, user_message: user };
  }

  private addMessage(threadId: string, role: Message['role'], text: string): Message {
    const seq = this.world.messages.length + 1;
    const message: Message = {
      id: this.newId('message'),
      thread_id: threadId,
      seq,
      role,
      text,
      created_at: this.now(),
      state: role === 'user' ? 'complete' : 'streaming',
      answered_by: role === 'user' ? null : { by: 'memory' },
      turn_id: null,
    };
    this.world.messages.push(message);
    return message;
  }

  private play(user: Message) {
    const turnId = user.turn_id ?? '';
    const answer = this.addMessage(user.thread_id, 'assistant', '');
    answer.turn_id = turnId;
    const step = this.options.stepMs ?? 60;
    const script = {
      world: this.world,
      emit: this.emit,
      pause: (factor: number) => new Promise<void>((done) => setTimeout(done, step * factor)),
      stopped: () => this.stops.has(turnId),
      fault: this.fault,
      now: this.now,
      newId: this.newId,
    };
    void playTurn(script, user, answer.id).then(() => {
      const turn = this.world.turns.find((entry) => entry.turn_id === turnId);
      const ids = turn?.output.stored_updates.map((stored) => stored.memory_id) ?? [];
      if (turn?.output.change_id) this.changes.set(turn.output.change_id, () => this.remove(ids));
    });
  }

  private decide({ id, decision }: Commands['decide_review']['arguments']): Written {
    const item = this.world.review.find((entry) => entry.id === id) ?? refuse('not_found', 'no such item');
    if (item.status === 'decided') refuse('conflict', 'decided somewhere else');
    Object.assign(item, { status: 'decided', decision, decided_at: this.now() });
    this.changed('health');
    const { candidate, existing } = item.waiting;
    if (decision.verb === 'reject' || !candidate) return { change_id: null, results: [] };
    const text = decision.verb === 'edit' ? decision.text : candidate.text;
    const memory = memoryOf(this.newId('memory'), candidate.category, text, this.now(), {
      evidence: candidate.evidence,
    });
    this.world.memories.unshift(memory);
    if (existing && decision.verb !== 'keep_both') {
      const old = this.world.memories.find((entry) => entry.id === existing.id);
      if (old) Object.assign(old, { status: 'superseded', superseded_by: memory.id, valid_to: this.now() });
    }
    const written = this.written(memory, null, () => this.remove([memory.id]), 'review');
    item.change_id = written.change_id;
    return written;
  }

  private startup(): Startup {
    const error = this.options.startupError ?? null;
    const settings = this.world.settings;
    return { error, user_id: USER, settings, health: error ? null : this.health() };
  }

  private readonly handlers: Handlers = {
    startup: () => this.startup(),
    first_paint: () => null,
    health: () => this.health(),
    find_chat_models: () => [],
    list_threads: ({ search, archived }) =>
      this.world.threads
        .filter((thread) => thread.archived === archived && !this.stops.has(`deleted:${thread.id}`))
        .filter((thread) => !search || `${thread.title} ${thread.snippet}`.toLowerCase().includes(search.toLowerCase()))
        .sort((a, b) => b.updated_at - a.updated_at),
    open_thread: ({ id }) => ({
      thread: this.thread(id),
      messages: this.world.messages.filter((message) => message.thread_id === id),
      turns: this.world.turns.filter((turn) => turn.thread_id === id),
    }),
    create_thread: ({ temporary }) => {
      const id = this.newId('thread');
      const at = this.now();
      const thread = {
        id,
        title: '',
        snippet: '',
        created_at: at,
        updated_at: at,
        archived: false,
        temporary,
        waiting: 0,
      };
      this.world.threads.push(thread);
      return thread;
    },
    rename_thread: ({ id, title }) => {
      if (!title.trim()) refuse('invalid_input', 'a title needs 1 to 200 characters', 'title');
      this.thread(id).title = title;
      return null;
    },
    archive_thread: ({ id, archived }) => {
      this.thread(id).archived = archived;
      return null;
    },
    delete_thread: ({ id, deleted }) => {
      this.thread(id);
      if (deleted) this.stops.add(`deleted:${id}`);
      else this.stops.delete(`deleted:${id}`);
      return null;
    },
    send_message: ({ threadId, text }) => this.send(threadId, text),
    stop_answer: ({ turnId }) => {
      this.stops.add(turnId);
      return null;
    },
    retry_turn: ({ turnId }) => {
      const turn = this.world.turns.find((entry) => entry.turn_id === turnId) ?? refuse('not_found', 'no such turn');
      const user = this.world.messages.find((message) => message.id === turn.user_message);
      if (!user) return refuse('not_found', 'no such message');
      this.world.messages = this.world.messages.filter((entry) => entry.turn_id !== turnId || entry.role === 'user');
      Object.assign(turn, { next: 'prepare_turn', output: outputOf({ trace: [] }) });
      this.stops.delete(turnId);
      this.fault = null;
      this.play(user);
      return null;
    },
    list_memories: ({ query }) => this.list(query),
    open_memory: ({ id }) => {
      const memory = this.memory(id);
      const messageId = memory.evidence?.message_id;
      const message = this.world.messages.find((entry) => entry.id === messageId) ?? null;
      const first = [{ memory, changed_at: memory.created_at, reason: 'turn' as const }];
      const history = (this.versions.get(id) ?? first).map((version, index) => ({
        ...version,
        change_id: `${id}-${index}`,
      }));
      return {
        memory,
        history,
        replaced: this.world.memories.find((entry) => entry.id === memory.supersedes) ?? null,
        replaced_by: this.world.memories.find((entry) => entry.id === memory.superseded_by) ?? null,
        thread: message ? this.thread(message.thread_id) : null,
        message,
        has_vector: true,
      };
    },
    explain_search: ({ probe }) => explain(this.world, probe, this.options.wordsOnly !== true),
    add_memory: ({ memory: input }) => {
      if (input.text.trim().length < 3) refuse('invalid_input', 'a memory needs 3 to 500 characters', 'text');
      const memory = memoryOf(this.newId('memory'), input.category ?? 'preference', input.text.trim(), this.now());
      this.world.memories.unshift(memory);
      this.changed('health');
      return this.written(memory, null, () => this.remove([memory.id]), 'manual');
    },
    edit_memory: ({ id, version, patch }) => this.change(id, version, patch, 'manual'),
    delete_memory: ({ id, version }) => {
      const written = this.change(id, version, { status: 'deleted' }, 'manual');
      this.changed('health');
      return written;
    },
    undo_change: ({ changeId }) => {
      const undo = this.changes.get(changeId) ?? refuse('not_found', 'no such change');
      this.changes.delete(changeId);
      undo();
      this.changed('health');
      return { change_id: null, results: [] };
    },
    list_review: ({ status }) => this.world.review.filter((item) => item.status === status),
    decide_review: (args) => this.decide(args),
    undo_review: ({ id }) => {
      const item = this.world.review.find((entry) => entry.id === id) ?? refuse('not_found', 'no such item');
      if (item.change_id) this.changes.get(item.change_id)?.();
      Object.assign(item, { status: 'pending', decision: null, decided_at: null, change_id: null });
      this.changed('health');
      return null;
    },
    ...inspectHandlers({
      world: () => this.world,
      now: () => this.now(),
      memory: (id) => this.memory(id),
      remove: (ids) => this.remove(ids),
      handle: (name, args) => (this.handlers[name] as Handlers[typeof name])(args),
    }),
    list_settings: () => this.world.settings,
    save_setting: ({ name, value }) => {
      const setting =
        this.world.settings.find((entry) => entry.name === name) ?? refuse('not_found', `no setting \`${name}\``);
      if (setting.set_by) refuse('invalid_input', `set by ${setting.set_by}`, name);
      if (!fits(setting.allowed, value)) refuse('invalid_input', `${name}: ${setting.allowed}`, name);
      setting.value = value;
      return null;
    },
  };
}

/** Whether a value is in the range that the sentence names; only numbers have one. */
function fits(allowed: string, value: JsonValue): boolean {
  const range = allowed.match(/^a whole number.* from (\d+) to (\d+)$/u);
  if (!range) return true;
  return Number.isInteger(value) && Number(value) >= Number(range[1]) && Number(value) <= Number(range[2]);
}

const heldAt = (memory: Memory, at: number) =>
  memory.status !== 'deleted' && memory.valid_from <= at && (memory.valid_to === null || memory.valid_to > at);

const meets = (memory: Memory, narrow: Narrow) =>
  (narrow.trusts.length === 0 || narrow.trusts.includes(memory.trust)) &&
  (narrow.languages.length === 0 || narrow.languages.includes(memory.language)) &&
  memory.created_at >= (narrow.since ?? -Infinity) &&
  memory.created_at < (narrow.until ?? Infinity);

/** The stand-in of a plain browser, set up from the address: `?lang=ko&theme=dark&size=200&onboarding&startup=damaged`. */
export function fakeFromAddress(search: string): FakePlatform {
  const asked = new URLSearchParams(search);
  const startup = asked.get('startup') as EngineError['code'] | null;
  return new FakePlatform({
    empty: asked.has('empty') || asked.has('onboarding'),
    fault: asked.get('fault'),
    wordsOnly: asked.has('words-only'),
    more: { memories: Number(asked.get('memories') ?? 0), review: Number(asked.get('review') ?? 0) },
    startupError: startup ? { code: startup, field: null, message: 'reverie.db: quick_check failed on page 41' } : null,
    settings: {
      'ui.onboarded': !asked.has('onboarding'),
      'ui.language': asked.get('lang') ?? 'system',
      'ui.theme': asked.get('theme') ?? 'system',
      'ui.textSize': Number(asked.get('size') ?? 100),
    },
  });
}
