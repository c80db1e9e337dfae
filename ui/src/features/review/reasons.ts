// The icon of each reason.
import type { ReviewReason } from '$ipc';
import type { IconName } from '$shared';

export const REASON_ICONS: Record<ReviewReason, IconName> = {
  conflict: 'conflict',
  sensitive: 'shield',
  procedural: 'instruction',
  injection_suspected: 'warn',
  normalisation_failed: 'text',
  retrieval_failed: 'search',
  write_failed: 'database',
  confirm: 'review',
  quarantined: 'shield',
  sync_conflict: 'conflict',
  secret_blocked: 'shield',
  dream_undecided: 'review',
};
