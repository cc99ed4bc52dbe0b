import { bareName, namesPublisher } from './own-properties.ts';

interface Named<T> {
  readonly name: string;
  readonly item: T;
}

/**
 * Things under the publishers that they name, found by any name of a publisher (see namesPublisher) at a cost that does
 * not grow with the number of the others.
 */
export class ByPublisher<T> {
  readonly #named = new Map<string, Named<T>[]>();
  /** They name nobody. */
  readonly unnamed: T[] = [];

  add(name: string | undefined, item: T): void {
    if (name === undefined) {
      this.unnamed.push(item);
      return;
    }
    const bare = bareName(name);
    const list = this.#named.get(bare);
    if (list === undefined) this.#named.set(bare, [{ name, item }]);
    else list.push({ name, item });
  }

  /** In the order in which they were added. */
  of(domain: string): T[] {
    const list = this.#named.get(bareName(domain)) ?? [];
    return list.filter(({ name }) => namesPublisher(name, domain)).map(({ item }) => item);
  }
}
