import { defined } from '../base/json.ts';
import { AGENT_TYPES, type AgentType } from '../domain/agent-type.ts';
import type { AuthorizedOperator, BrandAgent, BrandDeclaration, BrandEntry } from '../domain/declaration.ts';
import { isPublicSuffix } from '../domain/domain-name.ts';
import { wordsOf } from '../domain/text.ts';
import {
  at,
  has,
  hasNoStray,
  isSaid,
  readDeclaredAgent,
  readDomain,
  readHttpsUrl,
  readObject,
  readObjects,
  readString,
  readStrings,
} from './fields.ts';
import { meantMembers } from './member-names.ts';
import { readCountries } from './read-countries.ts';
import type { FilePart } from './read-document.ts';
import { readTime } from './read-time.ts';

/** Members that hold one agent each, `{url, id}`, and say its type by their name. */
const SINGLE_AGENTS = {
  identity_agent: { type: 'brand' },
  brand_agent: { type: 'brand', old: 'brand_agent_old' },
  rights_agent: { type: 'rights', old: 'rights_agent_old' },
} as const;
const SINGLE_MEMBERS = Object.keys(SINGLE_AGENTS) as readonly (keyof typeof SINGLE_AGENTS)[];

const OF_OPERATORS = ['valid_from', 'valid_until', 'brands', 'countries', 'scopes'];
const OPERATOR_MEMBERS = new Set(['domain', ...OF_OPERATORS]);
const MEANT_OF_OPERATORS = meantMembers(OF_OPERATORS);

/** A file may name thousands of brands; behind so many words the others are not found by theirs. */
const MAX_WORDS = 2_000;

/** `brands[]` of a house with the agents inside them; a brand without an id is left out. */
export function readBrands(house: FilePart): Pick<BrandDeclaration, 'brands' | 'agents'> {
  const places = [...readObjects(house, 'brands')];
  const read = places.flatMap((place) => {
    const brand = readBrandEntry(place);
    const agents = readBrandAgents(place, brand?.id); // read in any case, so that what is wrong with them is told
    return brand === undefined ? [] : [{ brand, agents }];
  });
  return { brands: read.map(({ brand }) => brand), agents: read.flatMap(({ agents }) => agents) };
}

/** One brand: its id and its names, which are objects keyed by language. */
export function readBrandEntry(place: FilePart): BrandEntry | undefined {
  const id = readString(place, 'id', 500);
  if (id === undefined && !has(place, 'id')) place.file.report.add('brand_id_missing', place.pointer);
  const names = [...readObjects(place, 'names')].flatMap(readName);
  const { names: said = [] } = place.value;
  if (Array.isArray(said) && said.length === 0) place.file.report.add('names_missing', place.pointer);
  return id === undefined ? undefined : { id, names };
}

function readName(place: FilePart): BrandEntry['names'] {
  const languages = Object.keys(place.value);
  if (languages.length === 0) place.file.report.add('name_invalid', place.pointer);
  return languages.flatMap((language) => {
    const name = typeof place.value[language] === 'string' ? readString(place, language, 500) : undefined;
    if (name === undefined) place.file.report.add('name_invalid', place.pointer, language);
    return name === undefined ? [] : [{ language, name }];
  });
}

/** `brand_refs[]`: brands of the house whose own file stands elsewhere. */
export function readBrandRefs(house: FilePart): BrandDeclaration['brandRefs'] {
  return [...readObjects(house, 'brand_refs')].flatMap((place) => {
    const domain = readDomainHere(place);
    if (domain === undefined) return [];
    const brandId = readString(place, 'brand_id', 500);
    return [{ domain, ...defined({ brandId, effectiveAt: readTime(place, 'effective_at') }) }];
  });
}

/**
 * `authorized_operators[]`: who may act for the house. One whose period or other limit cannot be read, or that names nobody,
 * is left out: a broken limit makes nobody an operator of more.
 */
export function readOperators(house: FilePart): readonly AuthorizedOperator[] {
  return [...readObjects(house, 'authorized_operators')].flatMap((place) => {
    const domain = readDomainHere(place);
    const isClear = hasNoStray(place, OPERATOR_MEMBERS, MEANT_OF_OPERATORS);
    const period = { validFrom: readTime(place, 'valid_from'), validUntil: readTime(place, 'valid_until') };
    const [brands, countries, scopes] = [
      readStrings(place, 'brands'),
      readCountries(place, 'countries'),
      readStrings(place, 'scopes'),
    ];
    const read = { valid_from: period.validFrom, valid_until: period.validUntil, brands, countries, scopes };
    const unread = Object.entries(read).flatMap(([key, value]) =>
      isSaid(place, key) && (value === undefined || (Array.isArray(value) && value.length === 0)) ? key : [],
    );
    if (unread.length > 0) place.file.report.add('limit_unreadable', place.pointer, unread.join(', '));
    if (domain === undefined || !isClear || unread.length > 0) return [];
    if (isPublicSuffix(domain)) {
      place.file.report.add('operator_public_suffix', at(place, 'domain'), domain);
      return [];
    }
    return [{ domain, brands, countries, scopes, ...defined(period) }];
  });
}

function readDomainHere(place: FilePart): string | undefined {
  if (!has(place, 'domain')) place.file.report.add('domain_invalid', place.pointer, 'domain is missing');
  const domain = readDomain(place, 'domain');
  return domain !== undefined && place.file.take('domains', place.pointer) ? domain : undefined;
}

/**
 * The agents that a document, its house or one of its brands names: `agents[]`, `identity_agent` (specification, 4.3) and
 * the old `brand_agent` and `rights_agent`. A URL that stands twice in one array is ambiguous: none of its entries counts.
 */
export function readBrandAgents(place: FilePart, brandId?: string): readonly BrandAgent[] {
  const listed = withoutRepeated(
    place,
    [...readObjects(place, 'agents')].flatMap((item) => readListed(item, brandId) ?? []),
  );
  return [...listed, ...SINGLE_MEMBERS.flatMap((key) => readSingle(place, key, brandId) ?? [])];
}

function readListed(item: FilePart, brandId: string | undefined): BrandAgent | undefined {
  const type = readType(item);
  return readAgent(item, type, brandId);
}

function readSingle(
  place: FilePart,
  key: keyof typeof SINGLE_AGENTS,
  brandId: string | undefined,
): BrandAgent | undefined {
  const item = readObject(place, key);
  if (item === undefined) return undefined;
  const single = SINGLE_AGENTS[key];
  if ('old' in single) place.file.report.add(single.old, item.pointer);
  return readAgent(item, single.type, brandId);
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

/**
 * The names by which a file speaks of its domain, each once: of its house and of the brands in it. In the file of another
 * house only the brand with the domain as its id is the domain's, as `brandIdentity` has it.
 */
export function brandNames(domain: string, { house, brands }: BrandDeclaration): readonly string[] {
  const isOwn = house === undefined || house.domain === domain;
  const own = isOwn ? brands : brands.filter(({ id }) => id === domain);
  const named = own.flatMap(({ names }) => names.map(({ name }) => name));
  return [...new Set(isOwn && house?.name !== undefined ? [house.name, ...named] : named)];
}

/** The words of these names, as they are searched for, each once. */
export function brandWords(domain: string, declaration: BrandDeclaration): readonly string[] {
  const words = new Set<string>();
  for (const name of brandNames(domain, declaration))
    for (const word of wordsOf(name)) if (words.size < MAX_WORDS) words.add(word);
  return [...words];
}
