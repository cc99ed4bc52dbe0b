import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { PropertyIdentifier } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';
import { wellKnownUrl } from '../../domain/domain-name.ts';
import type { Shelf } from './answer.ts';
import { Column, NumberTable } from './column.ts';
import { NameIndex } from './name-index.ts';
import { RowIndex } from './row-index.ts';
import {
  type AskedName,
  type ShelvedPublisher,
  type Weighed,
  weighedEntry,
  weighedProperty,
} from './shelf.ts';
import { TextPool } from './text-pool.ts';

/** The tables of a packed directory, and their columns. A run of rows of another table begins where the row before ended. */
const TABLES = {
  publisher: ['domain', 'url', 'flags', 'entries', 'properties'],
  entry: ['agent', 'said'],
  property: ['type', 'id', 'entry', 'tags', 'identifiers'],
  identifier: ['type', 'value', 'publisher'],
  agent: ['url', 'name', 'card', 'properties', 'publishers'],
} as const;
type TableName = keyof typeof TABLES;
type ColumnName = { [Name in TableName]: `${Name}.${(typeof TABLES)[Name][number]}` }[TableName];

/** Bits of `publisher.flags`; the last: its file stands where every file does. */
export const FLAGS = { stale: 1, catalogue: 2, ownUrl: 4 } as const;
/** Entries that say the same are parsed once; so many of them are remembered. */
const MAX_PARSED = 20_000;

/** What the parts of a saved directory are, by name. */
export type Parts = Readonly<Record<string, Uint32Array>>;

/** Agents and publishers in columns of numbers: a few bytes for each entry, and nothing for a collector of garbage to look at. */
export class Packed implements Shelf {
  readonly texts: TextPool;
  readonly columns: Readonly<Record<ColumnName, Column>>;
  readonly indexes: {
    readonly publisher: NameIndex;
    readonly identifier: RowIndex;
    readonly agent: NameIndex;
  };
  readonly #parsed = new Map<number, Weighed<AuthorisingEntry>>();

  constructor(texts = new TextPool(), parts: Parts = {}) {
    this.texts = texts;
    const columns = Object.entries(TABLES).flatMap(([name, names]) => {
      const table = new NumberTable(names.length, parts[name]);
      return names.map((column, place) => [`${name}.${column}`, new Column(table, place)]);
    });
    this.columns = Object.fromEntries(columns) as Record<ColumnName, Column>;
    const { 'identifier.type': types, 'identifier.value': values } = this.columns;
    const [slots, next] = [parts['identifier slots'], parts['identifier next']];
    this.indexes = {
      publisher: new NameIndex(texts, this.columns['publisher.domain'], parts['publisher slots']),
      identifier: new RowIndex(types, values, slots && next && { slots, next }),
      agent: new NameIndex(texts, this.columns['agent.url'], parts['agent slots']),
    };
  }

  /** The card of an agent as the feed shows it. */
  agent(url: string): Readonly<Record<string, unknown>> | undefined {
    const row = this.indexes.agent.row(url);
    if (row === undefined) return undefined;
    const number = (name: ColumnName) => this.columns[name].at(row);
    return {
      name: this.texts.text(number('agent.name')),
      ...JSON.parse(this.texts.text(number('agent.card'))),
      property_count: number('agent.properties'),
      publisher_count: number('agent.publishers'),
    };
  }

  find(domain: string): ShelvedPublisher | undefined {
    const row = this.indexes.publisher.row(domain);
    return row === undefined ? undefined : new PackedPublisher(this, row, domain);
  }

  listing(type: string, value: string, most: number): readonly string[] {
    const [a, b] = [this.texts.find(type), this.texts.find(value)];
    const found = new Set<number>();
    if (a === undefined || b === undefined) return [];
    const { identifier } = this.indexes;
    for (let row = identifier.row(a, b); row !== undefined && found.size < most; row = identifier.before(row))
      found.add(this.columns['identifier.publisher'].at(row));
    return [...found].map((row) => this.texts.text(this.columns['publisher.domain'].at(row)));
  }

  entriesOf(row: number, agent: string): readonly Weighed<AuthorisingEntry>[] {
    const text = this.texts.find(agent);
    const found: Weighed<AuthorisingEntry>[] = [];
    if (text === undefined) return found;
    const { 'entry.agent': agents, 'entry.said': said } = this.columns;
    const [from, to] = this.run('publisher.entries', row);
    for (let at = agents.find(text, from, to); at < to; at = agents.find(text, at + 1, to))
      found.push(this.said(said.at(at)));
    return found;
  }

  said(text: number): Weighed<AuthorisingEntry> {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    if (this.#parsed.size === MAX_PARSED) this.#parsed.clear();
    const said = weighedEntry(JSON.parse(this.texts.text(text)) as AuthorisingEntry);
    this.#parsed.set(text, said);
    return said;
  }

  propertiesNamed(row: number, name: AskedName, found: Weighed<ListedProperty>[]): void {
    const [from, to] = this.run('publisher.properties', row);
    const isId = 'id' in name;
    const a = this.texts.find(isId ? `#${name.id}` : name.type);
    const b = isId ? a : this.texts.find(name.value);
    if (a === undefined || b === undefined) return;
    const { 'property.id': ids, 'identifier.type': types, 'identifier.value': values } = this.columns;
    for (let at = from; at < to; at += 1) {
      let isMeant = isId && ids.at(at) === a;
      if (!isId) {
        const [start, end] = this.run('property.identifiers', at);
        for (let one = start; one < end && !isMeant; one += 1)
          isMeant = values.at(one) === b && types.at(one) === a;
      }
      if (isMeant) found.push(weighedProperty(this.property(at)));
    }
  }

  property(row: number): ListedProperty {
    const { texts, columns } = this;
    const [start, end] = this.run('property.identifiers', row);
    const { 'identifier.type': types, 'identifier.value': values } = columns;
    const identifiers: PropertyIdentifier[] = [];
    for (let at = start; at < end; at += 1)
      identifiers.push({ type: texts.text(types.at(at)), value: texts.text(values.at(at)) });
    const id = texts.text(columns['property.id'].at(row));
    const entry = texts.text(columns['property.entry'].at(row));
    const tags = texts.text(columns['property.tags'].at(row));
    const propertyType = texts.text(columns['property.type'].at(row));
    const property = { propertyType, identifiers, tags: tags === '' ? [] : (JSON.parse(tags) as string[]) };
    if (id === '' && entry === '') return property;
    return {
      ...property,
      ...(id !== '' && { propertyId: id.slice(1) }),
      ...(entry !== '' && { entry: entry.slice(1) }),
    };
  }

  /** The rows of another table that are a row's. */
  run(name: ColumnName, row: number): readonly [from: number, to: number] {
    return [row === 0 ? 0 : this.columns[name].at(row - 1), this.columns[name].at(row)];
  }
}

/** One of the publishers; nothing of it is read before it is asked for. */
class PackedPublisher implements ShelvedPublisher {
  readonly #packed: Packed;
  readonly #row: number;
  readonly #flags: number;
  readonly publisher: string;

  constructor(packed: Packed, row: number, publisher: string) {
    this.#packed = packed;
    this.#row = row;
    this.#flags = packed.columns['publisher.flags'].at(row);
    this.publisher = publisher;
  }

  get url(): string {
    if ((this.#flags & FLAGS.ownUrl) !== 0) return wellKnownUrl(this.publisher, 'adagents');
    return this.#packed.texts.text(this.#packed.columns['publisher.url'].at(this.#row));
  }

  get stale(): boolean {
    return (this.#flags & FLAGS.stale) !== 0;
  }

  get hasCatalogue(): boolean {
    return (this.#flags & FLAGS.catalogue) !== 0;
  }

  entriesOf(agent: string): readonly Weighed<AuthorisingEntry>[] {
    return this.#packed.entriesOf(this.#row, agent);
  }

  propertiesNamed(names: readonly AskedName[]): readonly Weighed<ListedProperty>[] {
    const found: Weighed<ListedProperty>[] = [];
    for (const name of names) this.#packed.propertiesNamed(this.#row, name, found);
    return found;
  }
}
