// The people, threads and memories of the stand-in: a developer in Seattle who travels, in English and Korean.
import type {
  Category,
  Evidence,
  FinalOutput,
  Memory,
  Message,
  Node,
  RetrievedMemory,
  ReviewItem,
  ReviewReason,
  SettingView,
  StoredUpdate,
  Thread,
  TurnView,
  Why,
} from '../generated/types';

export const USER = 'user-mina';
const NAMESPACE = ['user', USER];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const isKorean = (text: string) => /[가-힣]/.test(text);

export function memoryOf(id: string, category: Category, text: string, at: number, more: Partial<Memory> = {}): Memory {
  return {
    id,
    owner: USER,
    namespace: NAMESPACE,
    key: `${category}:${id}`,
    memory_type: category === 'instruction' ? 'procedural' : 'semantic',
    category,
    text,
    value: text,
    polarity: 'positive',
    subject: 'user',
    slot: null,
    topic: '',
    tags: [],
    language: isKorean(text) ? 'ko' : 'en',
    evidence: null,
    source: 'user',
    trust: 'user',
    confidence: 0.93,
    valid_from: at,
    valid_to: null,
    status: 'active',
    pinned: false,
    content_hash: `sha256-of-${id}`,
    version: 1,
    supersedes: null,
    superseded_by: null,
    created_at: at,
    updated_at: at,
    last_confirmed_at: at,
    confirmations: 1,
    recall_count: 0,
    last_recalled_at: null,
    ...more,
  };
}

/** Evidence for words of a message: the span counts Unicode scalar values, as the engine does. */
export function evidenceOf(message: Message, quote: string): Evidence {
  const before = message.text.slice(0, Math.max(0, message.text.indexOf(quote)));
  const start = [...before].length;
  return {
    thread_id: message.thread_id,
    message_id: message.id,
    start,
    end: start + [...quote].length,
    quote,
    said_at: message.created_at,
  };
}

export function whyOf(keyword: number | null, vector: number | null, words: string[], ageDays: number): Why {
  const share = (rank: number | null) => (rank === null ? 0 : 1 / (60 + rank));
  return {
    keyword_rank: keyword,
    bm25: keyword === null ? null : 9.3 / (1 + keyword * 0.1),
    vector_rank: vector,
    similarity: vector === null ? null : 0.79 - vector * 0.05,
    fused: share(keyword) + share(vector),
    rrf_k: 60,
    matched_words: words,
    age_days: ageDays,
  };
}

export function recalledOf(memory: Memory, why: Why, cited: number | null): RetrievedMemory {
  return {
    namespace: memory.namespace,
    key: memory.key,
    value: memory.value,
    score: why.fused,
    hit: { memory, score: why.fused, why },
    in_prompt: true,
    number: cited,
    cited,
  };
}

export function storedOf(memory: Memory, replaces: string | null = null): StoredUpdate {
  return {
    namespace: memory.namespace,
    key: memory.key,
    value: memory.value,
    memory_id: memory.id,
    text: memory.text,
    category: memory.category,
    polarity: memory.polarity,
    slot: memory.slot,
    start: memory.evidence?.start ?? 0,
    end: memory.evidence?.end ?? 0,
    replaces,
  };
}

export function outputOf(more: Partial<FinalOutput>): FinalOutput {
  const step = (node: Node, millis: number, count: number | null = null) => ({ node, millis, count, failed: false });
  return {
    status: 'ok',
    response: '',
    retrieved_memories: [],
    stored_updates: [],
    skipped_updates: [],
    errors: [],
    problems: [],
    review_updates: [],
    left_out: [],
    answered_by: { by: 'memory' },
    usage: { prompt_tokens: null, cached_tokens: null, answer_tokens: null },
    change_id: null,
    trace: [
      step('prepare_turn', 1.1),
      step('build_retrieval_query', 0.2),
      step('retrieve_long_term_memory', 8.7, more.retrieved_memories?.length ?? 0),
      step('compact_short_term_memory', 0.1),
      step('build_prompt_context', 0.4, 31),
      step('generate_response', 3.2),
      step('extract_memory_candidates', 2.4, more.stored_updates?.length ?? 0),
      step('validate_memory_updates', 1.9, more.stored_updates?.length ?? 0),
      step('store_memory_updates', 4.8, more.stored_updates?.length ?? 0),
      step('finalize', 0.6),
    ],
    ...more,
  };
}

export function reviewOf(
  id: string,
  reason: ReviewReason,
  memory: Memory,
  at: number,
  existing: Memory | null,
): ReviewItem {
  const evidence = memory.evidence ?? {
    thread_id: null,
    message_id: null,
    start: 0,
    end: [...memory.text].length,
    quote: memory.text,
    said_at: at,
  };
  return {
    id,
    owner: USER,
    waiting: {
      reason,
      candidate: {
        category: memory.category,
        polarity: memory.polarity,
        key: memory.key,
        text: memory.text,
        value: memory.value,
        subject: memory.subject,
        slot: memory.slot,
        changed_mind: false,
        evidence,
        confidence: memory.confidence,
        language: memory.language,
      },
      existing,
      likeness: existing ? 0.86 : null,
    },
    turn_id: null,
    thread_id: evidence.thread_id,
    message_id: evidence.message_id,
    created_at: at,
    status: 'pending',
    decision: null,
    decided_at: null,
    change_id: null,
  };
}

export interface World {
  threads: Thread[];
  messages: Message[];
  turns: (TurnView & { thread_id: string })[];
  memories: Memory[];
  review: ReviewItem[];
  settings: SettingView[];
}

/** Builds threads from short scripts, so that spans and ids are always right. */
class Scribe {
  readonly world: World = { threads: [], messages: [], turns: [], memories: [], review: [], settings: [] };
  private seq = 0;

  thread(id: string, title: string, snippet: string, at: number, more: Partial<Thread> = {}) {
    const thread = {
      id,
      title,
      snippet,
      created_at: at,
      updated_at: at,
      archived: false,
      temporary: false,
      waiting: 0,
    };
    this.world.threads.push({ ...thread, ...more });
  }

  message(threadId: string, role: Message['role'], text: string, at: number, more: Partial<Message> = {}): Message {
    this.seq += 1;
    const message: Message = {
      id: `message-${this.seq}`,
      thread_id: threadId,
      seq: this.seq,
      role,
      text,
      created_at: at,
      state: 'complete',
      answered_by: role === 'assistant' ? { by: 'memory' } : null,
      turn_id: null,
      ...more,
    };
    this.world.messages.push(message);
    return message;
  }

  /** A turn that has ended. */
  turn(user: Message, answer: Message | null, output: Partial<FinalOutput>) {
    const turnId = `turn-${user.seq}`;
    user.turn_id = turnId;
    if (answer) answer.turn_id = turnId;
    const complete = outputOf({ response: answer?.text ?? '', ...output });
    const turn = { turn_id: turnId, user_message: user.id, next: null, output: complete };
    this.world.turns.push({ ...turn, thread_id: user.thread_id });
  }

  remember(memory: Memory): Memory {
    this.world.memories.push(memory);
    return memory;
  }
}

export function makeWorld(now: number): World {
  const scribe = new Scribe();
  seattle(scribe, now);
  seoul(scribe, now);
  const { world } = scribe;
  world.settings = makeSettings();
  return world;
}

function seattle(scribe: Scribe, now: number) {
  const at = now - 20 * 60_000;
  const keep = (memory: Memory) => scribe.remember(memory);
  const vegetarian = keep(
    memoryOf('vegetarian', 'profile', 'Vegetarian; book the meal with the flight', now - 150 * DAY, {
      pinned: true,
      recall_count: 31,
      last_recalled_at: at,
    }),
  );
  const cabin = keep(memoryOf('cabin-bag', 'pattern', 'Takes a cabin bag only, also on long trips', now - 21 * DAY));
  const budget = keep(memoryOf('hotel-budget', 'preference', 'Hotel budget is $180 a night', now - 90 * DAY));
  const dryRun = keep(
    memoryOf('dry-run', 'project', 'The Postgres 17 dry run on staging took 38 minutes', now - 2 * DAY),
  );
  const staging = keep(memoryOf('staging', 'project', 'The staging database is in Seoul', now - 60 * DAY));
  keep(memoryOf('postgres', 'decision', 'Postgres, not MySQL, for the booking service', now - 300 * DAY));
  keep(memoryOf('airport', 'profile', 'Home airport is SEA', now - 400 * DAY, { recall_count: 12 }));
  keep(memoryOf('check-in', 'pattern', 'Checks in exactly 24 hours before a flight', now - 380 * DAY));
  keep(memoryOf('runbook', 'reference', 'The on-call runbook is in the wiki under “Night shift”', now - 45 * DAY));
  keep(
    memoryOf('window-old', 'preference', 'Prefers window seats on flights', now - 800 * DAY, {
      status: 'superseded',
      valid_to: at,
      superseded_by: 'aisle',
      key: 'preference:seat',
    }),
  );

  scribe.thread('thread-denver', 'Denver trip, 24–27 June', 'Here is what I know about this', at, { waiting: 1 });
  const words = 'I prefer the aisle now';
  const ask = scribe.message(
    'thread-denver',
    'user',
    `Find me a morning flight to Denver on the 24th. I’ve had enough of climbing over people. ${words}.`,
    at,
  );
  const aisle = keep(
    memoryOf('aisle', 'preference', 'Prefers aisle seats on flights', at, {
      key: 'preference:seat',
      evidence: evidenceOf(ask, words),
      supersedes: 'window-old',
      slot: { name: 'seat', value: 'aisle' },
      version: 2,
      recall_count: 4,
      last_recalled_at: at,
    }),
  );
  const answer = scribe.message(
    'thread-denver',
    'assistant',
    'Here is what I know about this:\n\n- Takes a cabin bag only, also on long trips. [1]\n- Vegetarian; book the meal with the flight. [2]\n',
    at + 2000,
  );
  scribe.turn(ask, answer, {
    retrieved_memories: [
      recalledOf(cabin, whyOf(1, 2, ['trip'], 21), 1),
      recalledOf(vegetarian, whyOf(null, 1, [], 150), 2),
    ],
    stored_updates: [storedOf(aisle, 'Prefers window seats on flights')],
    skipped_updates: [
      {
        candidate: 'Find me a morning flight to Denver on the 24th',
        reason: 'transient_request',
        explanation: 'a request of the moment',
        known_key: null,
      },
    ],
    left_out: [{ memory_id: budget.id, text: budget.text, reason: 'below_floor' }],
    change_id: 'change-aisle',
  });
  const rule = 'always answer me in Korean when I’m travelling';
  const second = scribe.message('thread-denver', 'user', `Take the 9:40. And ${rule}.`, at + 60_000);
  const secondAnswer = scribe.message(
    'thread-denver',
    'assistant',
    'Here is what I know about this:\n\n- Prefers aisle seats on flights. [1]\n',
    at + 62_000,
  );
  const korean = memoryOf('answer-korean', 'instruction', 'Answer in Korean when travelling', at + 60_000, {
    evidence: evidenceOf(second, rule),
  });
  scribe.turn(second, secondAnswer, {
    status: 'needs_review',
    retrieved_memories: [recalledOf(aisle, whyOf(2, 1, ['travelling'], 0), 1)],
    review_updates: [{ review_id: 'review-korean', reason: 'procedural', text: korean.text }],
  });

  scribe.thread('thread-postgres', 'Postgres 17 upgrade', 'Dry run on staging took 38 min', now - 3 * HOUR);
  const how = scribe.message('thread-postgres', 'user', 'How long did the dry run on staging take?', now - 4 * HOUR);
  const known = scribe.message(
    'thread-postgres',
    'assistant',
    'Here is what I know about this:\n\n- The Postgres 17 dry run on staging took 38 minutes. [1]\n- The staging database is in Seoul. [2]\n',
    now - 4 * HOUR + 1000,
  );
  scribe.turn(how, known, {
    retrieved_memories: [
      recalledOf(dryRun, whyOf(1, 1, ['dry', 'run', 'staging'], 2), 1),
      recalledOf(staging, whyOf(2, 4, ['staging'], 60), 2),
    ],
  });
  const plan = scribe.message(
    'thread-postgres',
    'user',
    'Then let’s do production on Sunday 21 June at 06:00 KST. Draft the announcement for the team.',
    now - 3 * HOUR,
  );
  const broken = scribe.message(
    'thread-postgres',
    'assistant',
    'Here is a draft you can post today: **Database maintenance, Sunday 21 June, 06:00 to 07:00 KST.** Bookings stay readable; new bookings pause for about',
    now - 3 * HOUR + 1000,
    { state: 'interrupted', answered_by: { by: 'model', name: 'Qwen3 8B' } },
  );
  scribe.turn(plan, broken, {
    status: 'failed',
    answered_by: { by: 'model', name: 'Qwen3 8B' },
    problems: [
      { code: 'model_failed', node: 'generate_response', message: 'localhost:11434 closed the connection' },
      { code: 'disk_full', node: 'store_memory_updates', message: 'no space left on device' },
    ],
    errors: ['localhost:11434 closed the connection', 'no space left on device'],
    trace: outputOf({}).trace.map((step) =>
      step.node === 'generate_response' || step.node === 'store_memory_updates'
        ? { ...step, failed: true, millis: step.node === 'generate_response' ? 4200 : 3 }
        : step,
    ),
  });

  scribe.thread('thread-rota', 'On-call rota for July', 'Jonas swaps with Priya', now - 26 * HOUR);
  scribe.thread('thread-reading', 'Reading list', '“The Art of Doing Science”', now - 9 * DAY);
  scribe.thread('thread-old', 'Old invoices', 'Archived last year', now - 400 * DAY, { archived: true });

  const red = memoryOf('window-night', 'preference', 'Prefers window seats on night flights', now - 220 * DAY, {
    key: 'preference:seat-night',
    slot: { name: 'seat', value: 'window' },
    recall_count: 9,
  });
  keep(red);
  scribe.world.review.push(
    reviewOf('review-korean', 'procedural', korean, at + 60_000, null),
    reviewOf(
      'review-seat',
      'conflict',
      { ...aisle, id: 'aisle-night', slot: { name: 'seat', value: 'aisle' } },
      at,
      red,
    ),
    reviewOf(
      'review-physio',
      'sensitive',
      memoryOf('physio', 'profile', 'Goes to physiotherapy for a knee on Thursdays', now - 30 * HOUR),
      now - 30 * HOUR,
      null,
    ),
  );
}

function seoul(scribe: Scribe, now: number) {
  const at = now - 2 * HOUR;
  scribe.thread('thread-seoul', '서울 출장 준비', '통로 쪽 좌석으로 찾을게요', at);
  const words = '저는 통로 쪽 좌석이 좋아요';
  const ask = scribe.message('thread-seoul', 'user', `다음 주 서울 출장 준비하고 있어요. ${words}.`, at);
  const seat = scribe.remember(
    memoryOf('seat-ko', 'preference', '통로 쪽 좌석을 좋아함', at, { evidence: evidenceOf(ask, words) }),
  );
  const morning = scribe.remember(
    memoryOf('morning-ko', 'preference', '오전 회의보다 오후 회의를 좋아함', now - 12 * DAY),
  );
  scribe.remember(memoryOf('tea-ko', 'preference', '커피 대신 보리차를 마심', now - 33 * DAY));
  scribe.remember(memoryOf('name-ko', 'profile', '이름은 김미나', now - 420 * DAY, { pinned: true }));
  const answer = scribe.message(
    'thread-seoul',
    'assistant',
    '제가 아는 내용이에요.\n\n- 오전 회의보다 오후 회의를 좋아함 [1]\n',
    at + 1500,
  );
  scribe.turn(ask, answer, {
    retrieved_memories: [recalledOf(morning, whyOf(null, 2, [], 12), 1)],
    stored_updates: [storedOf(seat)],
    change_id: 'change-seat-ko',
  });
  scribe.world.review.push(
    reviewOf(
      'review-ko',
      'procedural',
      memoryOf('polite-ko', 'instruction', '답은 항상 존댓말로 하기', now - 5 * HOUR),
      now - 5 * HOUR,
      null,
    ),
  );
}

const KINDS = [
  'health',
  'belief',
  'politics',
  'sexual_life',
  'union',
  'ids',
  'cards_and_accounts',
  'precise_location',
  'children',
  'biometrics',
];

function makeSettings(): SettingView[] {
  const setting = (name: string, value: SettingView['value'], allowed: string, setBy: string | null = null) => ({
    name,
    value,
    default: value,
    set_by: setBy,
    allowed,
  });
  return [
    setting('memoryEnabled', true, 'true or false'),
    setting('memoryCaptureMode', 'auto', 'auto, confirm, manual or recall-only'),
    setting('memoryMaxTokens', 2000, 'a whole number of tokens from 0 to 16000'),
    setting('memoryRetentionDays', 0, 'a whole number of days from 0 to 3650'),
    setting('memoryStrategy', 'hybrid', 'recent, exact, semantic, rrf or hybrid'),
    setting('memoryEmbeddingSource', 'auto', 'transformers, static, remote or auto'),
    setting('memoryTransformersEnabled', true, 'true or false'),
    setting('memoryTransformersModel', 'sentence-transformers/all-MiniLM-L6-v2', 'a text of 1 to 200 characters'),
    setting('memoryEmbeddingCacheMax', 1000, 'a whole number of vectors from 0 to 100000'),
    setting('memoryEmbeddingCacheTtlMs', 300000, 'a whole number of milliseconds from 0 to 86400000'),
    setting('chatModel', null, 'a text of 1 to 200 characters, or null'),
    setting('chatUrl', null, 'a text of 1 to 4096 characters, or null'),
    setting('chatMaxTokens', 4096, 'a whole number of tokens from 16 to 64000'),
    setting('on_retrieval_error', 'continue', 'continue or review'),
    setting('sensitive', 'review', 'block, review or allow'),
    ...KINDS.map((kind) => setting(`sensitive.${kind}`, null, 'block, review, allow, or null')),
    setting('procedural', 'review', 'review or allow'),
    setting('memoryRrfK', 60, 'a whole number from 1 to 1000', 'MEMORY_RRF_K'),
    setting('ui.onboarded', true, 'true or false'),
    setting('ui.language', 'system', 'system, en or ko'),
    setting('ui.theme', 'system', 'system, light or dark'),
    setting('ui.textSize', 100, '100 to 200'),
  ];
}
