// Days as a date field writes them, on the calendar of this machine.

/** `2026-06-16` of a moment. */
export function inputDate(at: number): string {
  const day = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The first millisecond of a day; `null` for a text that is no date. */
export function startOfDay(text: string): number | null {
  const parts = text.match(/^(\d{4,})-(\d{2})-(\d{2})$/u);
  if (!parts) return null;
  const [, year, month, day] = parts.map(Number);
  const at = new Date(year ?? 0, (month ?? 1) - 1, day ?? 1);
  return at.getMonth() === (month ?? 1) - 1 ? at.getTime() : null;
}

/** The last millisecond of the day of a moment. */
export function endOfDay(at: number): number {
  return new Date(at).setHours(23, 59, 59, 999);
}

/** The same time of day so many days ago, also over a change of the clocks. */
export function daysAgo(days: number): number {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return day.getTime();
}
