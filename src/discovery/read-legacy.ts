import { defined } from '../base/json.ts';
import type { AuthorisationEntry, AuthorisationScope, Property } from '../domain/declaration.ts';
import { has, hasNoStray, readDeclaredAgent, readDomain, readObjects, readString } from './fields.ts';
import { MEANT_MEMBERS } from './member-names.ts';
import { publishersOf } from './own-properties.ts';
import type { FilePart } from './read-document.ts';
import { PROPERTY_MEMBERS } from './read-property.ts';

const MEMBERS = new Set([...PROPERTY_MEMBERS, 'domain', 'agents']);
const AGENT_MEMBERS = new Set(['agent_url', 'relationship']);

/** `properties[]{domain, agents[]{agent_url, relationship}}`: each domain is a website that its agents may sell. */
export function readLegacyProperties(file: FilePart): readonly AuthorisationEntry[] {
  file.file.report.add('legacy_properties', `${file.pointer}/properties`);
  const entries = readObjects(file, 'properties').flatMap((item) => {
    const domain = readDomain(item, 'domain');
    if (domain === undefined && !has(item, 'domain'))
      item.file.report.add('identifiers_missing', item.pointer);
    const isClear = hasNoStray(item, MEMBERS, MEANT_MEMBERS);
    if (domain === undefined || !isClear || !item.file.take('properties', item.pointer)) return [];
    const property: Property = {
      propertyType: 'website',
      name: domain,
      identifiers: [{ type: 'domain', value: domain }],
      tags: [],
      publisherDomain: domain,
    };
    const read = readObjects(item, 'agents').map((agent) => readLegacyAgent(agent, property));
    return read.filter((entry) => entry !== undefined);
  });
  return entries.toArray();
}

function readLegacyAgent(agent: FilePart, property: Property): AuthorisationEntry | undefined {
  const scope: AuthorisationScope = { type: 'inline_properties', properties: [property] };
  const address = readDeclaredAgent(agent, 'agent_url');
  const isClear = hasNoStray(agent, AGENT_MEMBERS, MEANT_MEMBERS);
  if (address === undefined || !isClear || !agent.file.takeEntry(publishersOf(scope), agent.pointer))
    return undefined;
  return {
    pointer: agent.pointer,
    ...address,
    scope,
    limits: {},
    signingKeys: [],
    ...defined({ relationship: readString(agent, 'relationship', 100) }),
  };
}
