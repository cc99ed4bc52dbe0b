import { defined, isObject, pointerTo } from '../base/json.ts';
import type { BrandDeclaration } from '../domain/declaration.ts';
import { at, has, readDomain, readHttpsUrl, readObject, readString } from './fields.ts';
import { isMisplaced } from './file-kind.ts';
import { type FilePart, type Read, type ReadOptions, readDocument } from './read-document.ts';
import {
  readBrandAgents,
  readBrandEntry,
  readBrandRefs,
  readBrands,
  readOperators,
} from './read-portfolio.ts';
import { readLastUpdated, readTime } from './read-time.ts';

type Agents = BrandDeclaration['agents'];

/** Members that name agents, in the document, its house and its brands. */
const AGENT_MEMBERS = ['agents', 'brand_agent', 'identity_agent', 'rights_agent'];
/** Further members that say something of a brand or a house. */
const CONTENT = ['brands', 'brand_refs', 'id', 'names', 'authorized_operators'];
const NOTHING = { brands: [], brandRefs: [], agents: [], authorizedOperators: [] };

/**
 * Reads brand.json (specification, 4.3) in every variant into one normal form: a redirect to another URL or to
 * a house, a house with its portfolio, a brand's own document, or agents alone. Without a declaration the file
 * is no valid one and changes nothing that was known before.
 */
export function readBrand(bytes: Uint8Array, options: ReadOptions = {}): Read<BrandDeclaration> {
  return readDocument(bytes, options, (document) => {
    const declaration = readVariant(document);
    return (
      declaration && {
        ...declaration,
        ...defined({ lastUpdated: has(document, 'last_updated') ? readLastUpdated(document) : undefined }),
      }
    );
  });
}

function readVariant(document: FilePart): BrandDeclaration | undefined {
  if (isMisplaced(document, 'brand')) return undefined;
  if (has(document, 'authoritative_location')) return readRedirect(document);
  if (typeof document.value.house === 'string') return readHouseRedirect(document);
  if (has(document, 'agents') && !Array.isArray(document.value.agents)) return refuse(document, 'agents');
  if (has(document, 'house') || has(document, 'brands') || has(document, 'brand_refs'))
    return readPortfolio(document);
  if (has(document, 'id') || has(document, 'names')) return readOwnDocument(document);
  if (AGENT_MEMBERS.some((key) => has(document, key))) {
    return {
      kind: 'brand',
      variant: 'agents_only',
      ...NOTHING,
      agents: readBrandAgents(document),
      ...readOptional(document),
    };
  }
  document.file.report.add(
    'nothing_declared',
    '',
    'house, brands, id with names, agents or authoritative_location',
  );
  return undefined;
}

/** A member of the wrong type is a broken file and must not look like one that names nobody. */
function refuse(document: FilePart, key: string): undefined {
  document.file.report.add('wrong_type', at(document, key), document.value[key]);
  return undefined;
}

function readRedirect(document: FilePart): BrandDeclaration | undefined {
  const authoritativeLocation = readHttpsUrl(document, 'authoritative_location', 'location_invalid');
  if (authoritativeLocation === undefined) return undefined;
  tellUnread(document, ['house', ...CONTENT]);
  const reason = redirectOf(document);
  return { kind: 'brand', variant: 'redirect', ...NOTHING, authoritativeLocation, ...reason };
}

function readHouseRedirect(document: FilePart): BrandDeclaration | undefined {
  const houseDomain = readDomain(document, 'house');
  if (houseDomain === undefined) return undefined;
  tellUnread(document, CONTENT);
  return { kind: 'brand', variant: 'house_redirect', ...NOTHING, houseDomain, ...redirectOf(document) };
}

/** What a file that leads to another one says besides does not count, as buyers' clients read it. */
function tellUnread(document: FilePart, content: readonly string[]): void {
  const { report } = document.file;
  const { house, brands } = document.value;
  const inside = [
    { value: house, pointer: at(document, 'house') },
    ...(Array.isArray(brands) ? (brands as readonly unknown[]) : []).map((value, index) => ({
      ...{ value, pointer: pointerTo(at(document, 'brands'), index) },
    })),
  ];
  for (const { value, pointer } of [document, ...inside]) {
    const member = isObject(value)
      ? AGENT_MEMBERS.find((key) => value[key] !== undefined && value[key] !== null)
      : undefined;
    if (member === undefined) continue;
    report.add('redirect_with_agents', pointerTo(pointer, member), member);
    return;
  }
  const member = content.find((key) => has(document, key));
  if (member !== undefined) report.add('location_with_content', at(document, member), member);
}

function redirectOf(document: FilePart): Pick<BrandDeclaration, 'redirectReason' | 'redirectEffectiveAt'> {
  const redirectReason = readString(document, 'redirect_reason', 500);
  return defined({ redirectReason, redirectEffectiveAt: readTime(document, 'redirect_effective_at') });
}

function readPortfolio(document: FilePart): BrandDeclaration | undefined {
  if (has(document, 'house') && !isObject(document.value.house)) return refuse(document, 'house');
  if (has(document, 'brands') && !Array.isArray(document.value.brands)) return refuse(document, 'brands');
  const { house, agents: ofAll } = readHouse(document);
  if (ofAll === undefined) return undefined;
  const { brands, agents } = readBrands(document);
  if (house !== undefined && has(document, 'agents'))
    document.file.report.add('agents_beside_house', at(document, 'agents'));
  return {
    kind: 'brand',
    variant: 'house_portfolio',
    brands,
    agents: [...readBrandAgents(document), ...ofAll, ...agents],
    brandRefs: readBrandRefs(document),
    authorizedOperators: readOperators(document),
    ...defined({ house }),
    ...readOptional(document),
  };
}

/** The house with the agents that it has for all its brands; none at all when their list cannot be read. */
function readHouse(document: FilePart): Pick<BrandDeclaration, 'house'> & { readonly agents?: Agents } {
  const place = readObject(document, 'house');
  const domain = place && readDomain(place, 'domain');
  if (place === undefined || !has(place, 'domain'))
    document.file.report.add('house_domain_missing', at(document, 'house'));
  if (place === undefined) return { agents: [] };
  if (has(place, 'agents') && !Array.isArray(place.value.agents)) {
    refuse(place, 'agents');
    return {};
  }
  const agents = readBrandAgents(place);
  if (domain === undefined) return { agents };
  return { house: { domain, ...defined({ name: readString(place, 'name', 500) }) }, agents };
}

function readOwnDocument(document: FilePart): BrandDeclaration | undefined {
  const brand = readBrandEntry(document);
  const agents = readBrandAgents(document, brand?.id);
  const houseDomain = readDomain(document, 'house_domain');
  const brands = brand === undefined ? [] : [brand];
  return {
    kind: 'brand',
    variant: 'brand',
    ...NOTHING,
    brands,
    agents,
    ...defined({ houseDomain }),
    ...readOptional(document),
  };
}

/** The contact stands in the document or in its house; a phone or an address in it is not kept. */
function readOptional(document: FilePart): Pick<BrandDeclaration, 'contact'> {
  const house = isObject(document.value.house) ? readObject(document, 'house') : undefined;
  const place = readObject(document, 'contact') ?? (house && readObject(house, 'contact'));
  if (place === undefined) return {};
  const [name, email] = [readString(place, 'name', 500), readString(place, 'email', 500)];
  return { contact: defined({ name, email, website: readString(place, 'website') }) };
}
