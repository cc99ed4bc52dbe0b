import { PROPERTY_TYPES, type Property } from '../domain/declaration.ts';
import { propertyKey } from './own-properties.ts';

/** Properties of types that the format does not know are counted together. */
const OTHER_TYPE = 'other';

/** A property; those that are the same are one. */
export interface Item {
  readonly type: string;
  readonly tags: Tag[];
  /** The last agent (see ShareOut) that has it. */
  givenTo: number;
}

export interface Tag {
  readonly text: string;
  /** The catalogue's properties that have it. */
  readonly items: Item[];
  /** The last agent that has the tag. */
  givenTo: number;
  /** The last agent that has all its properties. */
  expandedFor: number;
}

/**
 * A publisher's own properties, indexed once for all entries of a file: what a file costs grows with its size, and not
 * with the product of its entries and its properties.
 */
export class OwnCatalogue {
  readonly items: readonly Item[];
  readonly #byKey = new Map<string, Item>();
  readonly #byId = new Map<string, Item>();
  readonly #tags = new Map<string, Tag>();

  constructor(properties: readonly Property[]) {
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

  withId(id: string): Item | undefined {
    return this.#byId.get(id);
  }

  hasTag(text: string): boolean {
    return (this.#tags.get(text)?.items.length ?? 0) > 0;
  }

  /** The property; one that stands only inside entries is known from then on, without tags. */
  item(property: Property): Item {
    const key = propertyKey(property);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const isKnown = (PROPERTY_TYPES as readonly string[]).includes(property.propertyType);
    const item = { type: isKnown ? property.propertyType : OTHER_TYPE, tags: [], givenTo: 0 };
    this.#byKey.set(key, item);
    return item;
  }

  tag(text: string): Tag {
    const known = this.#tags.get(text);
    if (known !== undefined) return known;
    const tag = { text, items: [], givenTo: 0, expandedFor: 0 };
    this.#tags.set(text, tag);
    return tag;
  }
}
