import type { PublisherToCopy } from '../../domain/copy-lines.ts';
import { SITE_TYPES } from '../../domain/declaration.ts';
import type { ListedProperty } from '../../domain/declared-facts.ts';
import { wellKnownUrl } from '../../domain/domain-name.ts';
import type { MoreOfPublisher } from '../../domain/read-copy-lines.ts';
import { FLAGS, type Packed } from './packed.ts';

/** What is said of an agent, without its address. */
export type Card = Readonly<Record<string, unknown>>;

export function packAgent({ texts, columns, indexes }: Packed, url: string, of: Card): void {
  const { name, property_count, publisher_count, ...card } = of;
  columns['agent.url'].push(texts.keep(url));
  columns['agent.name'].push(texts.add(String(name)));
  columns['agent.card'].push(texts.keep(JSON.stringify(card)));
  columns['agent.properties'].push(Number(property_count) || 0);
  columns['agent.publishers'].push(Number(publisher_count) || 0);
  indexes.agent.add();
}

export function packPublisher(packed: Packed, line: PublisherToCopy): void {
  packContent(packed, line);
  packHead(packed, { ...line, hasCatalogue: listsAny(line) });
}

/** Entries and properties of a publisher, whose head comes behind all of them. */
export function packContent(packed: Packed, { properties, entries }: MoreOfPublisher): void {
  const { texts, columns } = packed;
  for (const { agent, ...said } of entries) {
    columns['entry.agent'].push(texts.keep(agent));
    columns['entry.said'].push(texts.keep(JSON.stringify(said)));
  }
  for (const property of properties) packProperty(packed, property);
}

/** Whether the catalogue has one of these properties. */
export function listsAny({ properties }: Pick<PublisherToCopy, 'properties'>): boolean {
  return properties.some(({ entry }) => entry === undefined);
}

interface PublisherHead extends Pick<PublisherToCopy, 'publisher' | 'url' | 'stale'> {
  readonly hasCatalogue: boolean;
}

/** Ends a publisher: what was packed since the last one is its. */
export function packHead(
  { texts, columns, indexes }: Packed,
  { publisher, url, stale, hasCatalogue }: PublisherHead,
): void {
  const isOwn = url === wellKnownUrl(publisher, 'adagents');
  columns['publisher.domain'].push(texts.keep(publisher));
  columns['publisher.url'].push(isOwn ? 0 : texts.keep(url));
  columns['publisher.flags'].push(
    (stale ? FLAGS.stale : 0) | (hasCatalogue ? FLAGS.catalogue : 0) | (isOwn ? FLAGS.ownUrl : 0),
  );
  columns['publisher.entries'].push(columns['entry.agent'].length);
  columns['publisher.properties'].push(columns['property.type'].length);
  indexes.publisher.add();
}

function packProperty({ texts, columns, indexes }: Packed, property: ListedProperty): void {
  const { propertyType, propertyId, entry, identifiers, tags } = property;
  for (const { type, value } of identifiers) {
    columns['identifier.type'].push(texts.keep(type));
    columns['identifier.value'].push(texts.keep(value));
    columns['identifier.publisher'].push(columns['publisher.domain'].length);
    indexes.identifier.add(!SITE_TYPES.has(type)); // the publisher of a site has its name
  }
  columns['property.type'].push(texts.keep(propertyType));
  columns['property.id'].push(propertyId === undefined ? 0 : texts.keep(`#${propertyId}`));
  columns['property.entry'].push(entry === undefined ? 0 : texts.keep(`#${entry}`));
  columns['property.tags'].push(tags.length === 0 ? 0 : texts.keep(JSON.stringify(tags)));
  columns['property.identifiers'].push(columns['identifier.type'].length);
}

/** Every agent that is packed, with its card. */
export function* packedAgents(packed: Packed): Generator<readonly [url: string, card: Card]> {
  const urls = packed.columns['agent.url'];
  for (let row = 0; row < urls.length; row += 1) {
    const url = packed.texts.text(urls.at(row));
    const card = packed.indexes.agent.row(url) === row ? packed.agent(url) : undefined;
    if (card !== undefined) yield [url, card];
  }
}

/** Every publisher that is packed, as it was read. */
export function* packedPublishers(packed: Packed): Generator<PublisherToCopy> {
  const { texts, columns } = packed;
  for (let row = 0; row < columns['publisher.domain'].length; row += 1) {
    const publisher = texts.text(columns['publisher.domain'].at(row));
    const found = packed.indexes.publisher.row(publisher) === row ? packed.find(publisher) : undefined;
    if (found === undefined) continue;
    const [from, to] = packed.run('publisher.entries', row);
    const [first, last] = packed.run('publisher.properties', row);
    yield {
      ...{ publisher, url: found.url, stale: found.stale },
      properties: Array.from({ length: last - first }, (_, at) => packed.property(first + at)),
      entries: Array.from({ length: to - from }, (_, at) => ({
        agent: texts.text(columns['entry.agent'].at(from + at)),
        ...packed.said(columns['entry.said'].at(from + at)).item,
      })),
    };
  }
}
