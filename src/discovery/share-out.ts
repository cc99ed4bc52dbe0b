import { PROPERTY_TYPES, type Property } from '../domain/declaration.ts';
import type { Coverage } from '../domain/declared-facts.ts';
import { propertyKey } from '../domain/property-identity.ts';

/** Properties of types that the format does not know are counted together. */
const OTHER_TYPE = 'other';
/** Tags that one publisher brings to one agent at most. */
const MAX_TAGS = 200;

/** Which of the publisher's own properties an entry names, unresolved: as long as the entry, and no longer. */
export interface Covered {
  readonly all?: true;
  readonly ids?: readonly string[];
  readonly tags?: readonly string[];
  /** A publisher selector says so: it means properties with an id only. */
  readonly selected?: boolean;
  /** Properties that stand in the entry itself. */
  readonly inline?: readonly Property[];
}

/** What one entry brings to its agent that no entry before it brought. */
export interface Share {
  readonly countByType: Readonly<Record<string, number>>;
  /** Sorted. */
  readonly tags: readonly string[];
}

/** A property; those that are the same are one. */
interface Item {
  readonly type: string;
  readonly hasId: boolean;
  readonly tags: Tag[];
  /** The last agent (see ShareOut) that has it. */
  givenTo: number;
}

interface Tag {
  readonly text: string;
  /** The catalogue's properties that have it. */
  readonly items: Item[];
  /** The last agent that has the tag. */
  givenTo: number;
  /** The last agent that has all its properties. */
  expandedFor: number;
  /** The last agent that has all of them which have an id. */
  listedFor: number;
}

/**
 * A publisher's own properties, indexed once for all entries of a file: what a file costs grows with its size, and not
 * with the product of its entries and its properties.
 */
export class OwnCatalogue {
  readonly items: readonly Item[];
  readonly #domain: string;
  readonly #byKey = new Map<string, Item>();
  readonly #byId = new Map<string, Item>();
  readonly #tags = new Map<string, Tag>();

  /** `domain` is the publisher for whom the file is read. */
  constructor(properties: readonly Property[], domain: string) {
    this.#domain = domain;
    for (const property of properties) {
      const item = this.item(property);
      if (property.propertyId !== undefined) this.#byId.set(property.propertyId, item);
      for (const text of property.tags) {
        const tag = this.tag(text);
        tag.items.push(item);
        item.tags.push(tag);
      }
    }
    this.items = [...this.#byKey.values()];
  }

  withId(id: string): readonly Item[] {
    const item = this.#byId.get(id);
    return item === undefined ? [] : [item];
  }

  hasTag(text: string): boolean {
    return (this.#tags.get(text)?.items.length ?? 0) > 0;
  }

  /**
   * Signals alone, ids and tags that no property of the publisher has, or everything of a file that lists properties and
   * none of the publisher's: buyers' clients resolve them to no property. A selector for all names the publisher itself.
   */
  sellsNothing(covered: Covered, everything: NonNullable<Coverage['all']>): boolean {
    const { all, ids = [], tags = [], inline, selected } = covered;
    if (all === true && selected !== true && everything === 'listed') return true;
    if (all === true || inline !== undefined) return false;
    const isFound = ({ hasId }: Item): boolean => hasId || selected !== true;
    return !(
      ids.some((id) => this.withId(id).length > 0) ||
      tags.some((tag) => this.#tags.get(tag)?.items.some(isFound) === true)
    );
  }

  /** The property; one that stands only inside entries is known from then on, without tags. */
  item(property: Property): Item {
    const key = propertyKey(property, this.#domain);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const isKnown = (PROPERTY_TYPES as readonly string[]).includes(property.propertyType);
    const hasId = property.propertyId !== undefined;
    const item = { type: isKnown ? property.propertyType : OTHER_TYPE, hasId, tags: [], givenTo: 0 };
    this.#byKey.set(key, item);
    return item;
  }

  tag(text: string): Tag {
    const known = this.#tags.get(text);
    if (known !== undefined) return known;
    const tag = { text, items: [], givenTo: 0, expandedFor: 0, listedFor: 0 };
    this.#tags.set(text, tag);
    return tag;
  }
}

/** A share that is being put together. */
interface OpenShare {
  readonly counts: Map<string, number>;
  readonly tags: string[];
}

/**
 * Shares out a publisher's properties among the entries of one agent after the other: each property and each tag goes to
 * the first entry that brings it, so that what is kept for an agent is no more than what there is. An item is marked with
 * the number of the agent that has it, so the next agent needs no clearing.
 */
export class ShareOut {
  readonly #own: OwnCatalogue;
  #agent = 0;
  #tags = 0;
  #hasAll = false;
  #hasListed = false;

  constructor(own: OwnCatalogue) {
    this.#own = own;
  }

  nextAgent(): void {
    this.#agent += 1;
    this.#tags = 0;
    this.#hasAll = false;
    this.#hasListed = false;
  }

  give({ all, ids = [], tags = [], inline = [], selected = false }: Covered): Share {
    const share: OpenShare = { counts: new Map(), tags: [] };
    if (all === true && !this.#hasAll && !(selected && this.#hasListed)) {
      if (selected) this.#hasListed = true;
      else this.#hasAll = true;
      this.#giveItems(this.#own.items, selected, share);
    }
    for (const id of ids) this.#giveItems(this.#own.withId(id), selected, share);
    for (const text of tags) this.#giveTagged(this.#own.tag(text), selected, share);
    for (const property of inline) {
      this.#giveItem(this.#own.item(property), share);
      for (const text of property.tags) this.#giveTag(this.#own.tag(text), share);
    }
    const counts = [...share.counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return { countByType: Object.fromEntries(counts), tags: share.tags.sort() };
  }

  #giveTagged(tag: Tag, selected: boolean, share: OpenShare): void {
    if (tag.expandedFor === this.#agent || (selected && tag.listedFor === this.#agent)) return;
    if (selected) tag.listedFor = this.#agent;
    else tag.expandedFor = this.#agent;
    this.#giveItems(tag.items, selected, share);
  }

  #giveItems(items: readonly Item[], selected: boolean, share: OpenShare): void {
    for (const item of items) if (item.hasId || !selected) this.#giveItem(item, share);
  }

  #giveItem(item: Item, share: OpenShare): void {
    if (item.givenTo === this.#agent) return;
    item.givenTo = this.#agent;
    share.counts.set(item.type, (share.counts.get(item.type) ?? 0) + 1);
    for (const tag of item.tags) this.#giveTag(tag, share);
  }

  #giveTag(tag: Tag, share: OpenShare): void {
    if (this.#tags >= MAX_TAGS || tag.givenTo === this.#agent) return;
    tag.givenTo = this.#agent;
    this.#tags += 1;
    share.tags.push(tag.text);
  }
}
