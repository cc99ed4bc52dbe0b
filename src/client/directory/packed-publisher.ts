import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';
import { wellKnownUrl } from '../../domain/domain-name.ts';
import { type AskedName, type ShelvedPublisher, type Weighed, weighedProperty } from './shelf.ts';
import { END_OF_TEXTS, type TextPool } from './text-pool.ts';
import type { Words } from './words.ts';

/**
 * The head of a publisher's block, in words. Behind it stand its domain in UTF-8, its entries (agent, said), and its properties
 * (type, id, entry, tags, how many identifiers, and of each type and value). Texts are numbers of the pool.
 */
export const HEAD = { size: 0, flags: 1, domainBytes: 2, url: 3, entries: 4, properties: 5 } as const;
export const HEAD_WORDS = 6;
const [ENTRY_WORDS, PROPERTY_WORDS, IDENTIFIER_WORDS] = [2, 5, 2];
/** Bits of `flags`; the last: its file stands where every file does. */
export const FLAGS = { stale: 1, catalogue: 2, ownUrl: 4 } as const;
/** As the value of a site: the domain of the publisher. No text has this number. */
export const OWN_DOMAIN = END_OF_TEXTS;

/** Whether an identifier is kept as `OWN_DOMAIN`. */
export function isOwnDomain(publisher: string, type: string, value: string): boolean {
  return value === publisher && SITE_TYPES.has(type);
}

/** Where blocks lie, and their texts. */
interface Blocks {
  readonly texts: TextPool;
  readonly words: Words;
  /** What an entry says, by the number of its text. */
  said(text: number): Weighed<AuthorisingEntry>;
}

/** One of the publishers; nothing of it is read before it is asked for. */
export class PackedPublisher implements ShelvedPublisher {
  readonly #blocks: Blocks;
  readonly #place: number;
  readonly #flags: number;
  readonly publisher: string;

  constructor(blocks: Blocks, place: number, publisher: string) {
    this.#blocks = blocks;
    this.#place = place;
    this.#flags = this.#head('flags');
    this.publisher = publisher;
  }

  get url(): string {
    if ((this.#flags & FLAGS.ownUrl) !== 0) return wellKnownUrl(this.publisher, 'adagents');
    return this.#blocks.texts.text(this.#head('url'));
  }

  get stale(): boolean {
    return (this.#flags & FLAGS.stale) !== 0;
  }

  get hasCatalogue(): boolean {
    return (this.#flags & FLAGS.catalogue) !== 0;
  }

  entriesOf(agent: string): readonly Weighed<AuthorisingEntry>[] {
    const { texts, words } = this.#blocks;
    const number = texts.find(agent);
    const found: Weighed<AuthorisingEntry>[] = [];
    if (number === undefined) return found;
    const end = this.#propertiesFrom();
    for (let at = this.#entriesFrom(); at < end; at += ENTRY_WORDS)
      if (words.at(at) === number) found.push(this.#blocks.said(words.at(at + 1)));
    return found;
  }

  propertiesNamed(names: readonly AskedName[]): readonly Weighed<ListedProperty>[] {
    const { texts } = this.#blocks;
    const found: Weighed<ListedProperty>[] = [];
    for (const name of names) {
      const isId = 'id' in name;
      const a = texts.find(isId ? `#${name.id}` : name.type);
      const b = isId ? a : this.#numberOf(name.type, name.value);
      if (a === undefined || b === undefined) continue;
      let at = this.#propertiesFrom();
      for (let left = this.#head('properties'); left > 0; left -= 1) {
        if (isId ? this.#hasId(at, a) : this.#lists(at, a, b))
          found.push(weighedProperty(this.#property(at)));
        at = this.#behind(at);
      }
    }
    return found;
  }

  /** As it was read. */
  line(): PublisherToCopy {
    const { publisher, url, stale } = this;
    const { texts, words } = this.#blocks;
    const properties: ListedProperty[] = [];
    let at = this.#propertiesFrom();
    for (let left = this.#head('properties'); left > 0; left -= 1) {
      properties.push(this.#property(at));
      at = this.#behind(at);
    }
    const entries = Array.from({ length: this.#head('entries') }, (_, n) => {
      const entry = this.#entriesFrom() + n * ENTRY_WORDS;
      return { agent: texts.text(words.at(entry)), ...this.#blocks.said(words.at(entry + 1)).item };
    });
    return { publisher, url, stale, properties, entries };
  }

  #head(name: keyof typeof HEAD): number {
    return this.#blocks.words.at(this.#place + HEAD[name]);
  }

  #entriesFrom(): number {
    return this.#place + HEAD_WORDS + Math.ceil(this.#head('domainBytes') / 4);
  }

  #propertiesFrom(): number {
    return this.#entriesFrom() + this.#head('entries') * ENTRY_WORDS;
  }

  /** Where the next property begins. */
  #behind(property: number): number {
    return property + PROPERTY_WORDS + this.#blocks.words.at(property + 4) * IDENTIFIER_WORDS;
  }

  #numberOf(type: string, value: string): number | undefined {
    return isOwnDomain(this.publisher, type, value) ? OWN_DOMAIN : this.#blocks.texts.find(value);
  }

  #hasId(property: number, id: number): boolean {
    return this.#blocks.words.at(property + 1) === id;
  }

  #lists(property: number, type: number, value: number): boolean {
    const { words } = this.#blocks;
    const end = this.#behind(property);
    for (let at = property + PROPERTY_WORDS; at < end; at += IDENTIFIER_WORDS)
      if (words.at(at + 1) === value && words.at(at) === type) return true;
    return false;
  }

  #property(at: number): ListedProperty {
    const { texts, words } = this.#blocks;
    const [id, entry, tags] = [words.at(at + 1), words.at(at + 2), words.at(at + 3)];
    const identifiers: PropertyIdentifier[] = [];
    const end = this.#behind(at);
    for (let place = at + PROPERTY_WORDS; place < end; place += IDENTIFIER_WORDS) {
      const value = words.at(place + 1);
      identifiers.push({
        type: texts.text(words.at(place)),
        value: value === OWN_DOMAIN ? this.publisher : texts.text(value),
      });
    }
    const property = {
      propertyType: texts.text(words.at(at)),
      identifiers,
      tags: tags === 0 ? [] : (JSON.parse(texts.text(tags)) as string[]),
    };
    if (id === 0 && entry === 0) return property;
    return {
      ...property,
      ...(id !== 0 && { propertyId: texts.text(id).slice(1) }),
      ...(entry !== 0 && { entry: texts.text(entry).slice(1) }),
    };
  }
}
