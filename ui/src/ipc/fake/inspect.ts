// What the stand-in answers about the queue in pages, histories, sources, modes and backups.
import type { Commands } from '../generated/commands';
import type { EngineError, Memory, ReviewItem, ReviewOutcome, Source } from '../generated/types';
import type { World } from './data';

type Handled =
  | 'review_page'
  | 'decide_reviews'
  | 'undo_reviews'
  | 'list_audit'
  | 'memory_history'
  | 'list_changes'
  | 'change_memories'
  | 'confirm_memory'
  | 'erase_memory'
  | 'list_sources'
  | 'preview_rollback'
  | 'rollback_source'
  | 'news'
  | 'mark_seen'
  | 'list_namespaces'
  | 'set_namespace'
  | 'set_thread_mode'
  | 'list_backups'
  | 'restore_backup';

export type InspectHandlers = { [K in Handled]: (args: Commands[K]['arguments']) => Commands[K]['answer'] };

/** What the handlers ask of the stand-in. */
export interface Inspected {
  /** Asked for with each command: the world is made after the handlers. */
  world: () => World;
  now: () => number;
  memory: (id: string) => Memory;
  remove: (ids: string[]) => void;
  handle: <K extends 'decide_review' | 'undo_review' | 'edit_memory' | 'open_memory'>(
    name: K,
    args: Commands[K]['arguments'],
  ) => Commands[K]['answer'];
}

const PAGE = 100;
const CATEGORIES = ['preference', 'decision', 'pattern', 'profile', 'instruction', 'project', 'reference'];

const outcome = (id: string, status: ReviewOutcome['status'], more: Partial<ReviewOutcome> = {}): ReviewOutcome => ({
  id,
  status,
  memory_ids: [],
  change_id: null,
  item: null,
  error: null,
  ...more,
});

const attempt = (id: string, run: () => Partial<ReviewOutcome>): ReviewOutcome => {
  try {
    return outcome(id, 'decided', run());
  } catch (error) {
    return outcome(id, 'refused', { error: error as EngineError });
  }
};

const wrote = (source: Source, memory: Memory) =>
  memory.status !== 'archived' &&
  memory.source === source.kind &&
  (!source.id || [memory.source_id, memory.evidence?.thread_id].includes(source.id));

export function inspectHandlers({ world, now, memory, remove, handle }: Inspected): InspectHandlers {
  const switches = new Map(CATEGORIES.map((namespace) => [namespace, { namespace, capture: true, recall: true }]));
  let seen: number | null = null;
  /** A week ago for somebody who never looked, as in the engine. */
  const lastSeen = () => seen ?? now() - 7 * 86_400_000;
  const writtenBy = (source: Source) => world().memories.filter((entry) => wrote(source, entry));
  return {
    review_page: ({ query }) => {
      const all = world().review.filter((item) => item.status === query.status);
      const by_reason: Record<string, number> = {};
      for (const { waiting } of all) by_reason[waiting.reason] = (by_reason[waiting.reason] ?? 0) + 1;
      const wanted = all.filter((item) => !query.reason || item.waiting.reason === query.reason);
      const start = Number(query.cursor ?? 0);
      const end = start + (query.limit || PAGE);
      const next = end < wanted.length ? String(end) : null;
      return { items: wanted.slice(start, end), next, total: all.length, by_reason };
    },
    decide_reviews: ({ decisions }) =>
      decisions.map(({ id, decision }) => {
        const item: ReviewItem | undefined = world().review.find((entry) => entry.id === id);
        if (!item) return outcome(id, 'not_found');
        if (item.status === 'decided') return outcome(id, 'decided_before', { item, change_id: item.change_id });
        return attempt(id, () => {
          const { change_id, results } = handle('decide_review', { id, decision });
          return { change_id, memory_ids: results.flatMap((result) => (result.memory ? [result.memory.id] : [])) };
        });
      }),
    undo_reviews: ({ ids }) =>
      ids.map((id) =>
        attempt(id, () => {
          handle('undo_review', { id });
          return {};
        }),
      ),
    list_audit: () => [],
    memory_history: ({ id }) => {
      const { history, thread, memory: opened } = handle('open_memory', { id });
      const versions = history.map((version) => ({
        version: version.memory.version,
        changed_at: version.changed_at,
        reason: version.reason,
        change_id: version.change_id,
        text: version.memory.text,
        fields: [],
      }));
      const chain = [{ place: 'this' as const, memory: opened, thread_title: thread?.title ?? null }];
      return { source: { kind: opened.source }, trust: opened.trust, versions, chain };
    },
    list_changes: () => [],
    change_memories: ({ memories, patch }) => {
      const written = memories.map(({ id, version }) => handle('edit_memory', { id, version, patch }));
      return { change_id: written[0]?.change_id ?? null, results: written.flatMap((entry) => entry.results) };
    },
    confirm_memory: ({ id, version }) => {
      memory(id).trust = 'user';
      return handle('edit_memory', { id, version, patch: {} });
    },
    erase_memory: ({ id, words, done }) => {
      memory(id);
      if (done) remove([id]);
      const messages = { place: 'messages' as const, count: 1 };
      const removed = [{ place: 'memory' as const, count: 1 }, ...(words ? [messages] : [])];
      return { memory_id: id, at: now(), done, removed, remains: words ? [] : [messages] };
    },
    list_sources: () => {
      const user = world().memories.filter((entry) => entry.source === 'user');
      return user.length ? [{ source: { kind: 'user' }, memories: user.length, last_at: now() }] : [];
    },
    preview_rollback: ({ source }) => {
      const examples = writtenBy(source);
      return { count: examples.length, restored: 0, waiting: 0, examples: examples.slice(0, 20) };
    },
    rollback_source: ({ source }) => {
      const written = writtenBy(source);
      for (const entry of written) entry.status = 'archived';
      return { count: written.length, restored: 0, rejected: 0, change_id: null };
    },
    news: () => {
      const memories = world().memories.filter((entry) => entry.created_at > lastSeen() && entry.status === 'active');
      const waiting = world().review.filter((item) => item.status === 'pending').length;
      return { since: lastSeen(), until: now(), count: memories.length, waiting, memories };
    },
    mark_seen: ({ at }) => {
      seen = Math.max(lastSeen(), at);
      return null;
    },
    list_namespaces: () =>
      [...switches.values()].map((entry) => ({
        switch: entry,
        memories: world().memories.filter(({ category }) => category === entry.namespace).length,
      })),
    set_namespace: ({ switch: entry }) => {
      switches.set(entry.namespace, entry);
      return null;
    },
    set_thread_mode: ({ id, mode }) => {
      const thread = world().threads.find((entry) => entry.id === id);
      if (thread) Object.assign(thread, mode);
      return null;
    },
    list_backups: () => [{ name: 'reverie-1.db', at: now() - 3_600_000, bytes: 4_096 }],
    restore_backup: () => ({ name: 'reverie-1.db', at: now() - 3_600_000, bytes: 4_096 }),
  };
}
