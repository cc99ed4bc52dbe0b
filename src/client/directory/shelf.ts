import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import type { PropertyIdentifier } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';

/** By what a question names a property. */
export type AskedName = { readonly id: string } | PropertyIdentifier;

/** With the bytes of its JSON, as the registry counts them for one question; `most` is never less and costs nothing. */
export interface Weighed<T> {
  readonly item: T;
  readonly most: number;
  readonly bytes: () => number;
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
/** Bytes of JSON that a character can become (`\\u0000`), and what stands around each text. */
const [MOST_OF_CHARACTER, AROUND] = [6, 16];

/** Bytes of the JSON of some values; nothing for what is absent. */
function weightOf(...values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (value === undefined ? 0 : ENCODER.encode(JSON.stringify(value)).length),
    0,
  );
}

function mostOf(texts: number, characters: number): number {
  return texts * AROUND + characters * MOST_OF_CHARACTER;
}

/** Entries are parsed once and kept, so that they are weighed once, too. */
export function weighedEntry({
  entry,
  covers,
  limits,
}: Pick<AuthorisingEntry, 'entry' | 'covers' | 'limits'>): Weighed<AuthorisingEntry> {
  const bytes = weightOf(covers, limits);
  return {
    item: { entry, ...(covers && { covers }), ...(limits && { limits }) },
    most: bytes,
    bytes: () => bytes,
  };
}

export function weighedProperty(item: ListedProperty): Weighed<ListedProperty> {
  const { identifiers, tags } = item;
  let most = mostOf(1, 0);
  for (const { type, value } of identifiers) most += mostOf(2, type.length + value.length);
  for (const tag of tags) most += mostOf(1, tag.length);
  return { item, most, bytes: () => weightOf(identifiers, tags) };
}

/** Whether the catalogue has one of these properties. */
export function listsAny({ properties }: Pick<PublisherToCopy, 'properties'>): boolean {
  return properties.some(({ entry }) => entry === undefined);
}

/** A publisher that was read anew. */
export function shelved(line: PublisherToCopy): ShelvedPublisher {
  const { publisher, url, stale, properties, entries } = line;
  return {
    ...{ publisher, url, stale },
    hasCatalogue: listsAny(line),
    entriesOf: (agent) => entries.filter((one) => one.agent === agent).map(weighedEntry),
    propertiesNamed: (names) =>
      names.flatMap((name) => properties.filter((one) => hasName(one, name)).map(weighedProperty)),
  };
}

function hasName({ propertyId, identifiers }: ListedProperty, name: AskedName): boolean {
  if ('id' in name) return propertyId === name.id;
  return identifiers.some(({ type, value }) => type === name.type && value === name.value);
}
