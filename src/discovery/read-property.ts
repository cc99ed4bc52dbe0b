import { defined } from '../base/present.ts';
import {
  type AuthorisationEntry,
  type AuthorisationScope,
  PROPERTY_TYPES,
  type Property,
  type PropertyIdentifier,
} from '../domain/declaration.ts';
import { parseDomain } from '../domain/domain-name.ts';
import { at, has, readDeclaredAgent, readDomain, readLabels, readObjects, readString } from './fields.ts';
import { publishersOf } from './own-properties.ts';
import type { FilePart } from './read-document.ts';

/** The properties of an array, the bad ones left out; repeated ids count once. */
export function readProperties(place: FilePart, key: string): readonly Property[] {
  const ids = new Set<string>();
  const properties: Property[] = [];
  for (const item of readObjects(place, key)) {
    const property = place.file.take('properties', at(place, key)) ? readProperty(item) : undefined;
    if (property === undefined) continue;
    if (property.propertyId !== undefined && ids.has(property.propertyId)) {
      place.file.report.add('duplicate_property_id', at(item, 'property_id'), property.propertyId);
      continue;
    }
    if (property.propertyId !== undefined) ids.add(property.propertyId);
    properties.push(property);
  }
  return properties;
}

function readProperty(place: FilePart): Property | undefined {
  const { report } = place.file;
  const propertyType = readString(place, 'property_type', 100);
  const publisherDomain = readDomain(place, 'publisher_domain');
  const identifiers = [...readIdentifiers(place)];
  if (propertyType === undefined) report.add('property_type_missing', place.pointer);
  if (identifiers.length === 0) report.add('identifiers_missing', place.pointer);
  // A property of nobody knows whom may not count for the file's own publisher.
  if (has(place, 'publisher_domain') && publisherDomain === undefined) return undefined;
  if (propertyType === undefined || identifiers.length === 0) return undefined;
  if (!(PROPERTY_TYPES as readonly string[]).includes(propertyType)) {
    report.add('property_type_unknown', at(place, 'property_type'), propertyType);
  }
  const name = readString(place, 'name', 500);
  if (name === undefined) report.add('property_name_missing', place.pointer);
  const propertyId = readString(place, 'property_id', 500);
  return defined({
    propertyId,
    propertyType,
    name,
    identifiers,
    tags: readTags(place),
    publisherDomain,
  });
}

function readTags(place: FilePart): readonly string[] {
  return readLabels(place, 'tags').filter(() => place.file.take('tags', at(place, 'tags')));
}

function* readIdentifiers(place: FilePart): Generator<PropertyIdentifier> {
  for (const item of readObjects(place, 'identifiers')) {
    const type = readString(item, 'type', 100);
    const value = readString(item, 'value', 2_000);
    if (type === undefined || value === undefined)
      place.file.report.add('wrong_type', item.pointer, 'type and value are needed');
    else yield { type, value: type === 'domain' ? domainIdentifier(item, value) : value };
  }
}

/** In normal form, a leading `*.` kept; a value that is no domain stays as it is, and matches nothing. */
function domainIdentifier(place: FilePart, value: string): string {
  const star = value.startsWith('*.') ? '*.' : '';
  const parsed = parseDomain(value.slice(star.length));
  if (parsed.ok) return star + parsed.domain;
  place.file.report.add('identifier_domain_invalid', at(place, 'value'), value);
  return value;
}

/** True when some element of `properties[]` lists agents of its own: the oldest form of the file. */
export function hasLegacyProperties(file: FilePart): boolean {
  const { properties } = file.value;
  return Array.isArray(properties) && properties.some((item: unknown) => Array.isArray(agentsOf(item)));
}

/** `properties[]{domain, agents[]{agent_url, relationship}}`: each domain is a website that its agents may sell. */
export function readLegacyProperties(file: FilePart): readonly AuthorisationEntry[] {
  file.file.report.add('legacy_properties', `${file.pointer}/properties`);
  return [...readObjects(file, 'properties')].flatMap((item) => {
    const domain = readDomain(item, 'domain');
    if (domain === undefined && !has(item, 'domain'))
      item.file.report.add('identifiers_missing', item.pointer);
    if (domain === undefined || !item.file.take('properties', item.pointer)) return [];
    const property: Property = {
      propertyType: 'website',
      name: domain,
      identifiers: [{ type: 'domain', value: domain }],
      tags: [],
      publisherDomain: domain,
    };
    return [...readObjects(item, 'agents')].flatMap((agent) => readLegacyAgent(agent, property) ?? []);
  });
}

function readLegacyAgent(agent: FilePart, property: Property): AuthorisationEntry | undefined {
  const scope: AuthorisationScope = { type: 'inline_properties', properties: [property] };
  const address = readDeclaredAgent(agent, 'agent_url');
  if (address === undefined || !agent.file.takeEntry(publishersOf(scope), agent.pointer)) return undefined;
  return {
    pointer: agent.pointer,
    ...address,
    scope,
    limits: {},
    signingKeys: [],
    ...defined({ relationship: readString(agent, 'relationship', 100) }),
  };
}

function agentsOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null
    ? (item as { readonly agents?: unknown }).agents
    : undefined;
}
