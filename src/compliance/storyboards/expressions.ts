import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/json.ts';
import { firstAt, parsePath } from '../json-path.ts';

/** The value of an expression among values, by whose presence it holds. */
type Condition = (values: unknown) => unknown;

/** A place in a text of a storyboard that stands for a value of the run. */
export interface Placeholder {
  /** As written, `$context.product_id` for example. */
  readonly text: string;
  /** The family: `context`, `generate`, `prior_step`, `run`, `now`, `today`, `agent_url`, `test_kit`, … */
  readonly root: string;
  /** What follows it; the first member where it is a path. */
  readonly name: string;
  /** The rest of a path behind the name, `[0].id` for example. */
  readonly rest: string;
}

/**
 * `$context.name`, `$generate:uuid_v4#alias`, `$test_kit.a.b`, `$agent_url`, and anything between double braces. Names
 * end before what cannot be part of one, so that a placeholder may stand inside a longer text.
 */
const ANY =
  /\$(?:(context|test_kit|prior_step)\.([A-Za-z_][\w-]*)((?:\.[A-Za-z_][\w-]*|\[[^[\]$\s]+\])*)|(generate):(\w+(?:#[\w.-]+)?)|(agent_url)\b)|\{\{([^{}]+)\}\}/g;

/** The placeholder that is the whole text; its value keeps its type. */
export function wholePlaceholder(text: string): Placeholder | undefined {
  if (!text.includes('$') && !text.includes('{{')) return undefined;
  ANY.lastIndex = 0;
  const match = ANY.exec(text);
  return match?.[0] === text ? read(match) : undefined;
}

/** Replaces every placeholder inside a text. */
export function replacePlaceholders(text: string, textFor: (placeholder: Placeholder) => string): string {
  if (!text.includes('$') && !text.includes('{{')) return text;
  return text.replace(ANY, (...groups) => textFor(read(groups.slice(0, -2) as unknown as RegExpExecArray)));
}

/** All placeholders in the texts of a value. */
export function placeholdersIn(value: unknown): readonly Placeholder[] {
  if (typeof value === 'string') {
    const found: Placeholder[] = [];
    replacePlaceholders(value, (placeholder) => {
      found.push(placeholder);
      return '';
    });
    return found;
  }
  if (Array.isArray(value)) return value.flatMap(placeholdersIn);
  return isObject(value) ? Object.values(value).flatMap(placeholdersIn) : [];
}

/** Families of placeholders with the names that they can have; any name where there is no list. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  context: /^/,
  prior_step: /^/,
  test_kit: /^/,
  agent_url: /^/,
  now: /^/,
  today: /^/,
  run: /^id$/,
  runner: /^webhook_(?:url|base)$/,
  generate: /^uuid/,
};

/** True for a placeholder that a run can have a value for. */
export function isKnownPlaceholder({ root, name }: Placeholder): boolean {
  return Object.hasOwn(KNOWN, root) && KNOWN[root]?.test(name) === true;
}

function read(match: RegExpExecArray): Placeholder {
  const [text = '', root, name, rest, generate, kind, agentUrl, braces] = match;
  if (root !== undefined) return { text, root, name: name ?? '', rest: rest ?? '' };
  if (generate !== undefined) return { text, root: generate, name: kind ?? '', rest: '' };
  if (agentUrl !== undefined) return { text, root: agentUrl, name: '', rest: '' };
  return { text, ...inBraces((braces ?? '').trim()) };
}

function inBraces(inner: string): Omit<Placeholder, 'text'> {
  const time = /^(now|today)\s*([+-]\s*\d{1,5}\s*[mhd])?$/.exec(inner);
  if (time !== null) return { root: time[1] ?? '', name: (time[2] ?? '').replaceAll(/\s/g, ''), rest: '' };
  const generate = /^generate:(\w+(?:#[\w.-]+)?)$/.exec(inner);
  if (generate !== null) return { root: 'generate', name: generate[1] ?? '', rest: '' };
  const path = /^([A-Za-z_]\w*)(?:\.([A-Za-z_][\w-]*)(.*))?$/s.exec(inner);
  if (path === null) return { root: 'unknown', name: inner, rest: '' };
  return { root: path[1] ?? '', name: path[2] ?? '', rest: path[3] ?? '' };
}

/** An operator, a bracket, a text, a number, or a path; in one of these ways only, so in linear time. */
const TOKEN =
  /\s*(?:(&&|\|\||[=!<>]=|[<>!()])|('[^']*'|"[^"]*")|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[[^\]'"\s]*\])*))/y;
const MAX_TOKENS = 100;
const WORDS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: 'not' };

/**
 * Reads a `skip_if`: paths, texts, numbers, `true`, `false` and `null`, compared by `==`, `!=`, `<`, `<=`, `>` and `>=`,
 * joined by `and`, `or`, `not` (or `&&`, `||`, `!`) and brackets. Undefined for what is none.
 */
export function parseCondition(text: string): Condition | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const reader = { tokens, at: 0 };
  const whole = anyOf(reader);
  return reader.at === tokens.length ? whole : undefined;
}

interface Token {
  readonly kind: 'mark' | 'value' | 'path';
  readonly text: string;
  readonly value?: unknown;
}
interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

function tokensOf(text: string): readonly Token[] | undefined {
  const whole = text.trimEnd();
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < whole.length) {
    const match = TOKEN.exec(whole);
    if (match === null || tokens.length === MAX_TOKENS) return undefined;
    const [, mark, quoted, number, path] = match;
    if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
    else if (quoted !== undefined) tokens.push({ kind: 'value', text: quoted, value: quoted.slice(1, -1) });
    else if (number !== undefined) tokens.push({ kind: 'value', text: number, value: Number(number) });
    else tokens.push(wordOf(path ?? ''));
  }
  return tokens;
}

function wordOf(text: string): Token {
  const mark = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
  if (mark !== undefined) return { kind: 'mark', text: mark };
  if (/^(?:true|false|null)$/.test(text)) return { kind: 'value', text, value: JSON.parse(text) as unknown };
  return { kind: 'path', text };
}

function take({ tokens, at }: Reader, ...marks: readonly string[]): string | undefined {
  const next = tokens[at];
  return next?.kind === 'mark' && marks.includes(next.text) ? next.text : undefined;
}

function anyOf(reader: Reader): Condition | undefined {
  return joined(reader, '||', (one) => joined(one, '&&', negated));
}

function joined(
  reader: Reader,
  mark: '&&' | '||',
  part: (reader: Reader) => Condition | undefined,
): Condition | undefined {
  let left = part(reader);
  while (left !== undefined && take(reader, mark) !== undefined) {
    reader.at += 1;
    const [first, second] = [left, part(reader)];
    if (second === undefined) return undefined;
    left =
      mark === '&&'
        ? (v) => Boolean(first(v)) && Boolean(second(v))
        : (v) => Boolean(first(v)) || Boolean(second(v));
  }
  return left;
}

function negated(reader: Reader): Condition | undefined {
  const mark = take(reader, '!', 'not');
  if (mark === undefined) return compared(reader);
  reader.at += 1;
  // the word is said of a whole comparison, the mark of one value
  const whole = mark === 'not' || take(reader, '(', '!', 'not') !== undefined;
  const inner = whole ? negated(reader) : operand(reader);
  return inner && ((values) => !inner(values));
}

function compared(reader: Reader): Condition | undefined {
  const left = operand(reader);
  const mark = take(reader, '==', '!=', '<', '<=', '>', '>=');
  if (left === undefined || mark === undefined) return left;
  reader.at += 1;
  const right = operand(reader);
  return right && ((values) => COMPARE[mark]?.(left(values), right(values)) ?? false);
}

const COMPARE: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  // what is not there is null
  '==': (a, b) => isDeepStrictEqual(a ?? null, b ?? null),
  '!=': (a, b) => !isDeepStrictEqual(a ?? null, b ?? null),
  '<': (a, b) => inOrder(a, b) && a < (b as typeof a),
  '<=': (a, b) => inOrder(a, b) && a <= (b as typeof a),
  '>': (a, b) => inOrder(a, b) && a > (b as typeof a),
  '>=': (a, b) => inOrder(a, b) && a >= (b as typeof a),
};

/** Two numbers or two texts; anything else is neither before nor after. */
function inOrder(a: unknown, b: unknown): a is number {
  return (typeof a === 'number' || typeof a === 'string') && typeof a === typeof b;
}

function operand(reader: Reader): Condition | undefined {
  const next = reader.tokens[reader.at];
  reader.at += 1;
  if (next?.kind === 'value') return () => next.value;
  if (next?.kind === 'path') return parsePath(next.text) && ((values) => firstAt(values, next.text).value);
  if (next?.text !== '(') return undefined;
  const inner = anyOf(reader);
  if (take(reader, ')') === undefined) return undefined;
  reader.at += 1;
  return inner;
}

/** Whether a condition holds among these values. What is false, null, empty or 0 counts as not there. */
export function holds(condition: Condition, values: unknown): boolean {
  return Boolean(condition(values));
}
