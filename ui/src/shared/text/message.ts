// Messages of the locale files: `{name}`, `{count, number}`, `{count, plural, one {# memory} other {# memories}}`,
// `{kind, select, a {…} other {…}}` and `{name, particle, 을/를}` (prints only the particle).
import { particle } from './particle';

export type Arguments = Record<string, string | number>;

type Part =
  | { kind: 'text'; text: string }
  | { kind: 'count' }
  | { kind: 'value'; name: string }
  | { kind: 'number'; name: string }
  | { kind: 'particle'; name: string; pair: string }
  | { kind: 'choice'; name: string; plural: boolean; branches: Record<string, Part[]> };

const parsed = new Map<string, Part[]>();
const numberFormats = new Map<string, Intl.NumberFormat>();
const pluralRules = new Map<string, Intl.PluralRules>();

/** A message in a language with its values filled in. */
export function format(message: string, args: Arguments, locale: string): string {
  let parts = parsed.get(message);
  if (!parts) {
    parts = new Parser(message).parse(false);
    parsed.set(message, parts);
  }
  return write(parts, args, locale, 0);
}

/** The names of the values that a message takes; both locales must agree on them. */
export function argumentsOf(message: string): string[] {
  const names = new Set<string>();
  const walk = (parts: Part[]) => {
    for (const part of parts) {
      if ('name' in part) names.add(part.name);
      if (part.kind === 'choice') Object.values(part.branches).forEach(walk);
    }
  };
  walk(new Parser(message).parse(false));
  return [...names].sort();
}

/** A number as the language writes it. */
export function formatNumber(value: number, locale: string, digits = 0): string {
  const key = `${locale}:${digits}`;
  let formatter = numberFormats.get(key);
  if (!formatter) {
    formatter = new Intl.NumberFormat(locale, { maximumFractionDigits: digits });
    numberFormats.set(key, formatter);
  }
  return formatter.format(value);
}

function write(parts: Part[], args: Arguments, locale: string, count: number): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'text':
          return part.text;
        case 'count':
          return formatNumber(count, locale);
        case 'value': {
          const value = args[part.name] ?? '';
          return typeof value === 'number' ? formatNumber(value, locale, 2) : value;
        }
        case 'number':
          return formatNumber(Number(args[part.name] ?? 0), locale);
        case 'particle':
          return particle(String(args[part.name] ?? ''), part.pair);
        case 'choice':
          return writeChoice(part, args, locale);
      }
    })
    .join('');
}

function writeChoice(part: Extract<Part, { kind: 'choice' }>, args: Arguments, locale: string): string {
  const value = args[part.name] ?? '';
  const number = Number(value);
  const branch = part.plural
    ? (part.branches[`=${number}`] ?? part.branches[pluralOf(number, locale)])
    : part.branches[String(value)];
  return write(branch ?? part.branches['other'] ?? [], args, locale, part.plural ? number : 0);
}

function pluralOf(value: number, locale: string): string {
  let rules = pluralRules.get(locale);
  if (!rules) {
    rules = new Intl.PluralRules(locale);
    pluralRules.set(locale, rules);
  }
  return rules.select(value);
}

class Parser {
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  parse(inPlural: boolean): Part[] {
    const parts: Part[] = [];
    let text = '';
    const flush = () => {
      if (text) parts.push({ kind: 'text', text });
      text = '';
    };
    while (this.at < this.source.length) {
      const character = this.source.charAt(this.at);
      if (character === '}') break;
      if (character === '{') {
        flush();
        parts.push(this.placeholder());
      } else if (character === '#' && inPlural) {
        flush();
        parts.push({ kind: 'count' });
        this.at += 1;
      } else {
        text += character;
        this.at += 1;
      }
    }
    flush();
    return parts;
  }

  private placeholder(): Part {
    this.at += 1;
    const name = this.word();
    if (this.skip('}')) return { kind: 'value', name };
    this.expect(',');
    const kind = this.word();
    if (kind === 'number') {
      this.expect('}');
      return { kind, name };
    }
    this.expect(',');
    if (kind === 'particle') {
      const pair = this.word();
      this.expect('}');
      return { kind, name, pair };
    }
    if (kind !== 'plural' && kind !== 'select') throw new Error(`unknown kind \`${kind}\` in \`${this.source}\``);
    const branches: Record<string, Part[]> = {};
    while (!this.skip('}')) {
      const key = this.word();
      this.expect('{');
      branches[key] = this.parse(kind === 'plural');
      this.expect('}');
    }
    if (!branches['other']) throw new Error(`\`other\` is missing in \`${this.source}\``);
    return { kind: 'choice', name, plural: kind === 'plural', branches };
  }

  private spaces() {
    while (/\s/.test(this.source.charAt(this.at))) this.at += 1;
  }

  private word(): string {
    this.spaces();
    const from = this.at;
    while (this.at < this.source.length && !/[\s,{}]/.test(this.source.charAt(this.at))) this.at += 1;
    if (this.at === from) throw new Error(`a name is missing at ${this.at} in \`${this.source}\``);
    return this.source.slice(from, this.at);
  }

  private skip(character: string): boolean {
    this.spaces();
    if (this.source.charAt(this.at) !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string) {
    if (!this.skip(character)) throw new Error(`\`${character}\` expected at ${this.at} in \`${this.source}\``);
  }
}
