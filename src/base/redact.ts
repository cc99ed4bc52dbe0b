/** Takes secrets out of what an agent said or was sent. */
export type Redact = <T>(value: T) => T;

/** Stands where a secret was. */
export const HIDDEN = '[redacted]';
/**
 * Hides the given credentials, and good parts of them, in every form in which an agent may echo them (createFindTraces),
 * in names too. A value in which nothing is hidden is given back as it is. The list may grow later.
 */
export function createRedact(secrets: readonly string[]): Redact {
  let known = 0;
  let find = createFindTraces([]);
  let numbers: ReadonlySet<number> = new Set();
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutRanges(value, find(value));
    if (typeof value === 'number') return numbers.has(value) ? HIDDEN : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? cleanList(value, clean) : cleanObject(value, clean);
  };
  return (value) => {
    if (known !== secrets.length) {
      known = secrets.length;
      find = createFindTraces(secrets);
      numbers = new Set(secrets.filter((secret) => secret.length >= MIN_SECRET).map(Number));
    }
    return clean(value) as typeof value;
  };
}

type Clean = (value: unknown) => unknown;

function cleanList(list: readonly unknown[], clean: Clean): readonly unknown[] {
  const cleaned = list.map(clean);
  return cleaned.some((item, at) => !Object.is(item, list[at])) ? cleaned : list;
}

function cleanObject(object: object, clean: Clean): object {
  const members: [unknown, unknown][] = [];
  let changed = false;
  for (const [key, item] of Object.entries(object)) {
    const member: [unknown, unknown] = [clean(key), clean(item)];
    changed ||= member[0] !== key || !Object.is(member[1], item);
    members.push(member);
  }
  return changed ? Object.fromEntries(members) : object;
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const kept = ranges.map(([from], n) => text.slice(ranges[n - 1]?.[1] ?? 0, from));
  return [...kept, text.slice(ranges.at(-1)?.[1])].join(HIDDEN);
}

/** A place in a text: from, and up to. */
type Range = readonly [number, number];

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
type FindTraces = (text: string) => readonly Range[];

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
 * Finds secrets in whatever form an agent may echo them: as they are, in other case, percent-encoded, as in a form, escaped
 * as in JSON or HTML, several times over, in base64 (also within something longer) and in hexadecimal; and parts of at least a third
 * and twelve characters, as when one is split over two fields. At the end of a text, which may have been cut there, its
 * first six characters are enough. A part that could be words is none: answers are full of words, and one that is changed
 * could fail a check.
 *
 * A secret that repeats itself can be met by a text that is nearly it everywhere. Looking for it then takes too long for
 * everybody else, so the rest of such a text is taken for the secret. `work` counts what was compared.
 */
export function createFindTraces(secrets: readonly string[], work: Work = { compared: 0 }): FindTraces {
  const forms = secrets.filter(({ length }) => length >= MIN_SECRET).flatMap(longForms);
  if (forms.length === 0) return () => [];
  const escapes = forms.some(({ cased }) => cased.includes('"')) ? ESCAPES : UNQUOTED;
  const search = createSearch(forms, work);
  return (text) => {
    const cased = unescaped(text, escapes);
    const found = search(cased);
    if (cased === text) return found;
    const origins = found.length === 0 ? [] : originsOf(text, escapes);
    const placed = found.map(
      ([from, to]): Range => [origins[from] ?? text.length, origins[to] ?? text.length],
    );
    // what stands before a secret or behind it may be read as an escape with a part of it
    return joined([...placed, ...search(text)]);
  };
}

/**
 * Whether a text holds one of the secrets, or a good part of one, in whatever form: for a text that is left out as a whole
 * then. So it looks for short ones too, and for what white space divides.
 */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const find = createFindTraces(secrets);
  const short = secrets.filter(({ length }) => length < MIN_SECRET).flatMap(formsOf);
  const holds = (one: string) =>
    find(one).length > 0 ||
    [one, unescaped(one, ESCAPES)]
      .map(lower)
      .some((plain) => short.some(({ text: form }) => plain.includes(form)));
  return holds(text) || holds(text.replace(/\s+/g, ''));
}

/** Finds the forms in a text as it is. */
function createSearch(forms: readonly Form[], work: Work): FindTraces {
  const places = placesOf(forms);
  const begins = beginningsOf(places);
  const shortest = Math.min(...forms.map(({ enough }) => enough));
  const stride = shortest - GRAM + 1; // whatever is long enough has a whole piece at one of these places
  return (text) => {
    if (text.length < shortest) return [];
    const found: Range[] = [];
    const most = work.compared + WORK.each * text.length + WORK.more;
    let plain: string | undefined;
    for (let at = 0; at + GRAM <= text.length; at += stride) {
      if (begins[beginning(text, at)] === 0) continue;
      plain ??= lower(text);
      const [from, to] = longest(plain, at, places.get(plain.slice(at, at + GRAM)) ?? [], work, most);
      if (work.compared > most) return [...found, [found.at(-1)?.[1] ?? 0, text.length]];
      if (from === to) continue;
      found.push([from, to]);
      at = to - stride;
    }
    const cutFrom = beginningAtEnd(text, found.at(-1)?.[1] ?? 0);
    return cutFrom === undefined ? found : [...found, [cutFrom, text.length]];
  };

  /** Where the beginning of a form stands at the end of a text, behind `after`: the text may have been cut within it. */
  function beginningAtEnd(text: string, after: number): number | undefined {
    for (let at = Math.max(after, text.length - PART.max); at + GRAM <= text.length; at += 1) {
      if (begins[beginning(text, at)] === 0) continue;
      const rest = lower(text.slice(at));
      for (const { form, at: inForm } of places.get(rest.slice(0, GRAM)) ?? [])
        if (inForm === 0 && form.text.startsWith(rest) && isDistinctive(form, 0, rest.length)) return at;
    }
    return undefined;
  }
}

/** In order, without overlaps. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const all: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last === undefined || from > last[1]) all.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return all;
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

/** Those that are told apart from words by their length. */
function longForms(secret: string): readonly Form[] {
  return formsOf(secret).filter(({ text }) => text.length >= MIN_SECRET);
}

function formsOf(secret: string): readonly Form[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret.toWellFormed());
  const written = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll('%20', '+'), // as in a form
    bytes.toString('hex'),
    base64At(bytes, 0),
    ...[1, 2].map((offset) => base64At(bytes, offset)).filter(({ length }) => length >= GRAM),
  ];
  const spelt = [...written, ...written.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
  const both = spelt.flatMap((form) => [form, unescaped(form, ESCAPES)]).filter((form) => form !== '');
  const texts = new Map(both.map((cased) => [lower(cased), cased]));
  return [...texts].map(([text, cased]) => ({ text, cased, enough: enoughOf(text) }));
}

function enoughOf({ length }: string): number {
  return Math.min(length, Math.max(PART.min, Math.min(PART.max, Math.floor(length / 3))));
}

/** The characters that stand for these bytes alone when so many others come before them, in threes. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const shared = (offset + bytes.length) % 3 === 0 ? 0 : 1; // the last one may hold bits of what follows
  return text.slice(offset === 0 ? 0 : offset + 1, text.length - shared);
}

const ESCAPES =
  /%(?:25){0,4}([0-9a-f]{2})|\\{1,8}(?:u00([0-9a-f]{2})|u\{0{0,4}([0-9a-f]{2})\}|x([0-9a-f]{2})|([/"]))|(\\)\\{1,7}|&(?:amp;){0,4}(?:#0{0,4}(\d{2,3});|#x0{0,4}([0-9a-f]{2});|(amp|lt|gt|quot|apos);)/gi;
/** JSON in JSON is full of escaped quotation marks, which only matter where a secret has one. */
const UNQUOTED =
  /%(?:25){0,4}([0-9a-f]{2})|\\{1,8}(?:u00([0-9a-f]{2})|u\{0{0,4}([0-9a-f]{2})\}|x([0-9a-f]{2})|(\/))|(\\)\\{1,7}|&(?:amp;){0,4}(?:#0{0,4}(\d{2,3});|#x0{0,4}([0-9a-f]{2});|(amp|lt|gt|quot|apos);)/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

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

function decoded(match: RegExpExecArray): string {
  const [, percent, unicode, braced, hex, itself, run, decimal, entity, named] = match;
  const code = percent ?? unicode ?? braced ?? hex ?? entity;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (named !== undefined) return ENTITIES[named.toLowerCase()] ?? '';
  return itself ?? run ?? String.fromCharCode(Number(decimal));
}

/** Keeps the length, which a few letters of other alphabets would change. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
}
