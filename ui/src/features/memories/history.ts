// A memory's versions as a person reads them: newest first, each with what changed and why.
import type { Memory, MemoryDetail, MemoryVersion } from '$ipc';
import { t, tCode } from '$shared';

export interface HistoryEntry {
  id: string;
  /** What it said before; the same as `after` when the words did not change. */
  before: string;
  after: string;
  language: Memory['language'];
  /** Why, and what else changed. */
  what: string;
  at: number;
  /** What Undo takes; `null` for the first version, which deleting takes back. */
  change: string | null;
  /** Another memory, which opens. */
  opens: string | null;
}

export function historyOf(detail: MemoryDetail): HistoryEntry[] {
  const { history, replaced } = detail;
  const entries = history.map((version, index): HistoryEntry => {
    const previous = history[index - 1]?.memory;
    return {
      id: `${index}`,
      before: previous?.text ?? (index === 0 && replaced ? replaced.text : version.memory.text),
      after: version.memory.text,
      language: version.memory.language,
      what: whatChanged(version, previous, index === 0 && replaced !== null),
      at: version.changed_at,
      change: index > 0 && version.reason !== 'undo' ? version.change_id : null,
      opens: null,
    };
  });
  entries.reverse();
  if (replaced) {
    entries.push({
      id: replaced.id,
      before: replaced.text,
      after: replaced.text,
      language: replaced.language,
      what: t('memories.history.replaced'),
      at: replaced.created_at,
      change: null,
      opens: replaced.id,
    });
  }
  return entries;
}

function whatChanged({ memory, reason }: MemoryVersion, previous: Memory | undefined, replaces: boolean): string {
  const why = tCode('change_reason', reason);
  if (!previous) return replaces ? why : tCode('memories.history', `created_${reason}`, why);
  const parts: string[] = [];
  if (memory.text !== previous.text) parts.push(why);
  if (memory.status !== previous.status) {
    parts.push(tCode('memories.history', memory.status === 'active' ? 'restored' : memory.status));
  }
  if (memory.pinned !== previous.pinned) parts.push(t(`memories.history.${memory.pinned ? 'pinned' : 'unpinned'}`));
  if (parts.length === 0 && memory.confirmations > previous.confirmations) parts.push(t('memories.history.confirmed'));
  if (parts.length === 0) parts.push(t('memories.history.other'));
  const said = memory.text !== previous.text || reason === 'manual' || reason === 'turn';
  return said ? parts.join(' · ') : `${parts.join(' · ')} · ${why}`;
}
