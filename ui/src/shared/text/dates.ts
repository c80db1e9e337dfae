// Dates and spans of time in the language of the window. Times are milliseconds since the epoch, as the engine sends them.
import { locale, t } from './i18n.svelte';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "16 June 2026" · "2026년 6월 16일". */
export function formatDay(at: number): string {
  return new Intl.DateTimeFormat(tag(), { day: 'numeric', month: 'long', year: 'numeric' }).format(at);
}

/** "16 June, 09:12", with the year when it is not this one. */
export function formatMoment(at: number, now = Date.now()): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(tag(), {
    day: 'numeric',
    month: 'long',
    year: sameYear ? undefined : 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at);
}

/** "09:12". */
export function formatTime(at: number): string {
  return new Intl.DateTimeFormat(tag(), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);
}

/** "now", "5 min", "2 hr", "3 wk" · "지금", "5분", "2시간", "3주": how long ago, as short as a row needs it. */
export function formatAge(at: number, now = Date.now()): string {
  const ago = Math.max(0, now - at);
  if (ago < MINUTE) return t('time.now');
  if (ago < HOUR) return unit(ago / MINUTE, 'minute');
  if (ago < DAY) return unit(ago / HOUR, 'hour');
  if (ago < 14 * DAY) return unit(ago / DAY, 'day');
  if (ago < 60 * DAY) return unit(ago / (7 * DAY), 'week');
  if (ago < 365 * DAY) return unit(ago / (30 * DAY), 'month');
  return unit(ago / (365 * DAY), 'year');
}

/** "today", "yesterday" or "3 wk ago" · "오늘", "어제", "3주 전". */
export function formatAgo(at: number, now = Date.now()): string {
  const days = daysBetween(at, now);
  if (days <= 0) return t('time.today');
  if (days === 1) return t('time.yesterday');
  return t('time.ago', { span: formatAge(at, now) });
}

/** "8 ms", "4.2 s" · "8ms", "4.2초". */
export function formatDuration(millis: number): string {
  if (millis < 1) return t('time.under_ms');
  if (millis < 1000) return t('time.ms', { count: Math.round(millis) });
  return t('time.s', { count: (millis / 1000).toFixed(1) });
}

/** A size as people read it, decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return t('health.bytes.kb', { count: Math.max(1, Math.round(bytes / 1e3)) });
  if (bytes < 1e9) return t('health.bytes.mb', { count: (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0) });
  return t('health.bytes.gb', { count: (bytes / 1e9).toFixed(1) });
}

/** Calendar days between two moments on this machine. */
export function daysBetween(at: number, now = Date.now()): number {
  const midnight = (moment: number) => new Date(moment).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(at)) / DAY);
}

function unit(value: number, name: string): string {
  return new Intl.NumberFormat(tag(), { style: 'unit', unit: name, unitDisplay: 'short' }).format(Math.floor(value));
}

/** British English writes the day first, as the design does. */
const tag = () => (locale.current === 'ko' ? 'ko-KR' : 'en-GB');
