import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import type { PropertyIdentifier } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';

/** By what a question names a property. */
export type AskedName = { readonly id: string } | PropertyIdentifier;

/** With the bytes of its JSON, as the registry counts them for one question. */
export interface Weighed<T> {
  readonly item: T;
  readonly bytes: number;
}

/** A publisher in a copy, whatever form that has. */
export interface ShelvedPublisher extends Pick<PublisherToCopy, 'publisher' | 'url' | 'stale'> {
  readonly hasCatalogue: boolean;
  /** In the order in which they began. */
  entriesOf(agent: string): readonly Weighed<AuthorisingEntry>[];
  /** For each name those that have it, in their order; one that has two of the names comes twice. */
  propertiesNamed(names: readonly AskedName[]): readonly Weighed<ListedProperty>[];
}

const ENCODER = new TextEncoder();

/** Bytes of the JSON of some values; nothing for what is absent. */
export function weightOf(...values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (value === undefined ? 0 : ENCODER.encode(JSON.stringify(value)).length),
    0,
  );
}

export function weighedEntry({
  entry,
  covers,
  limits,
}: Pick<AuthorisingEntry, 'entry' | 'covers' | 'limits'>): Weighed<AuthorisingEntry> {
  const item = { entry, ...(covers && { covers }), ...(limits && { limits }) };
  return { item, bytes: weightOf(covers, limits) };
}

export function weighedProperty(item: ListedProperty): Weighed<ListedProperty> {
  return { item, bytes: weightOf(item.identifiers, item.tags) };
}

/** A publisher that was read anew. */
export function shelved(line: PublisherToCopy): ShelvedPublisher {
  const { publisher, url, stale, properties, entries } = line;
  return {
    ...{ publisher, url, stale },
    hasCatalogue: properties.some(({ entry }) => entry === undefined),
    entriesOf: (agent) => entries.filter((one) => one.agent === agent).map(weighedEntry),
    propertiesNamed: (names) =>
      names.flatMap((name) => properties.filter((one) => hasName(one, name)).map(weighedProperty)),
  };
}

function hasName({ propertyId, identifiers }: ListedProperty, name: AskedName): boolean {
  if ('id' in name) return propertyId === name.id;
  return identifiers.some(({ type, value }) => type === name.type && value === name.value);
}
