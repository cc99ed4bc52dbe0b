import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/json.ts';
import { firstAt, parsePath, unquoted } from '../json-path.ts';

/** `path`, `!path`, `path == value` or `path != value`. */
interface Condition {
  readonly path: string;
  readonly test: 'present' | 'absent' | 'equal' | 'unequal';
  readonly value?: unknown;
}

const PATH = /^[A-Za-z_][\w.[\]*=-]*$/;

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

/** Reads a `skip_if`; undefined for what is none. The first `==` or `!=` is the operator. */
export function parseCondition(text: string): Condition | undefined {
  const whole = text.trim();
  const not = whole.startsWith('!');
  const rest = not ? whole.slice(1) : whole;
  const at = rest.search(/[!=]=/);
  const path = (at < 0 ? rest : rest.slice(0, at)).trim();
  if (!PATH.test(path) || parsePath(path) === undefined) return undefined;
  if (at < 0) return { path, test: not ? 'absent' : 'present' };
  const value = not ? undefined : literalOf(rest.slice(at + 2).trim());
  return value && { path, test: rest[at] === '=' ? 'equal' : 'unequal', ...value };
}

/** Whether a condition holds among these values. What is false, null, empty or 0 counts as not there. */
export function holds({ path, test, value }: Condition, values: unknown): boolean {
  const found = firstAt(values, path);
  if (test === 'present') return Boolean(found.present && found.value);
  if (test === 'absent') return !(found.present && found.value);
  const same = found.present && isDeepStrictEqual(found.value, value);
  return test === 'equal' ? same : !same;
}

function literalOf(text: string): { readonly value: unknown } | undefined {
  const inside = unquoted(text);
  if (inside !== text) return { value: inside };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
