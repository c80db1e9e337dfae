// The stand-in's playground: ranks by shared words and, for meaning, by another order of the same memories.
import type { ExplainedHit, Memory, SearchExplained, SearchProbe, Why } from '../generated/types';
import { whyOf, type World } from './data';
import { searchMemories } from './turn';

/** Memories that a prompt takes at most, as in the engine. */
const PROMPT_MAX = 8;

export function explain(world: World, probe: SearchProbe, meaning: boolean): SearchExplained {
  const k = probe.rrf_k ?? 60;
  const budget = probe.tokens_max ?? 2000;
  const { strategy } = probe;
  const byWords = strategy === 'semantic' ? [] : searchMemories(world, probe.text);
  const rest = world.memories.filter((memory) => memory.status === 'active');
  const byMeaning = strategy === 'exact' || !meaning ? [] : orderByMeaning(rest, byWords);
  const wordsOf = new Map(byWords.map((entry) => [entry.memory.id, entry.words]));
  const keywordRank = new Map(byWords.map((entry, index) => [entry.memory.id, index + 1]));
  const meaningRank = new Map(byMeaning.map((memory, index) => [memory.id, index + 1]));
  const all: { memory: Memory; why: Why }[] =
    strategy === 'recent'
      ? [...rest]
          .sort((a, b) => b.updated_at - a.updated_at)
          .map((memory) => ({ memory, why: { ...whyOf(null, null, [], 0), fused: 0 } }))
      : rest
          .filter((memory) => keywordRank.has(memory.id) || meaningRank.has(memory.id))
          .map((memory) => {
            const ranks = [keywordRank.get(memory.id) ?? null, meaningRank.get(memory.id) ?? null] as const;
            const why = whyOf(...ranks, wordsOf.get(memory.id) ?? [], 3);
            const fused = ranks.reduce<number>((sum, rank) => sum + (rank === null ? 0 : 1 / (k + rank)), 0);
            return { memory, why: { ...why, fused, rrf_k: k } };
          })
          .sort((a, b) => b.why.fused - a.why.fused);
  let tokens = 0;
  const hits = all.slice(0, 12).map((entry, index): ExplainedHit => {
    const cost = 9 + Math.ceil([...entry.memory.text].length / 4);
    const fits = index < PROMPT_MAX && tokens + cost <= budget;
    if (fits) tokens += cost;
    return { ...entry, score: entry.why.fused, tokens: cost, in_prompt: fits, cut: false };
  });
  const leftOut = all
    .slice(12, 16)
    .map(({ memory }) => ({ memory_id: memory.id, text: memory.text, reason: 'below_floor' as const }));
  return {
    hits,
    left_out: leftOut,
    meaning_searched: byMeaning.length > 0,
    model: 'all-MiniLM-L6-v2',
    strategy,
    rrf_k: k,
    tokens,
    tokens_max: budget,
    hits_max: PROMPT_MAX,
  };
}

/** What shares a word and what is near it in age, in an order that differs from the words'. */
function orderByMeaning(rest: Memory[], byWords: { memory: Memory }[]): Memory[] {
  const found = byWords.map((entry) => entry.memory);
  const [first, second, ...others] = found;
  const swapped = first && second ? [second, first, ...others] : found;
  const near = rest.filter((memory) => !found.includes(memory)).slice(0, 3);
  return [...swapped.slice(0, 3), ...near, ...swapped.slice(3)];
}
