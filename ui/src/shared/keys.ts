// Keyboard rules. Letters match by their place on the keyboard (`event.code`), so that they work with the Korean
// layout on; nothing fires while a Hangul syllable is being composed; single letters never fire inside a text field.

const MAC = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether an input method is composing. WebKit sends the key that ends a composition with `isComposing` false
 *  and key code 229. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether the key goes into a text. */
export function isTyping(event: Event): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.getAttribute('contenteditable') === 'true') return true;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type);
}

/** The name of a key: `K`, `1`, `/`, `ArrowLeft`, `Enter`. Letters and digits go by place, the rest by meaning. */
export function keyOf(event: KeyboardEvent): string {
  const place = event.code.match(/^(?:Key([A-Z])|Digit([0-9])|Numpad([0-9]))$/);
  const named = place?.[1] ?? place?.[2] ?? place?.[3];
  if (named && !(event.shiftKey && event.code.startsWith('Digit'))) return named;
  if (event.code === 'Slash') return event.shiftKey ? '?' : '/';
  if (event.code === 'Equal' || event.code === 'NumpadAdd') return '+';
  if (event.code === 'Minus' || event.code === 'NumpadSubtract') return '-';
  return event.key;
}

/** The chord of an event: `Ctrl+Shift+N`, `Alt+ArrowLeft`, `J`. Cmd counts as Ctrl on macOS. */
export function chordOf(event: KeyboardEvent): string {
  const key = keyOf(event);
  const main = MAC ? event.metaKey : event.ctrlKey;
  const shift = event.shiftKey && key !== '?' && key !== '+';
  return `${main ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${key}`;
}

/** Runs the action of an event's chord; returns whether there was one. Single letters (no Ctrl, no Alt) are held
 *  back while a text field has the focus. */
export function runChord(event: KeyboardEvent, actions: Record<string, (() => void) | undefined>): boolean {
  if (isComposing(event) || event.defaultPrevented) return false;
  const chord = chordOf(event);
  const action = actions[chord];
  if (!action) return false;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (plain && isTyping(event) && chord !== 'Escape') return false;
  event.preventDefault();
  action();
  return true;
}

const PRINTED: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Delete: 'Del',
  '-': '−',
  ...(MAC ? { Ctrl: '⌘', Alt: '⌥', Shift: '⇧' } : {}),
};

/** The caps of a chord as they are printed. */
export function printedKeys(chord: string): string[] {
  if (chord === '+') return ['+'];
  return chord
    .replace(/\+\+$/, '+plus')
    .split('+')
    .map((key) => (key === 'plus' ? '+' : (PRINTED[key] ?? key)));
}
