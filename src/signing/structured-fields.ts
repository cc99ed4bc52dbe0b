import type { Alphabet } from './profile.ts';

const ALPHABETS: Readonly<Record<Alphabet, RegExp>> = {
  base64url: /^[A-Za-z0-9_-]*$/,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

/** A member of a dictionary field: its key, and its value as it was written. */
type Members = ReadonlyMap<string, string>;

const MEMBER = /^([a-z*][a-z0-9_.*-]*)=(.+)$/s;

/**
 * Takes a dictionary (RFC 8941, section 3.2) apart without reading its values. The library keeps the last of two
 * equal keys, as the RFC wants; in a signature the first and the last reader must not differ, so a key that stands
 * twice makes the whole field unreadable. Undefined for what is no dictionary of values.
 */
export function splitDictionary(field: string): Members | undefined {
  const members = new Map<string, string>();
  for (const part of splitOutside(field, ',') ?? ['']) {
    const [, key = '', value = ''] = MEMBER.exec(trimBlanks(part)) ?? [];
    if (key === '' || members.has(key)) return undefined;
    members.set(key, value);
  }
  return members;
}

/**
 * A text without the blanks around it (OWS of RFC 9110, section 5.6.3). By steps: an expression for the blanks at the
 * end begins anew at each blank within, which takes the square of their number.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Splits at a separator outside quoted strings and inner lists; undefined when one of these is not closed. */
export function splitOutside(text: string, separator: ',' | ';'): readonly string[] | undefined {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    if (character === '"') {
      place = closingQuote(text, place);
      if (place === -1) return undefined;
    } else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(start, place));
      start = place + 1;
    }
  }
  return depth === 0 ? [...parts, text.slice(start)] : undefined;
}

/** The place of the quote that closes the one at `open`; -1 when there is none. The rule is the same in JSON. */
export function closingQuote(text: string, open: number): number {
  for (let place = open + 1; place < text.length; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (text[place] === '"') return place;
  }
  return -1;
}

/** Bytes as a byte sequence of a structured field, between colons. */
export function encodeBytes(bytes: Uint8Array, alphabet: Alphabet): string {
  return `:${encoded(bytes, alphabet)}:`;
}

/**
 * The bytes of a text that stands between colons; undefined for another alphabet. Text with
 * bits left over at its end stands for the same bytes as another text, and is told by `isExact`.
 */
export function decodeBytes(text: string, alphabet: Alphabet): Uint8Array | undefined {
  if (!ALPHABETS[alphabet].test(text) || text.length % 4 === 1) return undefined;
  return Buffer.from(text, alphabet);
}

/** True for the one way in which the alphabet writes these bytes. */
export function isExact(text: string, bytes: Uint8Array, alphabet: Alphabet): boolean {
  return encoded(bytes, alphabet) === text;
}

function encoded(bytes: Uint8Array, alphabet: Alphabet): string {
  return Buffer.from(bytes).toString(alphabet);
}
