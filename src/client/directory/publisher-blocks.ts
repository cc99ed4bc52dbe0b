import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import { wellKnownUrl } from '../../domain/domain-name.ts';
import type { MoreOfPublisher } from '../../domain/read-copy-lines.ts';
import { HashTable } from './hash-table.ts';
import { FLAGS, HEAD, HEAD_WORDS, isOwnDomain, OWN_DOMAIN, PackedPublisher } from './packed-publisher.ts';
import { type Weighed, weighedEntry } from './shelf.ts';
import { isTextAt, type TextPool, textAt } from './text-pool.ts';
import { Words } from './words.ts';

const ENCODER = new TextEncoder();
/** Entries that say the same are parsed once; so many of them are remembered. */
const MAX_PARSED = 20_000;

/** What is said of a publisher beside its content. */
export interface PublisherHead extends Pick<PublisherToCopy, 'publisher' | 'url' | 'stale'> {
  readonly hasCatalogue: boolean;
}

/** The publishers of a packed directory. All of one lies in one block, so that one look at a memory that no cache holds finds it. */
export class PublisherBlocks {
  readonly texts: TextPool;
  readonly words: Words;
  /** Of each domain one more than the place of its block. */
  readonly #places: HashTable;
  readonly #parsed = new Map<number, Weighed<AuthorisingEntry>>();
  /** Of the publisher that is not ended yet. */
  #open = emptyBlock();

  constructor(texts: TextPool, words?: Uint32Array, slots?: Uint32Array) {
    this.texts = texts;
    this.words = new Words(words);
    this.#places = new HashTable(slots);
  }

  slots(): Uint32Array {
    return this.#places.slots();
  }

  /** Of those with one domain the last one. */
  find(domain: string): PackedPublisher | undefined {
    const found = this.#look(domain);
    return found === 0 ? undefined : new PackedPublisher(this, found - 1, domain);
  }

  addContent({ publisher, properties, entries }: MoreOfPublisher): void {
    const { texts } = this;
    const open = this.#open;
    for (const { agent, ...said } of entries)
      open.entryWords.push(texts.keep(agent), texts.keep(JSON.stringify(said)));
    const numberOf = (text: string | undefined) => (text === undefined ? 0 : texts.keep(`#${text}`));
    for (const { propertyType, propertyId, entry, identifiers, tags } of properties) {
      const numbers = [numberOf(propertyId), numberOf(entry)];
      const kept = tags.length === 0 ? 0 : texts.keep(JSON.stringify(tags));
      open.propertyWords.push(texts.keep(propertyType), ...numbers, kept, identifiers.length);
      for (const { type, value } of identifiers) {
        const isOwn = isOwnDomain(publisher, type, value);
        open.propertyWords.push(texts.keep(type), isOwn ? OWN_DOMAIN : texts.keep(value));
      }
    }
    open.entries += entries.length;
    open.properties += properties.length;
  }

  addHead({ publisher, url, stale, hasCatalogue }: PublisherHead): void {
    const { words, texts } = this;
    const { entries, properties, entryWords, propertyWords } = this.#open;
    const isOwn = url === wellKnownUrl(publisher, 'adagents');
    const flags =
      (stale ? FLAGS.stale : 0) | (hasCatalogue ? FLAGS.catalogue : 0) | (isOwn ? FLAGS.ownUrl : 0);
    const domain = ENCODER.encode(publisher);
    const place = words.length;
    words.push(0, flags, domain.length, isOwn ? 0 : texts.keep(url), entries, properties);
    words.pushBytes(domain);
    words.pushAll(entryWords);
    words.pushAll(propertyWords);
    words.set(place + HEAD.size, words.length - place);
    this.#look(publisher);
    this.#places.put(place + 1);
    this.#open = emptyBlock();
  }

  /** Every publisher, as it was read. */
  *lines(): Generator<PublisherToCopy> {
    const { words } = this;
    for (let place = 0; place < words.length; place += words.at(place + HEAD.size)) {
      const domain = this.domainAt(place);
      if (this.#look(domain) === place + 1) yield new PackedPublisher(this, place, domain).line();
    }
  }

  /** Of the publisher whose block begins at this word. */
  domainAt(place: number): string {
    const { words } = this;
    return textAt(words.bytes, (place + HEAD_WORDS) * 4, words.at(place + HEAD.domainBytes));
  }

  said(text: number): Weighed<AuthorisingEntry> {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    if (this.#parsed.size === MAX_PARSED) this.#parsed.clear();
    const said = weighedEntry(JSON.parse(this.texts.text(text)) as AuthorisingEntry);
    this.#parsed.set(text, said);
    return said;
  }

  /** One more than the place of its block; 0: there is none. */
  #look(domain: string): number {
    let found = this.#places.first(this.texts.hashOf(domain));
    while (found !== 0 && !this.#isOf(found - 1, domain)) found = this.#places.next();
    return found;
  }

  #isOf(place: number, domain: string): boolean {
    const { words } = this;
    return isTextAt(words.bytes, (place + HEAD_WORDS) * 4, words.at(place + HEAD.domainBytes), domain);
  }
}

function emptyBlock() {
  return { entries: 0, properties: 0, entryWords: new Words(), propertyWords: new Words() };
}
