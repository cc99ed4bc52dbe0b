import { defined } from '../base/json.ts';
import type { AuthorisingEntry } from './authorisation-question.ts';
import type { AuthorisationLimits, CollectionSelector } from './declaration.ts';
import type { Coverage, ListedProperty, Names } from './declared-facts.ts';

/** Of the lines of an export. A reader of another version refuses it: it could overlook a limit. */
export const COPY_VERSION = 1;

/** How many of each an export has. */
export interface CopyCounts {
  readonly agents: number;
  readonly publishers: number;
  readonly entries: number;
}

/** The first line of an export. */
export interface CopyHead {
  readonly kind: 'export';
  readonly version: number;
  /** With it the feed goes on where the export began. */
  readonly cursor: string;
  /** RFC 3339. */
  readonly generated_at: string;
  /** As of the begin. */
  readonly counts: CopyCounts;
}

/** An agent as the feed shows it. */
export interface CopiedAgent {
  readonly agent_url: string;
  readonly name: string;
  readonly type: string;
  readonly [label: string]: unknown;
}

/** A publisher with all that an answer about it is made of, in the words of the wire. */
export interface PublisherLine {
  readonly kind: 'publisher';
  readonly publisher_domain: string;
  /** Where its file was read. */
  readonly file: string;
  /** It was read longer ago than two intervals when the line was made. */
  readonly stale: boolean;
  readonly properties: readonly PropertyLine[];
  readonly entries: readonly EntryLine[];
  /** The next line goes on with it. A reader that overlooked it would not know the kind of that line. */
  readonly continued?: true;
}

/** More of the publisher of the line before. */
export interface ContinuationLine extends Pick<PublisherLine, 'properties' | 'entries' | 'continued'> {
  readonly kind: 'continuation';
  readonly publisher_domain: string;
}

/** The last line: an export without it was cut. */
export interface CopyEnd {
  readonly kind: 'end';
  /** Of the lines. */
  readonly counts: CopyCounts;
}

export type CopyLine =
  | CopyHead
  | ({ readonly kind: 'agent' } & CopiedAgent)
  | PublisherLine
  | ContinuationLine
  | CopyEnd;

interface PropertyLine {
  readonly property_type: string;
  readonly property_id?: string;
  readonly name?: string;
  readonly identifiers: ListedProperty['identifiers'];
  readonly tags: readonly string[];
  /** Pointer of the entry in which it stands. */
  readonly entry?: string;
}

interface EntryLine {
  readonly agent_url: string;
  readonly entry: string;
  /** Absent: not read; it authorises nothing, and objects. */
  readonly covers?: CoversLine;
  readonly limits?: LimitsLine;
}

/** What an entry covers: the whole inventory, the listed properties, or those with these ids or tags. */
export interface CoversLine {
  readonly all?: 'inventory' | 'listed';
  readonly property_ids?: readonly string[];
  readonly property_tags?: readonly string[];
  readonly selected?: true;
  readonly inline?: true;
  readonly signals?: readonly string[];
}

export interface LimitsLine {
  readonly delegation_type?: NonNullable<AuthorisationLimits['delegationType']>;
  readonly exclusive?: boolean;
  readonly countries?: readonly string[];
  readonly collections?: readonly {
    readonly publisher_domain: string;
    readonly collection_ids?: readonly string[];
  }[];
  readonly placement_ids?: readonly string[];
  readonly placement_tags?: readonly string[];
  readonly tagged_placements?: readonly string[];
  /** RFC 3339. */
  readonly effective_from?: string;
  readonly effective_until?: string;
}

/** What is known of a publisher, before it is a line. */
export interface PublisherToCopy {
  readonly publisher: string;
  readonly url: string;
  readonly stale: boolean;
  readonly properties: readonly ListedProperty[];
  readonly entries: readonly (Pick<AuthorisingEntry, 'entry' | 'covers' | 'limits'> & {
    readonly agent: string;
  })[];
}

/** A publisher's line without its content. */
export function publisherHead({
  publisher,
  url,
  stale,
}: Pick<PublisherToCopy, 'publisher' | 'url' | 'stale'>) {
  return { kind: 'publisher', publisher_domain: publisher, file: url, stale } as const;
}

/** What a line has of a publisher's content. */
export function contentLine({
  properties,
  entries,
}: Pick<PublisherToCopy, 'properties' | 'entries'>): Pick<PublisherLine, 'properties' | 'entries'> {
  return {
    properties: properties.map(({ propertyType, propertyId, name, identifiers, tags, entry }) => ({
      property_type: propertyType,
      ...defined({ property_id: propertyId, name, entry }),
      identifiers,
      tags,
    })),
    entries: entries.map(({ agent, entry, covers, limits }) => ({
      ...{ agent_url: agent, entry },
      ...(covers && { covers: coversLine(covers) }),
      ...(limits && { limits: limitsLine(limits) }),
    })),
  };
}

function coversLine({ all, ids, tags, selected, inline, signals }: Coverage): CoversLine {
  const lists = { property_ids: listed(ids), property_tags: listed(tags), signals: listed(signals) };
  return defined({ all, selected, inline, ...lists });
}

function listed(names: Names | undefined): readonly string[] | undefined {
  return names === '\n' ? [] : names?.slice(1, -1).split('\n');
}

function limitsLine(limits: AuthorisationLimits): LimitsLine {
  const { delegationType, exclusive, countries, collections, effectiveFrom, effectiveUntil } = limits;
  const { placementIds, placementTags, taggedPlacements } = limits;
  return {
    ...defined({ delegation_type: delegationType, exclusive, countries }),
    ...defined({ collections: collections?.map(collectionLine) }),
    ...defined({ placement_ids: placementIds, placement_tags: placementTags }),
    ...defined({ tagged_placements: taggedPlacements }),
    ...defined({ effective_from: timeLine(effectiveFrom), effective_until: timeLine(effectiveUntil) }),
  };
}

function collectionLine({ publisherDomain, collectionIds }: CollectionSelector) {
  return { publisher_domain: publisherDomain, ...defined({ collection_ids: collectionIds }) };
}

/** Undefined stays so. */
function timeLine(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
