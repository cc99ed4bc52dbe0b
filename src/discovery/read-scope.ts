import type { AuthorisationScope, PublisherSelector } from '../domain/declaration.ts';
import { asDomain, at, has, readDomain, readObjects, readString, readStrings } from './fields.ts';
import type { FilePart } from './read-document.ts';
import { readProperties } from './read-property.ts';

type ScopeType = Exclude<AuthorisationScope['type'], 'all'>;

/** Each authorization_type with the member that goes with it. */
const COMPANIONS: Readonly<Record<ScopeType, string>> = {
  property_ids: 'property_ids',
  property_tags: 'property_tags',
  inline_properties: 'properties',
  publisher_properties: 'publisher_properties',
  signal_ids: 'signal_ids',
  signal_tags: 'signal_tags',
};

/**
 * What an entry authorises for. Without an authorization_type (the legacy form) it is the whole inventory;
 * undefined, with a finding, when the type is unknown or its companion holds nothing usable.
 */
export function readScope(entry: FilePart): AuthorisationScope | undefined {
  const type = entry.value.authorization_type;
  if (type === undefined) {
    entry.file.report.add('legacy_entry', entry.pointer);
    return { type: 'all' };
  }
  if (typeof type !== 'string' || !Object.hasOwn(COMPANIONS, type)) {
    entry.file.report.add('authorization_type_unknown', at(entry, 'authorization_type'), type);
    return undefined;
  }
  const scope = scopeOf(entry, type as ScopeType);
  if (scope === undefined)
    entry.file.report.add('companion_missing', entry.pointer, COMPANIONS[type as ScopeType]);
  return scope;
}

function scopeOf(entry: FilePart, type: ScopeType): AuthorisationScope | undefined {
  if (type === 'inline_properties') {
    const properties = readProperties(entry, COMPANIONS[type]);
    return properties.length > 0 ? { type, properties } : undefined;
  }
  if (type === 'publisher_properties') {
    const selectors = [...readSelectors(entry)];
    return selectors.length > 0 ? { type, selectors } : undefined;
  }
  const texts = readStrings(entry, COMPANIONS[type]);
  return texts.length > 0 ? scopeOfTexts(type, texts) : undefined;
}

function scopeOfTexts(
  type: 'property_ids' | 'property_tags' | 'signal_ids' | 'signal_tags',
  texts: readonly string[],
): AuthorisationScope {
  if (type === 'property_ids') return { type, propertyIds: texts };
  if (type === 'property_tags') return { type, propertyTags: texts };
  return type === 'signal_ids' ? { type, signalIds: texts } : { type, signalTags: texts };
}

function* readSelectors(entry: FilePart): Generator<PublisherSelector> {
  for (const item of readObjects(entry, 'publisher_properties')) {
    const selection = readSelection(item);
    const publisherDomains = readPublisherDomains(item, selection?.type);
    if (selection !== undefined && publisherDomains.length > 0) yield { publisherDomains, selection };
  }
}

function readSelection(selector: FilePart): PublisherSelector['selection'] | undefined {
  const { report } = selector.file;
  const type = readString(selector, 'selection_type', 100);
  if (type === 'all') return { type };
  if (type !== 'by_id' && type !== 'by_tag') {
    report.add('selection_type_unknown', selector.pointer, type);
    return undefined;
  }
  const companion = type === 'by_id' ? 'property_ids' : 'property_tags';
  const texts = readStrings(selector, companion);
  if (texts.length > 0)
    return type === 'by_id' ? { type, propertyIds: texts } : { type, propertyTags: texts };
  report.add('companion_missing', selector.pointer, companion);
  return undefined;
}

function readPublisherDomains(selector: FilePart, selection: string | undefined): readonly string[] {
  const { file } = selector;
  if (has(selector, 'publisher_domain') === has(selector, 'publisher_domains')) {
    file.report.add('selector_domains', selector.pointer);
    return [];
  }
  if (has(selector, 'publisher_domain')) {
    const domain = readDomain(selector, 'publisher_domain');
    return domain !== undefined && file.take('domains', selector.pointer) ? [domain] : [];
  }
  const pointer = at(selector, 'publisher_domains');
  if (selection === 'by_id') {
    file.report.add('selector_by_id_domains', pointer);
    return [];
  }
  const domains = readStrings(selector, 'publisher_domains').flatMap((text) => {
    const domain = asDomain(text, pointer, file);
    return domain !== undefined && file.take('domains', pointer) ? [domain] : [];
  });
  return [...new Set(domains)];
}
