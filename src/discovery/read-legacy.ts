import { defined } from '../base/present.ts';
import type { AuthorisationEntry, AuthorisationScope, Property } from '../domain/declaration.ts';
import { has, type FilePart, readDomain, readObjects, readString } from './fields.ts';
import { publishersOf } from './publishers-of.ts';
import { readDeclaredAgent } from './read-agent-url.ts';

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
