import { isDeepStrictEqual } from 'node:util';
import { firstAt, parsePath } from '../json-path.ts';

/** `path`, `!path`, `path == value` or `path != value`. */
export interface Condition {
  readonly path: string;
  readonly test: 'present' | 'absent' | 'equal' | 'unequal';
  readonly value?: unknown;
}

const FORM = /^\s*(!?)\s*([A-Za-z_][\w.[\]*=-]*?)\s*(?:(==|!=)\s*(.+?))?\s*$/;

/** Reads a `skip_if`; undefined for what is none. */
export function parseCondition(text: string): Condition | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, not, path = '', operator, literal] = match;
  if (parsePath(path) === undefined) return undefined;
  if (operator === undefined) return { path, test: not === '!' ? 'absent' : 'present' };
  if (not === '!') return undefined;
  const value = literalOf(literal ?? '');
  return value === undefined ? undefined : { path, test: operator === '==' ? 'equal' : 'unequal', ...value };
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
  const quoted = /^(['"])(.*)\1$/.exec(text);
  if (quoted !== null) return { value: quoted[2] };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
