// The three lists of the playground and the lines between them, as plain data.
import type { ExplainedHit } from '$ipc';

/** Height of a row, and of the gap where the prompt ends, in rem. */
export const ROW_REM = 2.5;
export const GAP_REM = 1.25;

export interface Lane {
  /** Place in the fused list, from 0. */
  hit: number;
  /** Place in the engine's list, from 1. It may leave out numbers: what is below the floor is not shown. */
  rank: number;
  value: string;
}

export interface Link {
  hit: number;
  from: number;
  to: number;
  inPrompt: boolean;
}

export interface Lanes {
  keyword: Lane[];
  meaning: Lane[];
  /** Lines from a side list to the fused one, in rem from the top. */
  keywordLinks: Link[];
  meaningLinks: Link[];
  /** The prompt ends before this hit; `null` when everything is in it. */
  end: number | null;
  /** Middle of each fused row, rem from the top. */
  middles: number[];
  /** Height of the longest list, rem. */
  height: number;
}

export function lanesOf(hits: readonly ExplainedHit[]): Lanes {
  const last = hits.reduce((found, hit, index) => (hit.in_prompt ? index : found), -1);
  const end = last + 1 < hits.length ? last + 1 : null;
  const middles = hits.map((_, index) => ROW_REM * (index + 0.5) + (end !== null && index >= end ? GAP_REM : 0));
  const keyword = laneOf(hits, (hit) => [hit.why.keyword_rank, hit.why.bm25?.toFixed(1)]);
  const meaning = laneOf(hits, (hit) => [hit.why.vector_rank, hit.why.similarity?.toFixed(2)]);
  const link = (lane: Lane, index: number): Link => ({
    hit: lane.hit,
    from: ROW_REM * (index + 0.5),
    to: middles[lane.hit] ?? 0,
    inPrompt: hits[lane.hit]?.in_prompt ?? false,
  });
  return {
    keyword,
    meaning,
    keywordLinks: keyword.map(link),
    meaningLinks: meaning.map(link),
    end,
    middles,
    height: (middles.at(-1) ?? 0) + ROW_REM / 2,
  };
}

function laneOf(
  hits: readonly ExplainedHit[],
  signal: (hit: ExplainedHit) => [number | null, string | undefined],
): Lane[] {
  return hits
    .flatMap((hit, index) => {
      const [rank, value] = signal(hit);
      return rank === null ? [] : [{ hit: index, rank, value: value ?? '' }];
    })
    .sort((a, b) => a.rank - b.rank);
}
