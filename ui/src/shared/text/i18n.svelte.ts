// The language of the window, and `t`: a text by its key. Views that call `t` change with the language.
import en from '../../locales/en.json';
import ko from '../../locales/ko.json';
import { format, type Arguments } from './message';

export type Locale = 'en' | 'ko';
export type MessageKey = keyof typeof en;

const MESSAGES: Record<Locale, Record<string, string>> = { en, ko };

let current = $state<Locale>('en');

/** The language of the window. */
export const locale = {
  get current(): Locale {
    return current;
  },
  set current(next: Locale) {
    current = next;
    document.documentElement.lang = next;
  },
};

/** The language that the system asks for, as far as the app speaks it. */
export function systemLocale(languages: readonly string[] = navigator.languages): Locale {
  for (const language of languages) {
    if (language.startsWith('ko')) return 'ko';
    if (language.startsWith('en')) return 'en';
  }
  return 'en';
}

/** A text of the window in its language. */
export function t(key: MessageKey, args: Arguments = {}): string {
  return format(MESSAGES[current][key] ?? en[key] ?? key, args, current);
}

/** A text whose key is made from a value of the engine, such as `skip.question`. A value that this window does
 *  not know yet gives `fallback`. */
export function tCode(prefix: string, code: string, fallback = code, args: Arguments = {}): string {
  const message = MESSAGES[current][`${prefix}.${code}`];
  return message === undefined ? fallback : format(message, args, current);
}

/** Whether the locale has a text for such a value. */
export function hasText(prefix: string, code: string): boolean {
  return `${prefix}.${code}` in MESSAGES[current];
}
