// Cutting text for display. The engine counts Unicode scalar values; JavaScript counts UTF-16 units.

export interface Span {
  start: number;
  end: number;
}

export interface Piece {
  text: string;
  /** Index of the span this piece belongs to; `null` outside every span. */
  span: number | null;
}

/** Offset in UTF-16 units of the `scalars`-th Unicode scalar value. */
function unitOffset(text: string, scalars: number): number {
  let units = 0;
  for (let seen = 0; seen < scalars && units < text.length; seen += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/** A text cut at its spans, in order. Spans that overlap an earlier one or are empty are left out. */
export function cutAtSpans(text: string, spans: readonly Span[]): Piece[] {
  const ordered = spans
    .map((span, index) => ({ index, from: unitOffset(text, span.start), to: unitOffset(text, span.end) }))
    .filter((span) => span.to > span.from)
    .sort((a, b) => a.from - b.from);
  const pieces: Piece[] = [];
  let at = 0;
  for (const span of ordered) {
    if (span.from < at) continue;
    if (span.from > at) pieces.push({ text: text.slice(at, span.from), span: null });
    pieces.push({ text: text.slice(span.from, span.to), span: span.index });
    at = span.to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), span: null });
  return pieces;
}

/** A text cut at every place where one of these words stands, whatever their case. */
export function cutAtWords(text: string, words: readonly string[]): Piece[] {
  const wanted = words.map((word) => word.trim()).filter((word) => word.length > 0);
  if (wanted.length === 0) return text ? [{ text, span: null }] : [];
  const pattern = wanted
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|');
  return text
    .split(new RegExp(`(${pattern})`, 'giu'))
    .map((piece, index) => ({ text: piece, span: index % 2 === 1 ? 0 : null }))
    .filter((piece) => piece.text.length > 0);
}

/** The first `units` UTF-16 units of a text without cutting a character in two. */
export function headOf(text: string, units: number): string {
  if (text.length <= units) return text;
  const code = text.charCodeAt(units - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? units - 1 : units);
}

export interface Chunk {
  text: string;
  /** Where it begins in the whole text, in Unicode scalar values. */
  start: number;
}

/** A long text in chunks of about `units` UTF-16 units, cut after a line break where there is one. */
export function chunksOf(text: string, units: number): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at, at + units);
    const lineEnd = at + units < text.length ? rest.lastIndexOf('\n') + 1 : rest.length;
    const chunk = lineEnd > 0 ? rest.slice(0, lineEnd) : headOf(text.slice(at, at + units + 1), units);
    chunks.push({ text: chunk, start });
    start += [...chunk].length;
    at += chunk.length;
  }
  return chunks;
}

/** The language of a text for its `lang` attribute, by whether it has Hangul. */
export function languageOf(text: string): 'ko' | 'en' {
  return /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]/.test(headOf(text, 2000)) ? 'ko' : 'en';
}
