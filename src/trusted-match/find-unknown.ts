import { isObject } from '../base/json.ts';
import type { LeakKind, MatchOperation } from '../domain/trusted-match.ts';
import { kindOfName } from './field-names.ts';
import type { Schema } from './schemas.ts';

/** How far an unknown member is searched for a name that says what it is. */
const MAX_DEPTH = 8;

export interface UnknownMember {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly leak: LeakKind;
}

/**
 * The member that a closed schema does not name: the first whose name, or a name in it, speaks of what the operation
 * must not know; else the first of all. Undefined when all are known.
 */
export function findUnknown(
  value: unknown,
  schema: Schema,
  operation: MatchOperation,
): UnknownMember | undefined {
  const unknown = unknownMembers(value, schema, operation, '');
  return unknown.find(({ leak }) => leak !== 'unknown_field') ?? unknown[0];
}

function unknownMembers(
  value: unknown,
  schema: Schema,
  operation: MatchOperation,
  place: string,
): readonly UnknownMember[] {
  if (!isObject(value)) return [];
  const known = schema.properties ?? {};
  return Object.keys(value).flatMap((name) => {
    const pointer = `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const inner = Object.hasOwn(known, name) ? known[name] : undefined;
    if (inner !== undefined) return unknownMembers(value[name], inner, operation, pointer);
    return [{ pointer, leak: kindOfMember(name, value[name], operation, MAX_DEPTH) }];
  });
}

/** By its own name, or by the names in it: what is wrapped is there all the same. */
function kindOfMember(name: string, value: unknown, operation: MatchOperation, depth: number): LeakKind {
  const own = kindOfName(name, operation);
  if (own !== 'unknown_field' || depth === 0 || typeof value !== 'object' || value === null) return own;
  for (const [inner, content] of Object.entries(value)) {
    const kind = kindOfMember(inner, content, operation, depth - 1);
    if (kind !== 'unknown_field') return kind;
  }
  return own;
}
