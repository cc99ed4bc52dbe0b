import { defined } from '../base/json.ts';
import {
  COPY_VERSION,
  type CopyCounts,
  type CopyEnd,
  type CopyHead,
  type CoversLine,
  type LimitsLine,
  type PublisherToCopy,
} from './copy-lines.ts';
import type { AuthorisationLimits, PropertyIdentifier } from './declaration.ts';
import type { Coverage, ListedProperty, Names } from './declared-facts.ts';

/** What one line of an export says, in the words of `authorise`. */
export type ReadLine =
  | CopyHead
  | CopyEnd
  | { readonly kind: 'agent'; readonly url: string; readonly card: Readonly<Record<string, unknown>> }
  | { readonly kind: 'publisher'; readonly publisher: PublisherToCopy; readonly isContinued: boolean }
  | { readonly kind: 'continuation'; readonly publisher: MoreOfPublisher; readonly isContinued: boolean };

/** What a line adds to the publisher of the line before. */
export type MoreOfPublisher = Pick<PublisherToCopy, 'publisher' | 'properties' | 'entries'>;

/** Reads one line, which may be anybody's. Throws a TypeError that says what is wrong with it, without its text. */
export function readCopyLine(text: string): ReadLine {
  const line = objectOf(parsed(text), 'a line');
  switch (line.kind) {
    case 'export':
      return head(line);
    case 'agent': {
      const { kind: _kind, agent_url, ...card } = line;
      return { kind: 'agent', url: textOf(agent_url, 'agent_url'), card };
    }
    case 'publisher':
      return { kind: 'publisher', publisher: publisherOf(line), isContinued: line.continued === true };
    case 'continuation':
      return { kind: 'continuation', publisher: contentOf(line), isContinued: line.continued === true };
    case 'end':
      return { kind: 'end', counts: countsOf(line.counts) };
    default:
      throw new TypeError('the kind of the line is unknown');
  }
}

type Members = Readonly<Record<string, unknown>>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError('the line is not valid JSON');
  }
}

function head({ version, cursor, generated_at, counts }: Members): CopyHead {
  if (version !== COPY_VERSION)
    throw new TypeError(
      `the export has version ${Number(version)}, but this client reads version ${COPY_VERSION}: update the client`,
    );
  const texts = { cursor: textOf(cursor, 'cursor'), generated_at: textOf(generated_at, 'generated_at') };
  return { kind: 'export', version, ...texts, counts: countsOf(counts) };
}

function countsOf(value: unknown): CopyCounts {
  const { agents, publishers, entries } = objectOf(value, 'counts');
  const counts = [agents, publishers, entries].map((count) => {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
      throw new TypeError('counts contains an invalid number');
    return count;
  });
  return { agents: counts[0] ?? 0, publishers: counts[1] ?? 0, entries: counts[2] ?? 0 };
}

function publisherOf({ file, stale, ...content }: Members): PublisherToCopy {
  return { ...contentOf(content), url: textOf(file, 'file'), stale: stale === true };
}

function contentOf({ publisher_domain, properties, entries }: Members): MoreOfPublisher {
  return {
    publisher: textOf(publisher_domain, 'publisher_domain'),
    properties: listOf(properties, 'properties').map(propertyOf),
    entries: listOf(entries, 'entries').map(entryOf),
  };
}

function propertyOf(value: unknown): ListedProperty {
  const { property_type, property_id, name, identifiers, tags, entry } = objectOf(value, 'properties');
  return {
    propertyType: textOf(property_type, 'property_type'),
    identifiers: listOf(identifiers, 'identifiers').map(identifierOf),
    tags: textsOf(tags, 'tags'),
    ...defined({
      entry: optional(entry, 'entry', textOf),
      propertyId: optional(property_id, 'property_id', textOf),
      name: optional(name, 'name', textOf),
    }),
  };
}

function identifierOf(value: unknown): PropertyIdentifier {
  const { type, value: name } = objectOf(value, 'identifiers');
  return { type: textOf(type, 'type'), value: textOf(name, 'value') };
}

function entryOf(value: unknown): PublisherToCopy['entries'][number] {
  const { agent_url, entry, covers, limits } = objectOf(value, 'entries');
  const said = { covers: coverage(covers), limits: limitsOf(limits) };
  const place = { agent: textOf(agent_url, 'agent_url'), entry: textOf(entry, 'entry') };
  // what cannot be read in full authorises nothing
  if (said.covers === undefined || said.limits === undefined) return place;
  return { ...place, covers: said.covers, ...(limits !== undefined && { limits: said.limits }) };
}

const COVERS = ['all', 'property_ids', 'property_tags', 'selected', 'inline', 'signals'];
const LIMITS = [
  ...['delegation_type', 'exclusive', 'countries', 'collections', 'placement_ids', 'placement_tags'],
  ...['tagged_placements', 'effective_from', 'effective_until'],
];

/** Undefined: absent, or with a member that this version does not know, which may narrow it. */
function coverage(value: unknown): Coverage | undefined {
  if (value === undefined) return undefined;
  const line = objectOf(value, 'covers') as CoversLine;
  if (Object.keys(line).some((name) => !COVERS.includes(name))) return undefined;
  const { all, selected, inline } = line;
  if (![undefined, 'inventory', 'listed'].includes(all)) return undefined;
  return {
    ...defined({ all, ids: namesOf(line.property_ids), tags: namesOf(line.property_tags) }),
    ...(selected === true && { selected }),
    ...(inline === true && { inline }),
    ...defined({ signals: namesOf(line.signals) }),
  };
}

function namesOf(value: unknown): Names | undefined {
  const names = optional(value, 'covers', textsOf);
  if (names?.some((name) => name.includes('\n')))
    throw new TypeError('covers contains a name with a line break');
  return names && `\n${names.map((name) => `${name}\n`).join('')}`;
}

/** No limits where there are none; undefined as for what is covered. */
function limitsOf(value: unknown): AuthorisationLimits | undefined {
  if (value === undefined) return {};
  const line = objectOf(value, 'limits') as LimitsLine;
  if (Object.keys(line).some((name) => !LIMITS.includes(name))) return undefined;
  const { delegation_type, exclusive } = line;
  return defined({
    delegationType: delegation_type,
    exclusive,
    countries: optional(line.countries, 'countries', textsOf),
    collections: optional(line.collections, 'collections', listOf)?.map(collectionOf),
    placementIds: optional(line.placement_ids, 'placement_ids', textsOf),
    placementTags: optional(line.placement_tags, 'placement_tags', textsOf),
    taggedPlacements: optional(line.tagged_placements, 'tagged_placements', textsOf),
    effectiveFrom: optional(line.effective_from, 'effective_from', timeOf),
    effectiveUntil: optional(line.effective_until, 'effective_until', timeOf),
  });
}

function collectionOf(value: unknown): NonNullable<AuthorisationLimits['collections']>[number] {
  const { publisher_domain, collection_ids } = objectOf(value, 'collections');
  const ids = optional(collection_ids, 'collection_ids', textsOf);
  return {
    publisherDomain: textOf(publisher_domain, 'publisher_domain'),
    ...defined({ collectionIds: ids }),
  };
}

function optional<T>(value: unknown, name: string, read: (value: unknown, name: string) => T): T | undefined {
  return value === undefined ? undefined : read(value, name);
}

function objectOf(value: unknown, name: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new TypeError(`${name} is not an object`);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${name} is not a list`);
}

function textsOf(value: unknown, name: string): readonly string[] {
  return listOf(value, name).map((item) => textOf(item, name));
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} is not a string`);
}

function timeOf(value: unknown, name: string): number {
  const at = Date.parse(textOf(value, name));
  if (Number.isFinite(at)) return at;
  throw new TypeError(`${name} is not a time`);
}
