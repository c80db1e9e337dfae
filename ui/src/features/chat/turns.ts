// What a conversation shows, made from what the engine says: its turns, how far each has come, and the strip under
// each message. Pure, so that every state can be tested.
import type {
  FinalOutput,
  Message,
  Node,
  Problem,
  ProblemCode,
  ReviewUpdate,
  Skipped,
  StoredUpdate,
  ThreadView,
  TurnId,
} from '$ipc';

/** A turn that this window watches while it runs. */
export interface LiveTurn {
  turnId: TurnId;
  threadId: string;
  node: Node | null;
  /** When that node started, milliseconds since the epoch. */
  nodeSince: number;
  /** The answer so far; `null` when its beginning was missed. */
  text: string | null;
  phase: 'answering' | 'keeping' | 'ended';
  /** When the answer was complete; what to keep is looked for since then. */
  answeredAt: number;
  output: FinalOutput | null;
}

/** One turn as it is shown. */
export interface ShownTurn {
  key: string;
  turnId: TurnId | null;
  user: Message | null;
  answer: Message | null;
  answerText: string;
  phase: 'answering' | 'keeping' | 'ended';
  node: Node | null;
  nodeSince: number;
  answeredAt: number;
  output: FinalOutput | null;
}

/** The turns of a thread in order, with what this window watched laid over what is stored. */
export function shownTurns(view: ThreadView, live: Readonly<Record<TurnId, LiveTurn>>): ShownTurn[] {
  const stored = new Map(view.turns.map((turn) => [turn.turn_id, turn]));
  const shown: ShownTurn[] = [];
  const byTurn = new Map<TurnId, ShownTurn>();
  for (const message of [...view.messages].sort((a, b) => a.seq - b.seq)) {
    let turn = message.turn_id ? byTurn.get(message.turn_id) : undefined;
    if (!turn) {
      turn = emptyTurn(message);
      shown.push(turn);
      if (message.turn_id) byTurn.set(message.turn_id, turn);
    }
    if (message.role === 'user') turn.user ??= message;
    else turn.answer = message;
  }
  for (const turn of shown) {
    const watched = turn.turnId ? live[turn.turnId] : undefined;
    const kept = turn.turnId ? stored.get(turn.turnId) : undefined;
    turn.answerText = turn.answer?.text ?? kept?.output.response ?? '';
    turn.output = kept?.output ?? null;
    if (watched) overlay(turn, watched);
    else if (kept?.next) runningElsewhere(turn, kept.next);
  }
  return shown;
}

function emptyTurn(message: Message): ShownTurn {
  return {
    key: message.turn_id ?? message.id,
    turnId: message.turn_id,
    user: null,
    answer: null,
    answerText: '',
    phase: 'ended',
    node: null,
    nodeSince: 0,
    answeredAt: 0,
    output: null,
  };
}

function overlay(turn: ShownTurn, watched: LiveTurn) {
  turn.phase = watched.phase;
  turn.node = watched.node;
  turn.nodeSince = watched.nodeSince;
  turn.answeredAt = watched.answeredAt;
  turn.output = watched.output ?? turn.output;
  if (watched.phase !== 'answering') {
    turn.answerText = watched.output?.response || turn.answerText;
  } else if (turn.answer?.state === 'complete') {
    // Only the saving is tried again; the answer stands.
    turn.phase = 'keeping';
  } else if (watched.text !== null) {
    const joinedLate = turn.answer?.state === 'streaming' && turn.answerText.length > watched.text.length;
    if (!joinedLate) turn.answerText = watched.text;
  }
}

/** A turn that another window or the command line runs, or that goes on after a restart. */
function runningElsewhere(turn: ShownTurn, next: Node) {
  const broken = turn.answer?.state === 'interrupted' || turn.answer?.state === 'stopped';
  if (broken) return;
  turn.node = next;
  turn.phase = turn.answer && turn.answer.state === 'complete' ? 'keeping' : 'answering';
}

/** Problems that kept memories from being saved. */
const NOT_SAVED: readonly ProblemCode[] = ['store_failed', 'disk_full', 'read_only', 'validation_failed'];
/** Problems that ended the answer. */
const NOT_ANSWERED: readonly ProblemCode[] = [
  'input_empty',
  'input_too_long',
  'user_id_missing',
  'thread_id_missing',
  'model_failed',
  'model_key',
  'model_busy',
  'model_unreachable',
  'model_context_full',
];

/** The strip under a message once its turn goes on behind the answer. */
export interface Strip {
  /** What to keep is being looked for. */
  looking: boolean;
  saved: StoredUpdate[];
  /** What Undo takes. */
  changeId: string | null;
  waiting: ReviewUpdate[];
  skipped: Skipped[];
  /** Why nothing was saved. */
  failed: Problem | null;
  /** Nothing to say. */
  empty: boolean;
}

export function stripOf(turn: Pick<ShownTurn, 'phase' | 'output'>): Strip {
  const output = turn.phase === 'ended' ? turn.output : null;
  const strip = {
    looking: turn.phase === 'keeping',
    saved: output?.stored_updates ?? [],
    changeId: output?.change_id ?? null,
    waiting: (output?.review_updates ?? []).filter((update) => update.reason !== 'write_failed' || update.text !== ''),
    skipped: output?.skipped_updates ?? [],
    failed: output?.problems.find((problem) => NOT_SAVED.includes(problem.code)) ?? null,
  };
  const said = strip.saved.length + strip.waiting.length + strip.skipped.length > 0 || strip.failed !== null;
  return { ...strip, empty: !strip.looking && !said };
}

/** Why a turn has no whole answer, and whether trying again can help; `null` when it has one. */
export function failureOf(turn: ShownTurn): { code: ProblemCode | 'interrupted'; message: string } | null {
  if (turn.phase === 'answering') return null;
  const problem = turn.output?.problems.find((entry) => NOT_ANSWERED.includes(entry.code));
  if (problem) return { code: problem.code, message: problem.message };
  if (turn.answer?.state === 'interrupted') return { code: 'interrupted', message: '' };
  const nothing = turn.output?.status === 'failed' && turn.answerText === '';
  return nothing ? { code: 'interrupted', message: turn.output?.errors[0] ?? '' } : null;
}

/** Problems that did not stop the answer but change what it is worth. */
export function cautionsOf(turn: ShownTurn): Problem[] {
  const quiet: ProblemCode[] = ['retrieval_failed', 'meaning_search_off', 'extraction_failed', 'checkpoint_failed'];
  return turn.output?.problems.filter((problem) => quiet.includes(problem.code)) ?? [];
}

/** Words of an answer, as a person counts them. */
export function wordsOf(text: string): number {
  return text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
