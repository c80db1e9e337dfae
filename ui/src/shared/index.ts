// The parts that every feature builds from. They know nothing of features.
export { default as Banner } from './parts/Banner.svelte';
export { default as Button } from './parts/Button.svelte';
export { default as Chip } from './parts/Chip.svelte';
export { default as Dialog } from './parts/Dialog.svelte';
export { default as Diff } from './parts/Diff.svelte';
export { default as EmptyState } from './parts/EmptyState.svelte';
export { default as Field } from './parts/Field.svelte';
export { default as Icon } from './parts/Icon.svelte';
export { default as Kbd } from './parts/Kbd.svelte';
export { default as Mark } from './parts/Mark.svelte';
export { default as Markdown } from './parts/Markdown.svelte';
export { default as Marked } from './parts/Marked.svelte';
export { default as Menu } from './parts/Menu.svelte';
export { default as Quote } from './parts/Quote.svelte';
export { default as Segmented } from './parts/Segmented.svelte';
export { default as Select } from './parts/Select.svelte';
export { default as Skeleton } from './parts/Skeleton.svelte';
export { default as Slider } from './parts/Slider.svelte';
export { default as Switch } from './parts/Switch.svelte';
export { default as ToastArea } from './parts/ToastArea.svelte';
export { default as VirtualList } from './parts/VirtualList.svelte';
export { default as WhyFound } from './parts/Why.svelte';
export { CATEGORY_ICONS } from './category';
export { errorText } from './errors';
export { ICONS, type IconName } from './icons';
export { chordOf, isComposing, isTyping, keyOf, runChord } from './keys';
export type { Place, RoomId, RoomProps } from './place';
export {
  daysBetween,
  formatAge,
  formatAgo,
  formatBytes,
  formatDay,
  formatDuration,
  formatMoment,
  formatTime,
} from './text/dates';
export { hasText, locale, systemLocale, t, tCode, type Locale, type MessageKey } from './text/i18n.svelte';
export { chunksOf, cutAtSpans, cutAtWords, headOf, languageOf, type Piece, type Span } from './text/spans';
export { toast } from './toast.svelte';
export { undoStack } from './undo.svelte';
