import { defined } from '../base/present.ts';
import { AGENT_TYPES, type AgentType } from '../domain/agent-type.ts';
import type { BrandAgent } from '../domain/declaration.ts';
import { at, type FilePart, readHttpsUrl, readObject, readObjects, readString } from './fields.ts';
import { readDeclaredAgent } from './read-agent-url.ts';

/** Members that hold one agent each, `{url, id}`, and say its type by their name. */
const SINGLE_AGENTS = ['identity_agent', 'brand_agent'] as const;

/**
 * The agents that a document or one of its brands names: `agents[]`, `identity_agent` (specification, 4.3) and
 * the old `brand_agent`. A URL that stands twice in one array is ambiguous: none of its entries counts.
 */
export function readBrandAgents(place: FilePart, brandId?: string): readonly BrandAgent[] {
  const listed = withoutRepeated(
    place,
    [...readObjects(place, 'agents')].flatMap((item) => readListed(item, brandId) ?? []),
  );
  return [...listed, ...SINGLE_AGENTS.flatMap((key) => readSingle(place, key, brandId) ?? [])];
}

function readListed(item: FilePart, brandId: string | undefined): BrandAgent | undefined {
  const type = readType(item);
  return readAgent(item, type, brandId);
}

function readSingle(
  place: FilePart,
  key: (typeof SINGLE_AGENTS)[number],
  brandId: string | undefined,
): BrandAgent | undefined {
  const item = readObject(place, key);
  if (item === undefined) return undefined;
  if (key === 'brand_agent') place.file.report.add('brand_agent_old', item.pointer);
  return readAgent(item, 'brand', brandId);
}

function readAgent(item: FilePart, type: AgentType, brandId: string | undefined): BrandAgent | undefined {
  const address = readDeclaredAgent(item, 'url');
  if (address === undefined) return undefined;
  const id = readString(item, 'id', 500);
  const name = readString(item, 'name', 500);
  const description = readString(item, 'description');
  const jwksUri = readHttpsUrl(item, 'jwks_uri', 'jwks_uri_invalid');
  return { pointer: item.pointer, ...address, type, ...defined({ id, name, description, jwksUri, brandId }) };
}

function readType(item: FilePart): AgentType {
  const declared = item.value.type;
  const known = AGENT_TYPES.find((type) => type === declared && type !== 'unknown');
  if (known === undefined)
    item.file.report.add(
      'agent_type_unknown',
      declared === undefined ? item.pointer : at(item, 'type'),
      declared,
    );
  return known ?? 'unknown';
}

function withoutRepeated(place: FilePart, agents: readonly BrandAgent[]): readonly BrandAgent[] {
  const times = new Map<string, number>();
  for (const { agent } of agents) times.set(agent, (times.get(agent) ?? 0) + 1);
  return agents.filter(({ agent, pointer, url }) => {
    const isRepeated = (times.get(agent) ?? 0) > 1;
    if (isRepeated) place.file.report.add('duplicate_agent_url', `${pointer}/url`, url);
    return !isRepeated;
  });
}
