import { isObject, type JsonObject, pointerTo } from '../../base/json.ts';
import type { Finding } from '../../domain/finding.ts';
import { readInstant } from '../../domain/text.ts';
import { createReport, type Report } from '../report.ts';
import { checkFormat, checkFormatOptions, checkRenderers, formatIdentity } from './catalogue-formats.ts';
import { checkCatalogueNames, type KnownNames, type Listed, listedAt } from './catalogue-names.ts';
import { checkSignal } from './catalogue-signals.ts';
import { checkTerms } from './catalogue-terms.ts';

/** What a list of the catalogue holds: which member names an element, and what else is looked at. */
interface ListKind {
  readonly id: string;
  /** Formats may do without id and name. */
  readonly isNamed: boolean;
  /** Its members that are lists of texts, besides those that `check` looks at. */
  readonly lists?: readonly string[];
  identity?(element: JsonObject, id: string): string;
  check?(element: JsonObject, pointer: string, report: Report): void;
}

const LISTS: Readonly<Record<'signals' | 'placements' | 'collections' | 'formats', ListKind>> = {
  signals: {
    ...{ id: 'id', isNamed: true, check: checkSignal },
    lists: ['data_sources', 'id_types', 'countries'],
  },
  placements: {
    ...{ id: 'placement_id', isNamed: true, check: checkPlacement },
    lists: ['property_ids', 'property_tags', 'collection_ids', 'channels', 'tags'],
  },
  collections: { id: 'collection_id', isNamed: true, lists: ['genre'] },
  formats: {
    ...{ id: 'format_option_id', isNamed: false, identity: formatIdentity, check: checkFormat },
    lists: ['applies_to_property_ids', 'applies_to_property_tags'],
  },
};
const TAG_WORDS = ['tags', 'placement_tags', 'signal_tags'];
/** Private to the seller: product data that leaks into a public file. */
const PRIVATE = ['visibility', 'source', 'origin', 'delivery_mappings', 'format_ids'];
const SIGNAL_ID = /^[\w-]+$/;
const MAX_NAME = 255;

/**
 * What is wrong with the catalogue of an adagents.json, and with what its entries name there, by the schema and the
 * validators of the field. It explains: no authorisation depends on it, so only `validate` looks. Linear in the file.
 * `publisher` is the domain that publishes the file, where it is known.
 */
export function catalogueFindings(document: JsonObject, publisher?: string): readonly Finding[] {
  const report = createReport();
  if (Object.hasOwn(document, 'authoritative_location')) return [];
  checkTop(document, report);
  const listed: Record<string, readonly Listed[]> = {};
  for (const [key, kind] of Object.entries(LISTS)) listed[key] = checkList(document, key, kind, report);
  const names: KnownNames = {
    ...namesOf('properties', 'property_id', listedAt(document.properties, '/properties')),
    ...namesOf('signals', 'id', listed.signals),
    ...namesOf('placements', 'placement_id', listed.placements),
    ...namesOf('collections', 'collection_id', listed.collections),
  };
  checkCatalogueNames(document, { publisher, listed, names, report });
  checkTerms(document, report);
  checkFormatOptions(listed, report);
  checkRenderers(document, { formats: listed.formats ?? [], publisher, report });
  return report.list();
}

function checkTop(document: JsonObject, report: Report): void {
  if (Array.isArray(document.authorized_agents)) {
    const { $schema, last_updated: updated } = document;
    if (typeof $schema !== 'string' || $schema === '') report.add('schema_missing', '');
    if (updated === undefined || updated === null || updated === '') report.add('last_updated_missing', '');
    if (typeof updated === 'string' && readInstant(updated)?.isDate)
      report.add('date_without_time', '/last_updated', updated);
  }
  const { catalog_etag: tag } = document;
  if (tag !== undefined && !isText(tag, MAX_NAME)) report.add('catalog_etag_invalid', '/catalog_etag', tag);
  for (const key of TAG_WORDS) {
    const words = document[key];
    if (!isObject(words)) {
      if (words !== undefined) report.add('wrong_type', `/${key}`, words);
      continue;
    }
    for (const tag of Object.keys(words)) {
      const said = words[tag];
      if (!isObject(said) || typeof said.name !== 'string' || typeof said.description !== 'string')
        report.add('tag_undescribed', pointerTo(`/${key}`, tag));
    }
  }
}

function checkList(document: JsonObject, key: string, kind: ListKind, report: Report): readonly Listed[] {
  const { [key]: list } = document;
  if (list !== undefined && !Array.isArray(list)) report.add('wrong_type', `/${key}`, list);
  const known = new Set<string>();
  const elements = listedAt(list, `/${key}`, report);
  for (const { value, pointer } of elements) {
    checkId(value, pointer, kind, known, report);
    if (kind.isNamed && !isText(value.name, key === 'signals' ? MAX_NAME : Infinity))
      report.add('catalogue_name_missing', pointer);
    for (const member of kind.lists ?? []) checkTexts(value, pointerTo(pointer, member), member, report);
    kind.check?.(value, pointer, report);
  }
  return elements;
}

/** A list that is empty names nothing; tags say no more than they name. */
function checkTexts(element: JsonObject, place: string, member: string, report: Report): void {
  const { [member]: list } = element;
  if (list === undefined) return;
  const texts: readonly unknown[] = Array.isArray(list) ? list : [];
  const odd = texts.findIndex((text) => typeof text !== 'string');
  if (!Array.isArray(list)) report.add('wrong_type', place, list);
  else if (odd >= 0) report.add('wrong_type', pointerTo(place, odd), texts[odd]);
  else if (texts.length === 0 && member !== 'tags' && member !== 'genre') report.add('list_empty', place);
}

function checkId(
  value: JsonObject,
  pointer: string,
  { id: member, isNamed, identity }: ListKind,
  known: Set<string>,
  report: Report,
): void {
  const id = value[member];
  if (id === undefined) {
    if (isNamed) report.add('catalogue_id_missing', pointer, `${member} is missing`);
    return;
  }
  const place = pointerTo(pointer, member);
  if (typeof id !== 'string' || id === '' || (member === 'id' && !SIGNAL_ID.test(id))) {
    report.add('catalogue_id_invalid', place, id);
    return;
  }
  const key = identity?.(value, id) ?? id;
  if (known.has(key)) report.add('catalogue_id_twice', place, id);
  known.add(key);
}

function checkPlacement(placement: JsonObject, pointer: string, report: Report): void {
  if (placement.property_ids === undefined && placement.property_tags === undefined)
    report.add('placement_scope_missing', pointer);
  for (const member of PRIVATE)
    if (Object.hasOwn(placement, member)) report.add('placement_private', pointerTo(pointer, member));
}

/** The ids and tags of a list, each under `list id` or `list tag`. */
function namesOf(list: string, member: string, listed: readonly Listed[] = []): KnownNames {
  const [ids, tags] = [new Set<unknown>(), new Set<unknown>()];
  for (const { value } of listed) {
    ids.add(value[member]);
    if (Array.isArray(value.tags)) for (const tag of value.tags as readonly unknown[]) tags.add(tag);
  }
  return { [`${list} id`]: ids, [`${list} tag`]: tags };
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= max;
}
