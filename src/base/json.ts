export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of an object; undefined for anything else, so that prototypes are never read. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The entry of a table under a word of a stranger, which may be the name of what every object inherits; undefined where it has none. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The elements of an array; none for anything else. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * A value of JSON as a text, whoever wrote it. `String()` and templates call the members `toString` and `valueOf` of an
 * object: a stranger who writes them as data makes both throw.
 */
export function asText(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return isObject(value) ? 'object' : String(value);
}

/** The object in a JSON text; undefined for broken JSON and for any other value. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What JSON leaves as it is, and Python's `splitlines`, by which clients read streams, takes for the end of a line. */
const LINE_SEPARATORS = ['\u0085', '\u2028', '\u2029'];

/** The same JSON, which is one line for every reader. */
export function onOneLine(json: string): string {
  const found = LINE_SEPARATORS.filter((one) => json.includes(one));
  const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return found.reduce((text, one) => text.replaceAll(one, escaped(one)), json);
}

/** How deep objects and lists stand inside each other, counted to one above `limit`; 0 for a single value. */
export function depthOf(value: unknown, limit: number): number {
  let level: readonly unknown[] = [value].filter(isNested);
  for (let depth = 0; ; depth += 1) {
    if (level.length === 0 || depth > limit) return depth;
    level = level.flatMap((item) => Object.values(item as object)).filter(isNested);
  }
}

/** True when there are more objects, lists and single values than `limit`; no more of them are looked at than that. */
export function hasMoreValues(root: unknown, limit: number): boolean {
  const open: unknown[] = [root];
  let seen = 0;
  while (open.length > 0) {
    const value = open.pop();
    seen += 1;
    if (seen > limit) return true;
    if (!isNested(value)) continue;
    const inside = Object.values(value as object);
    if (seen + open.length + inside.length > limit) return true;
    for (const item of inside) open.push(item);
  }
  return false;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Appends one step to a JSON pointer, escaped as RFC 6901 says. */
export function pointerTo(parent: string, step: string | number): string {
  if (typeof step === 'number' || !/[~/]/.test(step)) return `${parent}/${step}`;
  return `${parent}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The JSON pointer of a path from the root (RFC 6901). */
export function pointerOf(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(pointerTo, '');
}

/** The steps of a JSON pointer, unescaped (RFC 6901, section 4). */
export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const BACKSLASH = 0x5c;

/** Where the text in quotes that begins at `start` is closed; the length of the whole when it is not. */
export function quotedEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end))
    end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/** The same object type, with every member that may be undefined made optional instead. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without its undefined members, for what strangers declare: null is a value there, and a required member stays required. */
export function defined<T extends object>(object: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const key in object) if (object[key] !== undefined) kept[key] = object[key];
  return kept as Defined<T>;
}

/** Without its undefined and its null members, for what a row holds: what is not known is null there, and absent in our types. */
export function present<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== null && value !== undefined) kept[name] = value;
  }
  return kept as { [Name in keyof T]?: NonNullable<T[Name]> };
}
