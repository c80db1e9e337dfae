// Half a surrogate pair is no text: it cannot cross to Rust. It is shown and kept as U+FFFD, as every browser
// shows it, and the rest of what was typed stays as it is.

/** A surrogate without its other half. */
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The same value with every text well-formed. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.replace(LONE, '\uFFFD') as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, wellFormed(part)])) as T;
  }
  return value;
}
