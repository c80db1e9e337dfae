// The icon of each category of memory.
import type { Category } from '$ipc';
import type { IconName } from './icons';

export const CATEGORY_ICONS: Record<Category, IconName> = {
  preference: 'preference',
  decision: 'decision',
  pattern: 'pattern',
  profile: 'profile',
  instruction: 'instruction',
  project: 'project',
  reference: 'reference',
};
