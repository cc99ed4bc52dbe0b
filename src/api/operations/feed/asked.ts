import { limitOf, readParameters } from '../../parameters.ts';
import { invalidValue } from '../../problem.ts';
import { CURSOR } from '../description.ts';
import { MAX_BYTES, MAX_LIST_BYTES } from '../graph/reading.ts';
import { EVENT_TYPES, type EventType } from './events.ts';
import type { PageRoom } from './page.ts';

const [USUAL, MOST] = [100, 10_000];
/** A higher limit than the clients of the field use by default allows longer answers. */
const LONG_FROM = 1_001;
const MAX_PATTERNS = 20;

export const FEED_CURSOR = {
  ...CURSOR,
  description:
    '`cursor` of the previous page. It never expires. If empty or absent, the feed starts with the current state and continues with changes.',
  schema: { type: 'string', maxLength: 100 },
};
export const TYPES = {
  name: 'types',
  in: 'query',
  description: `Comma-separated event types; each can contain one \`*\` as a wildcard. Types: ${EVENT_TYPES.join(', ')}.`,
  schema: { type: 'string', minLength: 1, maxLength: 500 },
  example: 'agent.*,authorization.*',
};
export const LIMIT = {
  name: 'limit',
  in: 'query',
  description: 'Maximum number of changes per page; one change can produce several events.',
  schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
};

export interface FeedAsked extends PageRoom {
  readonly cursor: string | undefined;
  /** The wanted types as requested. */
  readonly types: string;
}

/** Reads the query string of a feed request with these parameters. Throws HttpProblems. */
export function readAsked(text: string, names: readonly string[]): FeedAsked {
  const asked = text.replace(/(^|&)cursor=(?=&|$)/, '$1'); // a client of the field sends it empty after a reset
  const parameters = readParameters(asked, names, 'the feed');
  const types = parameters.get('types') ?? '*';
  const wanted = wantedTypes(types);
  const limit = limitOf(parameters.get('limit'), USUAL, MOST);
  return {
    ...{ cursor: parameters.get('cursor'), types, limit },
    maxBytes: limit < LONG_FROM ? MAX_BYTES : MAX_LIST_BYTES,
    isWanted: (type: EventType) => wanted.has(type),
  };
}

/** Event types that this registry never emits, but which existing client libraries request. */
const FIELD_TYPES = [
  'authorization.modified',
  ...['created', 'updated', 'merged', 'stale', 'reactivated'].map((what) => `property.${what}`),
  ...['created', 'updated', 'merged', 'removed'].map((what) => `collection.${what}`),
];
const KNOWN_TYPES: readonly string[] = [...EVENT_TYPES, ...FIELD_TYPES];

/**
 * The types of events that a text names; none where it names others of the field. Throws an HttpProblem for a text that is
 * too long, and for a pattern that matches no type, because a misspelt type would never deliver events.
 */
export function wantedTypes(types: string): ReadonlySet<EventType> {
  const patterns = types.split(',');
  if (patterns.length > MAX_PATTERNS || patterns.some((one) => one.split('*').length > 2))
    throw invalidValue('types', `at most ${MAX_PATTERNS} types, each with at most one *`, EVENT_TYPES);
  const strange = patterns.find((pattern) => !KNOWN_TYPES.some((type) => fits(type, pattern)));
  if (strange !== undefined)
    throw invalidValue('types', `unknown event type ${JSON.stringify(strange)}`, EVENT_TYPES);
  return fittingTypes(types);
}

/** The same for a text that was accepted before, without checks. */
export function fittingTypes(types: string): ReadonlySet<EventType> {
  const patterns = types.split(',');
  return new Set(EVENT_TYPES.filter((type) => patterns.some((pattern) => fits(type, pattern))));
}

function fits(type: string, pattern: string): boolean {
  const [begin = '', end] = pattern.split('*');
  if (end === undefined) return type === begin;
  return type.length >= begin.length + end.length && type.startsWith(begin) && type.endsWith(end);
}
