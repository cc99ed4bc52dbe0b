import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../base/ajv.ts';
import { once } from '../base/once.ts';
import type { MatchOperation } from '../domain/trusted-match.ts';

/** The version of the schemas that a provider speaks. */
const MATCH_SCHEMA_VERSION = '3.0.0';

export interface Schema {
  readonly $id?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

/** The schema of a request or response in schemas/trusted-match. */
export function matchSchema(operation: MatchOperation, kind: 'request' | 'response'): Schema {
  return shipped(`${MATCH_SCHEMA_VERSION}/${operation}-${kind}.json`);
}

/** By their paths: they never change while the program runs, and one that was compiled is known again. */
const read = new Map<string, Schema>();

function shipped(path: string): Schema {
  const schema = read.get(path) ?? (readSchema(`trusted-match/${path}`) as Schema);
  read.set(path, schema);
  return schema;
}

export interface CheckedRequest<T> {
  /** What is wrong with a value first, or the value. */
  check(value: unknown): { readonly value: T } | { readonly fault: ErrorObject };
  readonly schema: Schema;
}

/** The schema of a request in the form of the public protocol. */
export function publicSchema(operation: 'context' | 'identity'): Schema {
  return shipped(`public/${operation}-request.json`);
}

/** Compiles the schema of a request. It is closed: it refuses whatever it does not name. */
export function compileRequest<T>(schema: Schema): CheckedRequest<T> {
  const validate = quickAjv().compile<T>(schema);
  return {
    schema,
    check: (value) => {
      if (validate(value)) return { value };
      return { fault: (validate.errors as ErrorObject[])[0] as ErrorObject };
    },
  };
}

/** Lists of the schemas have texts only, so that sameness is that of `===`. One for all: to make it costs more than a schema. */
const quickAjv = once((): Ajv2020 => {
  const regExp = Object.assign(quickPattern, { code: 'quickPattern' });
  const ajv = createAjv({ strict: true, code: { regExp } });
  ajv.removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, list: readonly unknown[]) => !wanted || areUnique(list),
    error: { message: 'must not contain duplicates' },
  });
});

/**
 * The two patterns of the schemas that most texts of a request have to follow, as loops: a few times as quick as the
 * regular expressions, which stay what they mean. All other patterns, and texts outside ASCII, are left to these.
 */
interface Pattern {
  test(text: string): boolean;
  /** What it means. Ajv takes patterns with the same text for one and the same. */
  toString(): string;
}

const IDENTIFIER = '^[a-z0-9]+([._-][a-z0-9]+)*$';
const WORDS = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} '&+-]*$";
const LETTER = 1;
const ID_MARK = 2;
const WORD_MARK = 4;
const CAPITAL = 8;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

/** The pattern, quick where it can be. */
export function quickPattern(source: string, flags: string): Pattern {
  const pattern = new RegExp(source, flags);
  const name = { toString: () => String(pattern) };
  if (source === IDENTIFIER) return { ...name, test: isIdentifier };
  if (source === WORDS) return { test: (text) => isAsciiWords(text) || pattern.test(text), ...name };
  return pattern;
}

/** Small letters and digits, with single marks between them. */
function isIdentifier(text: string): boolean {
  let before = ID_MARK;
  for (let at = 0; at < text.length; at += 1) {
    const kind = (KINDS[text.charCodeAt(at)] ?? 0) & (LETTER | ID_MARK);
    if (kind === 0 || (kind === ID_MARK && before === ID_MARK)) return false;
    before = kind;
  }
  return before === LETTER;
}

/** A letter or digit first; then marks as well. */
function isAsciiWords(text: string): boolean {
  if (((KINDS[text.charCodeAt(0)] ?? 0) & (LETTER | CAPITAL)) === 0) return false;
  for (let at = 1; at < text.length; at += 1)
    if (((KINDS[text.charCodeAt(at)] ?? 0) & (LETTER | CAPITAL | WORD_MARK)) === 0) return false;
  return true;
}

function kindOf(character: string): number {
  if (/[a-z0-9]/.test(character)) return LETTER;
  if (/[A-Z]/.test(character)) return CAPITAL;
  return (/[._-]/.test(character) ? ID_MARK : 0) | (/[ '&+-]/.test(character) ? WORD_MARK : 0);
}

/** Whether a list has no text twice, as `uniqueItems` means it. */
export function areUnique(texts: readonly unknown[]): boolean {
  if (texts.length > 16) return new Set(texts).size === texts.length;
  for (let at = 1; at < texts.length; at += 1) if (texts.indexOf(texts[at]) < at) return false;
  return true;
}
