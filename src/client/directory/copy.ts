import { depthOf, isObject } from '../../base/json.ts';
import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';
import type { MoreOfPublisher } from '../../domain/read-copy-lines.ts';

/** An agent as the feed shows it, without its URL. */
export type Card = Readonly<Record<string, unknown>>;

/** How a question names a property. */
export type PropertyName = { readonly id: string } | PropertyIdentifier;

/** Size of its JSON in bytes, as the registry counts it for `QUESTION_BOUNDS`. */
interface Sized {
  readonly bytes: number;
}
export type CopiedEntry = PublisherToCopy['entries'][number] & AuthorisingEntry & Sized;
export type CopiedProperty = ListedProperty & Sized;

/** Deeper cards are refused, because `JSON.stringify` could not save them. */
const MAX_CARD_DEPTH = 64;

/** The agents and publishers of a registry in memory. */
export class Copy {
  /** Position in the feed. */
  cursor: string;
  /** Start time of the export; RFC 3339. */
  readonly generatedAt: string;
  /** By canonical URL. */
  readonly agents = new Map<string, Card>();
  readonly #publishers = new Map<string, CopiedPublisher>();
  /** Domains of the publishers that list an identifier, by `propertyKey`. */
  readonly #listings = new Map<string, Set<string>>();

  constructor(cursor: string, generatedAt: string) {
    this.cursor = cursor;
    this.generatedAt = generatedAt;
  }

  publisher(domain: string): CopiedPublisher | undefined {
    return this.#publishers.get(domain);
  }

  publishers(): CopiedPublisher[] {
    return [...this.#publishers.values()];
  }

  /** Adds a complete publisher, or replaces the one of the same domain. */
  setPublisher(publisher: CopiedPublisher): void {
    this.deletePublisher(publisher.domain);
    this.#publishers.set(publisher.domain, publisher);
    for (const key of listingKeys(publisher)) {
      const domains = this.#listings.get(key) ?? new Set();
      this.#listings.set(key, domains.add(publisher.domain));
    }
  }

  deletePublisher(domain: string): void {
    const publisher = this.#publishers.get(domain);
    if (publisher === undefined) return;
    this.#publishers.delete(domain);
    for (const key of listingKeys(publisher)) {
      const domains = this.#listings.get(key);
      domains?.delete(domain);
      if (domains?.size === 0) this.#listings.delete(key);
    }
  }

  /** Up to `most` domains of the publishers that list an identifier other than a site. */
  publishersListing(identifier: PropertyIdentifier, most: number): string[] {
    return [...(this.#listings.get(propertyKey(identifier)) ?? [])].slice(0, most);
  }
}

/** A publisher with its entries and properties, found by agent and by name. */
export class CopiedPublisher {
  readonly domain: string;
  readonly url: string;
  readonly stale: boolean;
  /** Whether the file lists a property outside its entries. */
  hasCatalogue = false;
  readonly properties: CopiedProperty[] = [];
  readonly #entriesByAgent = new Map<string, CopiedEntry[]>();
  readonly #propertiesByName = new Map<string, CopiedProperty[]>();

  constructor({ publisher, url, stale }: Pick<PublisherToCopy, 'publisher' | 'url' | 'stale'>) {
    this.domain = publisher;
    this.url = url;
    this.stale = stale;
  }

  /** Adds content, before the publisher is part of a copy. A long publisher has several lines. */
  add({ entries, properties }: Pick<MoreOfPublisher, 'entries' | 'properties'>): void {
    for (const entry of entries) {
      const sized = { ...entry, bytes: jsonBytes(entry.covers) + jsonBytes(entry.limits) };
      append(this.#entriesByAgent, entry.agent, sized);
    }
    for (const property of properties) {
      const { identifiers, tags, propertyId } = property;
      const sized = { ...property, bytes: jsonBytes(identifiers) + jsonBytes(tags) };
      this.properties.push(sized);
      if (property.entry === undefined) this.hasCatalogue = true;
      const keys = new Set(identifiers.map(propertyKey));
      if (propertyId !== undefined) keys.add(propertyKey({ id: propertyId }));
      for (const key of keys) append(this.#propertiesByName, key, sized);
    }
  }

  /** The entries of all agents. */
  entries(): CopiedEntry[] {
    return [...this.#entriesByAgent.values()].flat();
  }

  /** The entries of one agent, in the order of the file. */
  entriesOf(agent: string): readonly CopiedEntry[] {
    return this.#entriesByAgent.get(agent) ?? [];
  }

  /** The properties with one name, given by its `propertyKey`. */
  propertiesNamed(key: string): readonly CopiedProperty[] {
    return this.#propertiesByName.get(key) ?? [];
  }
}

/** Whether a value from an export or a feed can be kept as the card of an agent. */
export function isCard(value: unknown): value is Card {
  return isObject(value) && depthOf(value, MAX_CARD_DEPTH) <= MAX_CARD_DEPTH;
}

/** One text for each name of a property. JSON keeps a type that contains a separator apart. */
export function propertyKey(name: PropertyName): string {
  return JSON.stringify('id' in name ? [name.id] : [name.type, name.value]);
}

/** A site is found by its own domain and the domains above it, so it needs no listing. */
function listingKeys({ properties }: CopiedPublisher): string[] {
  return properties.flatMap(({ identifiers }) =>
    identifiers.filter(({ type }) => !SITE_TYPES.has(type)).map(propertyKey),
  );
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

const ENCODER = new TextEncoder();

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : ENCODER.encode(JSON.stringify(value)).length;
}
