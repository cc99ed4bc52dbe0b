import type {
  AuthorisationEntry,
  AuthorisationScope,
  Property,
  PublisherSelector,
} from '../domain/declaration.ts';
import {
  asDomain,
  at,
  hasNoStray,
  isSaid,
  readDomain,
  readNames,
  readObjects,
  readStrings,
} from './fields.ts';
import { isCutShort } from './json-faults.ts';
import { COMPANIONS, meantMembers, NARROWING } from './member-names.ts';
import type { FilePart } from './read-document.ts';
import { readProperties } from './read-property.ts';
import type { Report } from './report.ts';

type ScopeType = keyof typeof COMPANIONS;
const ALL_COMPANIONS = Object.entries(COMPANIONS);

export const SELECTOR_MEMBERS = new Set([
  'publisher_domain',
  'publisher_domains',
  'selection_type',
  'property_ids',
  'property_tags',
]);
const MEANT_SELECTOR_MEMBERS = meantMembers([...SELECTOR_MEMBERS, ...NARROWING]);

/**
 * What an entry authorises for. Undefined, with a finding, when that is not clear: the type is missing or unknown, its
 * companion holds nothing usable, or the companion of another type stands beside it.
 */
export function readScope(entry: FilePart): AuthorisationScope | undefined {
  const { report } = entry.file;
  const type = entry.value.authorization_type;
  if (!isSaid(entry, 'authorization_type')) return readBare(entry);
  if (typeof type !== 'string' || !Object.hasOwn(COMPANIONS, type)) {
    report.add('authorization_type_unknown', at(entry, 'authorization_type'), type);
    return undefined;
  }
  const companion = COMPANIONS[type as ScopeType];
  const scope = scopeOf(entry, type as ScopeType);
  if (scope === undefined) report.add('companion_missing', entry.pointer, companion);
  return hasNoOther(entry, type) ? scope : undefined;
}

/**
 * Whether the companion stands alone. Another one of the same family may have been meant to narrow: buyers' clients refuse
 * that. Signals narrow no properties, and properties no signals; the member is not read, which is a warning.
 */
function hasNoOther(entry: FilePart, type: string): boolean {
  const others = ALL_COMPANIONS.filter(([other, name]) => other !== type && isSaid(entry, name));
  const rival = others.find(([other]) => isOfSignals(other) === isOfSignals(type));
  const [, name] = rival ?? others[0] ?? [];
  if (name !== undefined) {
    const code = rival === undefined ? 'companion_unread' : 'companion_extra';
    entry.file.report.add(code, at(entry, name), `${name} does not belong to ${type}`);
  }
  return rival === undefined;
}

function isOfSignals(type: string): boolean {
  return type.startsWith('signal_');
}

/** The legacy form, `{url, authorized_for}` and nothing else: the whole inventory, as buyers' crawlers read it. */
function readBare(entry: FilePart): AuthorisationScope | undefined {
  const { authorized_for: authorizedFor } = entry.value;
  const isExact = Object.keys(entry.value).length === 2 && !isCutShort(entry.value);
  if (isExact && typeof authorizedFor === 'string' && authorizedFor !== '') {
    entry.file.report.add('legacy_entry', entry.pointer);
    return { type: 'all' };
  }
  const types = Object.entries(COMPANIONS);
  const [type] = types.find(([, companion]) => isSaid(entry, companion)) ?? [];
  entry.file.report.add(
    'authorization_type_missing',
    entry.pointer,
    type && `write "authorization_type": "${type}"`,
  );
  return undefined;
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
  const names = readNames(entry, COMPANIONS[type]);
  return names.length > 0 ? scopeOfNames(type, names) : undefined;
}

function scopeOfNames(
  type: 'property_ids' | 'property_tags' | 'signal_ids' | 'signal_tags',
  names: readonly string[],
): AuthorisationScope {
  if (type === 'property_ids') return { type, propertyIds: names };
  if (type === 'property_tags') return { type, propertyTags: names };
  return type === 'signal_ids' ? { type, signalIds: names } : { type, signalTags: names };
}

/** Those that can be read as a whole: each adds to the others. */
function* readSelectors(entry: FilePart): Generator<PublisherSelector> {
  for (const item of readObjects(entry, 'publisher_properties')) {
    const isClear = hasNoStray(item, SELECTOR_MEMBERS, MEANT_SELECTOR_MEMBERS);
    const selection = readSelection(item);
    const publisherDomains = isClear ? readPublisherDomains(item, selection?.type) : [];
    if (selection !== undefined && publisherDomains.length > 0) yield { publisherDomains, selection };
  }
}

const SELECTIONS: Readonly<Record<string, 'property_ids' | 'property_tags' | undefined>> = {
  all: undefined,
  by_id: 'property_ids',
  by_tag: 'property_tags',
};

function readSelection(selector: FilePart): PublisherSelector['selection'] | undefined {
  const { report } = selector.file;
  const type = selector.value.selection_type;
  if (typeof type !== 'string' || !Object.hasOwn(SELECTIONS, type)) {
    const place = isSaid(selector, 'selection_type') ? at(selector, 'selection_type') : selector.pointer;
    report.add('selection_type_unknown', place, type);
    return undefined;
  }
  const companion = SELECTIONS[type];
  const other = (['property_ids', 'property_tags'] as const).find(
    (name) => name !== companion && isSaid(selector, name),
  );
  if (other !== undefined) {
    report.add('companion_extra', at(selector, other), `${other} does not belong to ${type}`);
    return undefined;
  }
  if (companion === undefined) return { type: 'all' };
  const names = readNames(selector, companion);
  if (names.length === 0) {
    report.add('companion_missing', selector.pointer, companion);
    return undefined;
  }
  return companion === 'property_ids'
    ? { type: 'by_id', propertyIds: names }
    : { type: 'by_tag', propertyTags: names };
}

function readPublisherDomains(selector: FilePart, selection: string | undefined): readonly string[] {
  const { file } = selector;
  const isOne = isSaid(selector, 'publisher_domain');
  const said = selector.value[isOne ? 'publisher_domain' : 'publisher_domains'] ?? [];
  const isNothing = Array.isArray(said) && said.length === 0;
  if (isOne === isSaid(selector, 'publisher_domains') || isNothing) {
    file.report.add('selector_domains', selector.pointer);
    return [];
  }
  if (isOne) {
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

/** Warns of property ids and tags in entries that no property of the same file has. */
export function checkReferences(
  entries: readonly AuthorisationEntry[],
  properties: readonly Property[],
  report: Report,
): void {
  const ids = new Set(properties.map((property) => property.propertyId));
  const tags = new Set(properties.flatMap((property) => property.tags));
  for (const { scope, pointer } of entries) {
    if (scope.type === 'property_ids') {
      const unknown = scope.propertyIds.find((id) => !ids.has(id));
      if (unknown !== undefined) report.add('property_unknown', `${pointer}/property_ids`, unknown);
    } else if (scope.type === 'property_tags') {
      const unmatched = scope.propertyTags.find((tag) => !tags.has(tag));
      if (unmatched !== undefined) report.add('tag_unmatched', `${pointer}/property_tags`, unmatched);
    }
  }
}
