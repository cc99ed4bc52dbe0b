import type { Covered } from './covered-properties.ts';
import type { Item, OwnCatalogue, Tag } from './own-catalogue.ts';

/** Tags that one publisher brings to one agent at most. */
const MAX_TAGS = 200;

/** What one entry brings to its agent that no entry before it brought. */
export interface Share {
  readonly countByType: Readonly<Record<string, number>>;
  /** Sorted. */
  readonly tags: readonly string[];
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

  constructor(own: OwnCatalogue) {
    this.#own = own;
  }

  nextAgent(): void {
    this.#agent += 1;
    this.#tags = 0;
    this.#hasAll = false;
  }

  give({ all, ids = [], tags = [], inline = [] }: Covered): Share {
    const share: OpenShare = { counts: new Map(), tags: [] };
    if (all === true && !this.#hasAll) {
      this.#hasAll = true;
      for (const item of this.#own.items) this.#giveItem(item, share);
    }
    for (const id of ids) this.#giveItem(this.#own.withId(id), share);
    for (const text of tags) this.#giveTagged(this.#own.tag(text), share);
    for (const property of inline) {
      this.#giveItem(this.#own.item(property), share);
      for (const text of property.tags) this.#giveTag(this.#own.tag(text), share);
    }
    const counts = [...share.counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return { countByType: Object.fromEntries(counts), tags: share.tags.sort() };
  }

  #giveTagged(tag: Tag, share: OpenShare): void {
    if (tag.expandedFor === this.#agent) return;
    tag.expandedFor = this.#agent;
    for (const item of tag.items) this.#giveItem(item, share);
  }

  #giveItem(item: Item | undefined, share: OpenShare): void {
    if (item === undefined || item.givenTo === this.#agent) return;
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
