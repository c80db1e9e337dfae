// The actions that the palette offers. Rooms add theirs by being places to go to.
import { locale, t, type IconName, type Place } from '$shared';
import { navigation } from './navigation.svelte';
import { ROOMS } from './rooms';
import type { Session } from './session.svelte';

export interface PaletteAction {
  key: string;
  icon: IconName;
  text: string;
  keys?: string;
  /** Made from the words that were typed, so it always fits them. */
  always?: boolean;
  run: () => void;
}

interface Context {
  session: Session;
  /** What was typed. */
  text: string;
  go: (place: Place) => void;
  onnew: (text: string) => void;
  onkeys: () => void;
  onundo: () => void;
}

/** Whether every typed word is in the action's name. */
export function matches(name: string, typed: string): boolean {
  const lower = name.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

export function paletteActions({ session, text, go, onnew, onkeys, onundo }: Context): PaletteAction[] {
  const other = locale.current === 'ko' ? 'en' : 'ko';
  const withWords: PaletteAction[] = text
    ? [
        {
          key: 'search',
          icon: 'search',
          text: t('palette.search_for', { text }),
          always: true,
          run: () => go({ room: 'memories', item: null, search: text }),
        },
        {
          key: 'new-with',
          icon: 'plus',
          text: t('palette.new_with', { text }),
          always: true,
          keys: 'Ctrl+N',
          run: () => onnew(text),
        },
      ]
    : [];
  const theme = (value: string, icon: IconName) => ({
    key: `theme-${value}`,
    icon,
    text: `${t('settings.ui.theme')}: ${t(`settings.theme.${value}` as 'settings.theme.light')}`,
    run: () => void session.saveOrSay('ui.theme', value),
  });
  return [
    ...withWords,
    { key: 'new', icon: 'plus', text: t('title.new_memory'), keys: 'Ctrl+N', run: () => onnew('') },
    {
      key: 'thread',
      icon: 'edit',
      text: t('chat.new_thread'),
      keys: 'Ctrl+T',
      run: () => go({ room: 'chat', item: 'new' }),
    },
    {
      key: 'temporary',
      icon: 'ghost',
      text: t('chat.temporary_new'),
      keys: 'Ctrl+Shift+N',
      run: () => go({ room: 'chat', item: 'temporary' }),
    },
    ...ROOMS.map((room, index) => ({
      key: `room-${room.id}`,
      icon: room.icon,
      text: t('palette.go_to', { room: t(room.label) }),
      keys: `Ctrl+${index + 1}`,
      run: () => navigation.enter(room.id),
    })),
    {
      key: 'playground',
      icon: 'flask',
      text: t('playground.title'),
      keys: 'G P',
      run: () => go({ room: 'memories', item: null, view: 'playground' }),
    },
    { key: 'undo', icon: 'undo', text: t('palette.undo'), keys: 'Ctrl+Z', run: onundo },
    { key: 'keys', icon: 'info', text: t('keys.title'), keys: '?', run: onkeys },
    theme('light', 'eye'),
    theme('dark', 'moon'),
    theme('system', 'laptop'),
    {
      key: 'language',
      icon: 'translate',
      text: t('palette.other_language'),
      run: () => void session.saveOrSay('ui.language', other),
    },
    { key: 'larger', icon: 'text', text: t('palette.larger'), keys: 'Ctrl++', run: () => session.stepTextSize(1) },
    { key: 'smaller', icon: 'text', text: t('palette.smaller'), keys: 'Ctrl+-', run: () => session.stepTextSize(-1) },
  ];
}
