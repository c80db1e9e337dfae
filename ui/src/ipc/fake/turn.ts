// The stand-in's turn: the same events in the same order as the engine's, with small rules in place of the real ones.
import type { Event, FinalOutput, Memory, Message, Node, RetrievedMemory, StoredUpdate } from '../generated/types';
import { evidenceOf, memoryOf, outputOf, recalledOf, storedOf, whyOf, type World } from './data';

export interface TurnScript {
  world: World;
  emit: (event: Event) => void;
  /** Waits; 0 in tests. */
  pause: (factor: number) => Promise<void>;
  stopped: () => boolean;
  /** A failure to play: the disk is full while storing, or the model breaks off. */
  fault: string | null;
  now: () => number;
  newId: (kind: string) => string;
}

/** Statements that the stand-in takes for lasting. */
const LASTING = [
  /\bI (?:always |now |really )?(?:prefer|like|love|take|hate|need) [^.!?\n]+/iu,
  /[^.!?\n]*(?:좋아요|좋아해요|싫어요|선호해요)/u,
];
const RULES = [/\b(?:always|never) [^.!?\n]+/iu, /[^.!?\n]*항상[^.!?\n]*/u];
const REQUEST = /(?:^|[.!?]\s+)(?:find|book|show|draft|take)\b|(?:찾아|예약해|보여) ?(?:줘|주세요)/iu;

export async function playTurn(script: TurnScript, user: Message, answerId: string): Promise<void> {
  const { world, emit } = script;
  const turnId = user.turn_id ?? '';
  const where = { thread_id: user.thread_id, turn_id: turnId };
  const reach = async (node: Node, factor = 1) => {
    emit({ type: 'node_started', ...where, node });
    await script.pause(factor);
  };
  for (const node of ['prepare_turn', 'build_retrieval_query', 'retrieve_long_term_memory'] as const) await reach(node);
  const recalled = recall(world, user.text);
  for (const node of ['compact_short_term_memory', 'build_prompt_context', 'generate_response'] as const)
    await reach(node);
  const answer = world.messages.find((message) => message.id === answerId);
  if (!answer) return;
  const text = offlineAnswer(recalled, user.text);
  const breaksOff = script.fault === 'model_failed';
  for (const piece of text.match(/\S+\s*/gu) ?? []) {
    if (script.stopped() || (breaksOff && answer.text.length > 40)) break;
    answer.text += piece;
    emit({ type: 'answer_piece', ...where, message_id: answer.id, piece });
    await script.pause(0.6);
  }
  const stopped = script.stopped();
  answer.state = stopped ? 'stopped' : breaksOff ? 'interrupted' : 'complete';
  const base: Partial<FinalOutput> = { response: answer.text, retrieved_memories: recalled };
  if (stopped) base.problems = [{ code: 'stopped', node: 'generate_response', message: 'stopped by the person' }];
  if (breaksOff) base.problems = [{ code: 'model_failed', node: 'generate_response', message: 'connection closed' }];
  emit({ type: 'answered', ...where, output: outputOf(base) });
  for (const node of ['extract_memory_candidates', 'validate_memory_updates'] as const) await reach(node, 3);
  const output = keep(script, user, base);
  await reach(output.review_updates.length > 0 ? 'mark_needs_review' : 'store_memory_updates');
  await reach('finalize');
  const turn = world.turns.find((entry) => entry.turn_id === turnId);
  if (turn) Object.assign(turn, { next: null, output });
  emit({ type: 'turn_ended', ...where, output });
  emit({ type: 'changed', tags: ['memories', 'review', 'threads', 'messages', 'health'] });
}

/** Finds memories that share a word with the text; two-syllable Korean stems count as words. */
export function searchMemories(
  world: World,
  text: string,
  statuses: Memory['status'][] = ['active'],
): { memory: Memory; words: string[] }[] {
  const words = (text.toLowerCase().match(/[a-z]{3,}|[가-힣]{2}/gu) ?? []).map((word) => word.replace(/s$/u, ''));
  return world.memories
    .filter((memory) => statuses.includes(memory.status))
    .map((memory) => ({
      memory,
      words: [...new Set(words.filter((word) => memory.text.toLowerCase().includes(word)))],
    }))
    .filter((found) => found.words.length > 0)
    .sort((a, b) => b.words.length - a.words.length);
}

function recall(world: World, text: string): RetrievedMemory[] {
  return searchMemories(world, text)
    .slice(0, 3)
    .map(({ memory, words }, index) => {
      memory.recall_count += 1;
      return recalledOf(memory, whyOf(index + 1, index + 2, words, 1), index + 1);
    });
}

function offlineAnswer(recalled: RetrievedMemory[], text: string): string {
  const korean = /[가-힣]/.test(text);
  if (recalled.length === 0) return korean ? '아직 이 내용은 아는 것이 없어요.' : 'I know nothing about this yet.';
  const lines = recalled.map((entry) => `- ${entry.hit.memory.text} [${entry.cited}]`).join('\n');
  return `${korean ? '제가 아는 내용이에요.' : 'Here is what I know about this:'}\n\n${lines}\n`;
}

function keep(script: TurnScript, user: Message, base: Partial<FinalOutput>): FinalOutput {
  const { world } = script;
  const thread = world.threads.find((entry) => entry.id === user.thread_id);
  if (thread?.temporary) return outputOf(base);
  // The patterns of this stand-in look back and forth; a pasted book would keep them busy for minutes.
  const said = user.text.slice(0, 2_000);
  const skipped = REQUEST.test(said)
    ? [{ candidate: said.slice(0, 80), reason: 'transient_request' as const, explanation: '', known_key: null }]
    : [];
  const rule = RULES.map((pattern) => said.match(pattern)?.[0]?.trim()).find(Boolean);
  if (rule) {
    const reviewId = script.newId('review');
    const memory = memoryOf(script.newId('memory'), 'instruction', rule, script.now());
    const candidate = { ...memory, changed_mind: false, evidence: evidenceOf(user, rule) };
    world.review.unshift({
      id: reviewId,
      owner: memory.owner,
      waiting: { reason: 'procedural', candidate, existing: null, likeness: null },
      turn_id: user.turn_id,
      thread_id: user.thread_id,
      message_id: user.id,
      created_at: script.now(),
      status: 'pending',
      decision: null,
      decided_at: null,
      change_id: null,
    });
    const waiting = [{ review_id: reviewId, reason: 'procedural' as const, text: rule }];
    return outputOf({ ...base, status: 'needs_review', skipped_updates: skipped, review_updates: waiting });
  }
  const words = LASTING.map((pattern) => said.match(pattern)?.[0]?.trim()).find(Boolean);
  if (!words) return outputOf({ ...base, skipped_updates: skipped });
  if (script.fault === 'disk_full') {
    const problem = { code: 'disk_full' as const, node: 'store_memory_updates' as const, message: 'no space left' };
    return outputOf({ ...base, skipped_updates: skipped, problems: [problem], errors: [problem.message] });
  }
  const text = words.replace(
    /^I (?:always |now |really )?(\w+)/iu,
    (_all, verb: string) => `${verb.charAt(0).toUpperCase()}${verb.slice(1)}s`,
  );
  const memory = memoryOf(script.newId('memory'), 'preference', text, script.now(), {
    evidence: evidenceOf(user, words),
  });
  world.memories.unshift(memory);
  const stored: StoredUpdate[] = [storedOf(memory)];
  const changeId = `change-${memory.id}`;
  return outputOf({ ...base, stored_updates: stored, skipped_updates: skipped, change_id: changeId });
}
