import { isObject, pointerTo } from '../base/json.ts';
import type { LeakKind, MatchOperation } from '../domain/trusted-match.ts';
import type { Schema } from './schemas.ts';

/** How far an unknown member is searched for a name that says what it is. */
const MAX_DEPTH = 8;

export interface UnknownMember {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly leak: LeakKind;
}

/** Parts of names that speak of somebody. */
const USER_WORDS = new Set(
  `account address advertising age audience audiences birth birthday birthdate browser client consent cookie cookies
   crm customer device dob eid eids email fingerprint gaid gdpr gender geo guid hem household id5 identity identities
   idfa idfv ip ipaddress ipv4 ipv6 lat latitude login lon longitude maid mail member msisdn person phone ppid
   profile rampid segment segments session ssn subscriber tel token tokens ua uid uid2 user userid username users uuid
   visitor yob zip`.split(/\s+/),
);

/** Parts of names that speak of a page or a place on one. */
const PAGE_WORDS = new Set(
  `ad adunit app article artifact bundle canonical category categories channel content context description domain
   episode format formats genre headline href html iab inventory keyword keywords language location page pageurl
   pageview path placement placements podcast program programme property publisher query ref referer referrer screen
   search section sensitive series site slot slug text title topic topics uri url urls video website`.split(
    /\s+/,
  ),
);

/** What an unknown member is counted as: its name says whether it speaks of what the operation must not know. */
export function kindOfName(name: string, operation: MatchOperation): LeakKind {
  const parts = partsOf(name);
  if (operation === 'context')
    return parts.some((part) => USER_WORDS.has(part)) ? 'user_field' : 'unknown_field';
  return parts.some((part) => PAGE_WORDS.has(part)) ? 'page_field' : 'unknown_field';
}

/** The words of a name, small, and without the disguise of letters that only look like Latin ones. */
function partsOf(name: string): readonly string[] {
  const plain = [
    ...name
      .slice(0, 200)
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}\p{Cc}]/gu, ''),
  ]
    .map((letter) => LOOK_ALIKES.get(letter) ?? letter)
    .join('');
  const words = plain
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return [...words, words.join('')];
}

/** Letters of Cyrillic and Greek that look like Latin ones (Unicode, confusables.txt), as far as names are made of them. */
const LOOK_ALIKES = new Map<string, string>(
  [
    ['аеорсухіјѕһԁԛԝкмтвнгп', 'aeopcyxijshdqwkmtbhrn'],
    ['АВЕКМНОРСТУХІЈЅ', 'ABEKMHOPCTYXIJS'],
    ['αεικνορτυχγ', 'aeiknoptuxy'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['ıɩɡɑ', 'iiga'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter, at) => [letter, to[at] ?? ''] as const)),
);

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
  const { items } = schema;
  if (Array.isArray(value) && isObject(items))
    return value.flatMap((one, at) => unknownMembers(one, items as Schema, operation, `${place}/${at}`));
  if (!isObject(value)) return [];
  const known = schema.properties ?? {};
  return Object.keys(value).flatMap((name) => {
    const pointer = pointerTo(place, name);
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
