// The keys as the dialog lists them: a label and the chords that do it.
import type { MessageKey } from '$shared';

export interface KeyGroup {
  title: MessageKey;
  rows: readonly (readonly [MessageKey, ...string[]])[];
}

export const KEYS: readonly KeyGroup[] = [
  {
    title: 'keys.everywhere',
    rows: [
      ['keys.palette', 'Ctrl+K'],
      ['keys.screens', 'Ctrl+1…4'],
      ['keys.new_memory', 'Ctrl+N'],
      ['keys.undo', 'Ctrl+Z'],
      ['keys.back', 'Alt+ArrowLeft'],
      ['keys.forward', 'Alt+ArrowRight'],
      ['keys.text_size', 'Ctrl++', 'Ctrl+-', 'Ctrl+0'],
      ['keys.keys', '?'],
      ['keys.close', 'Escape'],
    ],
  },
  {
    title: 'keys.lists',
    rows: [
      ['keys.move', 'J', 'K'],
      ['keys.open', 'Enter'],
      ['keys.search', '/', 'Ctrl+F'],
      ['keys.select', 'X'],
      ['keys.pin', 'P'],
      ['keys.edit', 'E'],
      ['keys.delete', 'Delete'],
    ],
  },
  {
    title: 'keys.memories',
    rows: [
      ['keys.view_list', 'G L'],
      ['keys.view_playground', 'G P'],
      ['keys.k', '[', ']'],
    ],
  },
  {
    title: 'keys.chat',
    rows: [
      ['keys.send', 'Enter'],
      ['keys.new_line', 'Shift+Enter'],
      ['keys.new_thread', 'Ctrl+T'],
      ['keys.temporary', 'Ctrl+Shift+N'],
      ['keys.threads', 'Ctrl+B'],
      ['keys.stop', 'Escape'],
      ['keys.edit_last', 'ArrowUp'],
      ['keys.retry', 'R'],
      ['keys.why', 'Ctrl+I'],
    ],
  },
  {
    title: 'keys.review',
    rows: [
      ['keys.approve', 'A'],
      ['keys.reject', 'R'],
      ['keys.newer', 'N'],
      ['keys.keep_both', 'B'],
      ['keys.edit', 'E'],
      ['keys.skip', 'S'],
      ['keys.select', 'X'],
      ['keys.extend', 'Shift+J', 'Shift+K'],
      ['keys.select_all', 'Ctrl+A'],
      ['keys.undo_decision', 'U'],
    ],
  },
];
