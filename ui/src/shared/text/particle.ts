// Korean particles by the last sound of the word before them, so that nobody reads "을(를)".

/** How a word ends when it is read aloud: on a vowel, on ㄹ, or on another final consonant. */
type Ending = 'vowel' | 'rieul' | 'consonant';

/** How the ten digits end when read in Korean: 영 일 이 삼 사 오 육 칠 팔 구. */
const DIGITS: Ending[] = [
  'consonant',
  'rieul',
  'vowel',
  'consonant',
  'vowel',
  'vowel',
  'consonant',
  'rieul',
  'rieul',
  'vowel',
];

/** Units and signs that are read as a word of their own. */
const SIGNS: Record<string, Ending> = { '%': 'vowel', '℃': 'vowel', $: 'vowel', '₩': 'consonant', '€': 'vowel' };

/** Final letters of a Latin abbreviation that end on a consonant when spelled out: 엘 엠 엔 알. */
const SPELLED: Record<string, Ending> = { L: 'rieul', M: 'consonant', N: 'consonant', R: 'rieul' };

const HANGUL_FIRST = 0xac00;
const HANGUL_LAST = 0xd7a3;
/** Final consonants (with "none") that one vowel can carry; ㄹ is the eighth. */
const FINALS = 28;
const RIEUL = 8;

/** The last sound of a text; `null` when it holds nothing that can be read. */
export function endingOf(text: string): Ending | null {
  const word = text.normalize('NFC').match(/([\p{L}\p{N}%℃$₩€]+)[^\p{L}\p{N}%℃$₩€]*$/u)?.[1];
  if (!word) return null;
  const last = [...word].at(-1) ?? '';
  const code = last.codePointAt(0) ?? 0;
  if (code >= HANGUL_FIRST && code <= HANGUL_LAST) {
    const final = (code - HANGUL_FIRST) % FINALS;
    return final === 0 ? 'vowel' : final === RIEUL ? 'rieul' : 'consonant';
  }
  if (last in SIGNS) return SIGNS[last] ?? null;
  if (/[0-9]/.test(last)) return endingOfNumber(text);
  const latin = word.match(/[A-Za-z]+$/)?.[0];
  return latin ? endingOfLatin(latin) : 'vowel';
}

function endingOfNumber(text: string): Ending {
  const digits = text.match(/([0-9][0-9,]*)[^0-9]*$/)?.[1]?.replaceAll(',', '') ?? '0';
  const zeros = digits.match(/0+$/)?.[0].length ?? 0;
  // 조 (10^12) is the one round number that ends on a vowel: 십, 백, 천, 만 and 억 do not.
  if (zeros > 0 && zeros < digits.length) return zeros >= 12 && zeros < 16 ? 'vowel' : 'consonant';
  return DIGITS[Number(digits.at(-1))] ?? 'consonant';
}

function endingOfLatin(word: string): Ending {
  // An abbreviation is spelled: SQL → 에스큐엘. One letter is, too.
  if (word === word.toUpperCase()) return SPELLED[word.at(-1) ?? ''] ?? 'vowel';
  const lower = word.toLowerCase();
  // Apple → 애플, mail → 메일; Chrome → 크롬, phone → 폰.
  if (/(l|le)$/.test(lower)) return 'rieul';
  if (/(m|n|ng|me|ne)$/.test(lower)) return 'consonant';
  // A stop after one short vowel stays a final consonant: book → 북, git → 깃, Slack → 슬랙.
  if (/(^|[^aeiouy])([aeiou]|oo)(b|c|g|k|p|t|ck)$/.test(lower)) return 'consonant';
  return 'vowel';
}

/** Picks from a pair as it is written in a message: `을/를`, `이/가`, `은/는`, `과/와`, `으로/로`, `이에요/예요`. */
export function particle(text: string, pair: string): string {
  const [afterConsonant = '', afterVowel = ''] = pair.split('/');
  const ending = endingOf(text) ?? 'vowel';
  // (으)로 is the one particle that treats ㄹ as a vowel: 서울로, not 서울으로.
  if (ending === 'rieul') return afterConsonant.startsWith('으로') ? afterVowel : afterConsonant;
  return ending === 'consonant' ? afterConsonant : afterVowel;
}
