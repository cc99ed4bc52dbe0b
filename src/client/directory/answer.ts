import {
  type Answer,
  MAX_PUBLISHERS,
  type PublisherFacts,
  QUESTION_BOUNDS,
  type Question,
} from '../../domain/authorisation-question.ts';
import { authorise } from '../../domain/authorise.ts';
import { SITE_TYPES } from '../../domain/declaration.ts';
import { identifiersOfSite, publishersNamed, sitesAbove } from '../../domain/domain-name.ts';
import type { AskedName, ShelvedPublisher } from './shelf.ts';

/** The publishers of a copy. */
export interface Shelf {
  find(domain: string): ShelvedPublisher | undefined;
  /** Those that list an identifier, as many as `most` and not in an order. */
  listing(type: string, value: string, most: number): readonly string[];
}

/** Answers as the registry does: with the same publishers, limits and rules. */
export function answerFrom(shelf: Shelf, question: Question): Answer {
  const read: ReadPublisher[] = [];
  let hasEntries = false;
  for (const domain of publishersOf(shelf, question)) {
    const publisher = shelf.find(domain);
    if (publisher === undefined) continue;
    const entries = publisher.entriesOf(question.agent);
    if (entries.length > 0) hasEntries = true;
    read.push({ publisher, entries, properties: NO_PROPERTIES });
  }
  // without an entry for the agent, no rule needs the properties
  const names = hasEntries ? namesAsked(question) : [];
  if (names.length > 0) for (const one of read) one.properties = one.publisher.propertiesNamed(names);
  const withRoom = withinBounds(read);
  return authorise(
    question,
    read.map((one) => factsOf(one, withRoom.has(one))),
  );
}

interface ReadPublisher {
  readonly publisher: ShelvedPublisher;
  readonly entries: ReturnType<ShelvedPublisher['entriesOf']>;
  properties: ReturnType<ShelvedPublisher['propertiesNamed']>;
}
const NO_PROPERTIES: ReadPublisher['properties'] = [];

/** The shortest first, until one question has no more room. */
function withinBounds(read: readonly ReadPublisher[]): { has(one: ReadPublisher): boolean } {
  let most = 0;
  for (const { entries, properties } of read) {
    for (const one of entries) most += one.most;
    for (const one of properties) most += one.most;
  }
  if (most <= QUESTION_BOUNDS.bytes) return ALL;
  let used = 0;
  const shortest = read.map((one) => ({ one, bytes: bytesOf(one) })).toSorted((a, b) => a.bytes - b.bytes);
  const within = shortest.filter(({ bytes }) => {
    used += bytes;
    return used <= QUESTION_BOUNDS.bytes;
  });
  return new Set(within.map(({ one }) => one));
}

const ALL = { has: () => true };

function bytesOf({ entries, properties }: ReadPublisher): number {
  return [...entries, ...properties].reduce((sum, one) => sum + one.bytes(), 0);
}

/** Where there is no room, the entries are there, unread: they authorise nothing and still object. */
function factsOf({ publisher, entries, properties }: ReadPublisher, hasRoom: boolean): PublisherFacts {
  const counted = entries.slice(0, QUESTION_BOUNDS.entries).map(({ item }) => item);
  return {
    publisher: publisher.publisher,
    file: { url: publisher.url, stale: publisher.stale },
    hasCatalogue: publisher.hasCatalogue,
    properties: hasRoom ? properties.slice(0, QUESTION_BOUNDS.properties).map(({ item }) => item) : [],
    entries: hasRoom ? counted : counted.map(({ entry }) => ({ entry })),
  };
}

function publishersOf(shelf: Shelf, { publisher, property }: Question): readonly string[] {
  if (publisher !== undefined) return publishersNamed(publisher);
  if (property === undefined || !('type' in property)) return [];
  if (SITE_TYPES.has(property.type)) return sitesAbove(property.value);
  return shelf.listing(property.type, property.value, MAX_PUBLISHERS + 1).toSorted();
}

function namesAsked({ property }: Question): readonly AskedName[] {
  if (property === undefined) return [];
  if ('id' in property || property.type !== 'domain') return [property];
  return identifiersOfSite(property.value)
    .toSorted()
    .map((value) => ({ type: 'domain', value }));
}
