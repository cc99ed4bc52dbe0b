import { trimEnd } from '../../domain/text.ts';
/** A place in a text: from, and up to. */
export type Range = readonly [number, number];

/** A way to write a secret, and how much of it in one piece is told apart from chance. */
interface Form {
  /** In lower case. */
  readonly text: string;
  readonly cased: string;
  readonly enough: number;
}

/** Characters that were compared so far. */
interface Work {
  compared: number;
}

/** Finds where a text holds a secret, or a good part of one. */
export type FindTraces = (text: string) => readonly Range[];

/** Shorter ones stand in many words by chance, and could be guessed from the gaps. */
const MIN_SECRET = 8;
/** A part of a secret counts from a third of it on, within these. */
const PART = { min: 12, max: 24 } as const;
/** What the search looks up: pieces of so many characters. */
const GRAM = 6;
/** Places of one piece that are tried; a secret that repeats itself has many. */
const MAX_PLACES = 32;
/** Comparisons for a text: so many for each of its characters, and some for a short one. */
const WORK = { each: 32, more: 1_000 } as const;
/** A power of two. */
const BEGINNINGS = 65_536;

/**
 * Finds secrets in whatever form an agent may echo them: as they are, in other case, percent-encoded, escaped as in JSON
 * or HTML, several times over, in base64 (also within something longer) and in hexadecimal; and parts of at least a third
 * and twelve characters, as when one is split over two fields. A part that could be words is none: answers are full of
 * words, and one that is changed could fail a check.
 *
 * A secret that repeats itself can be met by a text that is nearly it everywhere. Looking for it then takes too long for
 * everybody else, so the rest of such a text is taken for the secret. `work` counts what was compared.
 */
export function createFindTraces(secrets: readonly string[], work: Work = { compared: 0 }): FindTraces {
  const forms = secrets.filter(({ length }) => length >= MIN_SECRET).flatMap(formsOf);
  if (forms.length === 0) return () => [];
  const escapes = forms.some(({ cased }) => cased.includes('"')) ? ESCAPES : UNQUOTED;
  const places = placesOf(forms);
  const begins = beginningsOf(places);
  const shortest = Math.min(...forms.map(({ enough }) => enough));
  const stride = shortest - GRAM + 1; // whatever is long enough has a whole piece at one of these places
  return (text) => {
    if (text.length < shortest) return [];
    const cased = unescaped(text, escapes);
    let origins: readonly number[] | undefined;
    const found: Range[] = [];
    const most = work.compared + WORK.each * cased.length + WORK.more;
    let plain: string | undefined;
    for (let at = 0; at + GRAM <= cased.length; at += stride) {
      if (begins[beginning(cased, at)] === 0) continue;
      plain ??= lower(cased);
      const [from, to] = longest(plain, at, places.get(plain.slice(at, at + GRAM)) ?? [], work, most);
      if (work.compared > most) return [...found, [found.at(-1)?.[1] ?? 0, text.length]];
      if (from === to) continue;
      origins ??= cased === text ? [] : originsOf(text, escapes);
      found.push([origins[from] ?? from, origins[to] ?? to]);
      at = to - stride;
    }
    return found;
  };
}

interface Place {
  readonly form: Form;
  readonly at: number;
}

function placesOf(forms: readonly Form[]): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  for (const form of forms) {
    for (let at = 0; at + GRAM <= form.text.length; at += 1) {
      const gram = form.text.slice(at, at + GRAM);
      const known = places.get(gram);
      if (known === undefined) places.set(gram, [{ form, at }]);
      else if (known.length < MAX_PLACES) known.push({ form, at });
    }
  }
  return places;
}

/** Most places are told from a piece by three characters in either case, with nothing looked up. */
function beginning(text: string, at: number): number {
  const first = text.charCodeAt(at) | 32;
  const second = text.charCodeAt(at + 1) | 32;
  const third = text.charCodeAt(at + 2) | 32;
  const mixed = (first << 10) ^ (second << 5) ^ third;
  return mixed & (BEGINNINGS - 1);
}

function beginningsOf(places: ReadonlyMap<string, unknown>): Uint8Array {
  const begins = new Uint8Array(BEGINNINGS);
  for (const gram of places.keys()) begins[beginning(gram, 0)] = 1;
  return begins;
}

/** The longest part of a form around a place of the text; empty when none is long enough. */
function longest(text: string, at: number, places: readonly Place[], work: Work, most: number): Range {
  let best: Range = [at, at];
  for (const { form, at: inForm } of places) {
    if (work.compared > most) return best;
    let before = 0;
    while (before < inForm && text[at - before - 1] === form.text[inForm - before - 1]) before += 1;
    let after = GRAM;
    while (inForm + after < form.text.length && text[at + after] === form.text[inForm + after]) after += 1;
    const length = before + after;
    work.compared += length;
    if (length <= best[1] - best[0] || length < form.enough) continue;
    if (isDistinctive(form, inForm - before, inForm + after)) best = [at - before, at + after];
  }
  return best;
}

/** The whole of it, or a part with a figure or letters of both cases, as no word has. */
function isDistinctive({ text, cased }: Form, from: number, to: number): boolean {
  if (to - from === text.length) return true;
  const part = cased.slice(from, to);
  return /\d/.test(part) || (/[a-z]/.test(part) && /[A-Z]/.test(part));
}

function formsOf(secret: string): readonly Form[] {
  const bytes = Buffer.from(secret);
  const written = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...[0, 1, 2].map((offset) => base64At(bytes, offset)),
  ];
  const spelt = [...written, ...written.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
  const texts = new Map(spelt.map((form) => unescaped(form, ESCAPES)).map((cased) => [lower(cased), cased]));
  return [...texts]
    .filter(([{ length }]) => length >= MIN_SECRET)
    .map(([text, cased]) => ({ text, cased, enough: enoughOf(text) }));
}

function enoughOf({ length }: string): number {
  return Math.min(length, Math.max(PART.min, Math.min(PART.max, Math.floor(length / 3))));
}

/** The characters that stand for these bytes alone when so many others come before them, in threes. */
function base64At(bytes: Buffer, offset: number): string {
  const text = trimEnd(Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64'), '=');
  const shared = (offset + bytes.length) % 3 === 0 ? 0 : 1; // the last one may hold bits of what follows
  return text.slice(offset === 0 ? 0 : offset + 1, text.length - shared);
}

const ESCAPES =
  /%(?:25){0,4}([0-9a-f]{2})|\\{1,8}(?:u00([0-9a-f]{2})|x([0-9a-f]{2})|([/"]))|&(?:amp;){0,4}#(?:(\d{2,3})|x([0-9a-f]{2}));/gi;
/** JSON in JSON is full of escaped quotation marks, which only matter where a secret has one. */
const UNQUOTED =
  /%(?:25){0,4}([0-9a-f]{2})|\\{1,8}(?:u00([0-9a-f]{2})|x([0-9a-f]{2})|(\/))|&(?:amp;){0,4}#(?:(\d{2,3})|x([0-9a-f]{2}));/gi;

/** A text without escapes; the same when it has none. */
function unescaped(text: string, escapes: RegExp): string {
  if (!/[%\\&]/.test(text)) return text;
  return text.replace(escapes, (...match) => decoded(match as unknown as RegExpExecArray));
}

/** Where each character of it came from, its end too. Only asked for where something was found: most texts hold nothing. */
function originsOf(text: string, escapes: RegExp): readonly number[] {
  const places: number[] = [];
  let from = 0;
  const copy = (to: number) => {
    for (let at = from; at < to; at += 1) places.push(at);
  };
  for (const { index, 0: found } of text.matchAll(escapes)) {
    copy(index);
    places.push(index);
    from = index + found.length;
  }
  copy(text.length);
  places.push(text.length);
  return places;
}

function decoded([, percent, unicode, hex, itself, decimal, entity]: RegExpExecArray): string {
  const code = percent ?? unicode ?? hex ?? entity;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return itself ?? String.fromCharCode(Number(decimal));
}

/** Keeps the length, which a few letters of other alphabets would change. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
}
