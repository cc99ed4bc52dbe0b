import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import { SITE_TYPES } from '../../domain/declaration.ts';
import type { MoreOfPublisher } from '../../domain/read-copy-lines.ts';
import type { Shelf } from './answer.ts';
import { HashTable, mixed } from './hash-table.ts';
import type { PackedPublisher } from './packed-publisher.ts';
import { PublisherBlocks, type PublisherHead } from './publisher-blocks.ts';
import { listsAny } from './shelf.ts';
import { TextPool } from './text-pool.ts';
import { Words } from './words.ts';

/** What is said of an agent, without its address. */
export type Card = Readonly<Record<string, unknown>>;

/** Of an agent: address, name, card, and how many properties and publishers it has. */
const AGENT_WORDS = 5;

/** What the parts of a saved directory are, by name. */
export type Parts = Readonly<Record<string, Uint32Array>>;

/** Agents and publishers in words: a few bytes for each entry, and nothing for a collector of garbage to look at. */
export class Packed implements Shelf {
  readonly texts: TextPool;
  readonly publishers: PublisherBlocks;
  readonly #agents: Words;
  readonly #agentRows: HashTable;
  /** Four words of each identifier that anybody can list: type, value, who lists it, and one more than the row before. */
  readonly #listings: Words;
  readonly #listingRows: HashTable;

  constructor(texts = new TextPool(), parts: Parts = {}) {
    this.texts = texts;
    this.publishers = new PublisherBlocks(texts, parts.publishers, parts['publisher slots']);
    this.#agents = new Words(parts.agents);
    this.#agentRows = new HashTable(parts['agent slots']);
    this.#listings = new Words(parts.listings);
    this.#listingRows = new HashTable(parts['listing slots']);
  }

  /** Each a number of whole words, by name. */
  parts(): Parts {
    return {
      publishers: this.publishers.words.values(),
      'publisher slots': this.publishers.slots(),
      agents: this.#agents.values(),
      'agent slots': this.#agentRows.slots(),
      listings: this.#listings.values(),
      'listing slots': this.#listingRows.slots(),
    };
  }

  /** The card of an agent as the feed shows it. */
  agent(url: string): Card | undefined {
    const row = this.#agentRow(url);
    return row === 0 ? undefined : this.#cardAt(row - 1);
  }

  /** Every agent, with its card. */
  *agents(): Generator<readonly [url: string, card: Card]> {
    for (let row = 0; row < this.#agents.length; row += AGENT_WORDS) {
      const url = this.texts.text(this.#agents.at(row));
      if (this.#agentRow(url) === row + 1) yield [url, this.#cardAt(row)];
    }
  }

  addAgent(url: string, { name, property_count, publisher_count, ...card }: Card): void {
    const { texts } = this;
    const [number, row] = [texts.keep(url), this.#agents.length];
    const counts = [Number(property_count) || 0, Number(publisher_count) || 0];
    this.#agents.push(number, texts.add(String(name)), texts.keep(JSON.stringify(card)), ...counts);
    this.#agentRow(url);
    this.#agentRows.put(row + 1);
  }

  find(domain: string): PackedPublisher | undefined {
    return this.publishers.find(domain);
  }

  addPublisher(line: PublisherToCopy): void {
    this.addContent(line);
    this.addHead({ ...line, hasCatalogue: listsAny(line) });
  }

  /** Ends a publisher: all content since the last one is its. */
  addHead(head: PublisherHead): void {
    this.publishers.addHead(head);
  }

  /** Entries and properties of a publisher, whose head comes behind all of them. */
  addContent(content: MoreOfPublisher): void {
    const place = this.publishers.words.length;
    this.publishers.addContent(content);
    // who has a site has its name
    for (const { identifiers } of content.properties)
      for (const { type, value } of identifiers)
        if (!SITE_TYPES.has(type)) this.#addListing(this.texts.keep(type), this.texts.keep(value), place);
  }

  listing(type: string, value: string, most: number): readonly string[] {
    const [a, b] = [this.texts.find(type), this.texts.find(value)];
    const found = new Set<number>();
    if (a === undefined || b === undefined) return [];
    let row = this.#listingRow(a, b);
    for (; row !== 0 && found.size < most; row = this.#listings.at(row + 2))
      found.add(this.#listings.at(row + 1));
    return [...new Set([...found].map((place) => this.publishers.domainAt(place)))];
  }

  #addListing(type: number, value: number, place: number): void {
    const row = this.#listings.length;
    const before = this.#listingRow(type, value);
    this.#listings.push(type, value, place, before);
    this.#listingRows.put(row + 1);
  }

  /** One more than the row of the last one that lists it; 0: nobody does. */
  #listingRow(type: number, value: number): number {
    const listings = this.#listings;
    let row = this.#listingRows.first(mixed(type, value));
    while (row !== 0 && (listings.at(row - 1) !== type || listings.at(row) !== value))
      row = this.#listingRows.next();
    return row;
  }

  /** One more than its row; 0: there is none. */
  #agentRow(url: string): number {
    const number = this.texts.find(url);
    let row = this.#agentRows.first(this.texts.hashOf(url));
    while (row !== 0 && this.#agents.at(row - 1) !== number) row = this.#agentRows.next();
    return row;
  }

  #cardAt(row: number): Card {
    const [name, card, properties, publishers] = [1, 2, 3, 4].map((place) => this.#agents.at(row + place));
    return {
      name: this.texts.text(name ?? 0),
      ...JSON.parse(this.texts.text(card ?? 0)),
      property_count: properties,
      publisher_count: publishers,
    };
  }
}
