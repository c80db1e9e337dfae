// What a decision leads to, shown before it is made.
import type { ReviewItem } from '$ipc';
import { t } from '$shared';
import type { Verb } from './review.svelte';

export interface Effect {
  id: string;
  text: string;
  /** `kept` holds afterwards, `history` is kept as it was, `none` is not kept. */
  becomes: 'kept' | 'history' | 'none';
  label: string;
}

/** The heading and the lines of the preview. */
export function effectsOf(item: ReviewItem, verb: Verb, draft: string | null): { title: string; effects: Effect[] } {
  const { candidate, existing } = item.waiting;
  const title = t(`review.if.${verb === 'reject' && existing ? 'keep_old' : verb}`);
  if (!candidate) {
    const kept = verb === 'approve';
    const label = t(kept ? 'review.effect.retry' : 'review.effect.stays');
    return {
      title,
      effects: [{ id: 'turn', text: t('review.turn_waits'), becomes: kept ? 'kept' : 'history', label }],
    };
  }
  const rejected = verb === 'reject';
  const text = verb === 'edit' && draft?.trim() ? draft.trim() : candidate.text;
  const effects: Effect[] = [
    {
      id: 'new',
      text,
      becomes: rejected ? 'none' : 'kept',
      label: t(rejected ? 'review.effect.not_kept' : 'review.effect.current'),
    },
  ];
  if (existing) {
    const stays = rejected || verb === 'keep_both';
    effects.push({
      id: 'old',
      text: existing.text,
      becomes: stays ? 'kept' : 'history',
      label: t(stays ? 'review.effect.current' : 'review.effect.history'),
    });
  }
  return { title, effects };
}
