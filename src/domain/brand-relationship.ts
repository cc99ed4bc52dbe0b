import type { BrandDeclaration, BrandEntry } from './declaration.ts';

/**
 * How a brand and its house stand to each other. A house may not adopt a brand that does not name it back, and a brand
 * is in no house that does not name it.
 *
 * - `inline`: it stands in the house's own file.
 * - `mutual`: each names the other.
 * - `leaf_only`: the brand names a house, whose file does not name the brand.
 * - `house_only`: a house names the brand, which does not name it back.
 * - `standalone`: nobody says that it has a house.
 * - `unverifiable`: it names a house whose file is not known.
 */
export type BrandRelationship =
  | 'inline'
  | 'mutual'
  | 'leaf_only'
  | 'house_only'
  | 'standalone'
  | 'unverifiable';

export interface ResolvedIdentity {
  /** The domain; for a brand inside a house's file the house with the brand's id. */
  readonly canonicalId: string;
  readonly canonicalDomain: string;
  readonly name: string;
  readonly names: BrandEntry['names'];
  readonly relationship: BrandRelationship;
  /** Only where both sides say so. */
  readonly house?: { readonly domain: string; readonly name?: string };
  /** The house of which only one side speaks. */
  readonly claimedHouse?: string;
  /** URL of the brand's own agent, as declared. */
  readonly brandAgent?: string;
}

/** What a domain says, and what is known of those that it has to do with. */
export interface BrandStatements {
  /** Absent: it has no brand.json. */
  readonly own?: BrandDeclaration;
  /** The brand.json of the house that it claims. */
  readonly house?: BrandDeclaration;
  /** Houses that name it, with their own brand.json. */
  readonly naming: readonly { readonly domain: string; readonly value: BrandDeclaration }[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The house that a file names for its domain; undefined for none, and for a house itself. */
export function claimedHouseOf(domain: string, own: BrandDeclaration): string | undefined {
  const house = own.house?.domain ?? own.houseDomain;
  return house === domain ? undefined : house;
}

/** Who a domain is; undefined when nobody says anything. */
export function brandIdentity(domain: string, statements: BrandStatements): ResolvedIdentity | undefined {
  const { own, naming, now } = statements;
  const claimed = own && claimedHouseOf(domain, own);
  if (own !== undefined && claimed !== undefined) return ofHouse(domain, own, { ...statements, claimed });
  if (own?.house !== undefined) return ofItself(domain, own);
  const namer = naming.find(({ value }) => names(value, domain, own?.brands[0]?.id, now));
  if (own === undefined && namer === undefined) return undefined;
  const [entry] = own?.brands ?? [];
  return {
    ...identityOf(domain, entry, own),
    relationship: namer === undefined ? 'standalone' : 'house_only',
    ...(namer && { claimedHouse: namer.domain }),
  };
}

/** How a brand stands to one house, whose brand.json this is; `own` is absent for a brand without one. */
export function relationshipWith(
  house: BrandStatements['naming'][number],
  domain: string,
  own: BrandDeclaration | undefined,
  now: number,
): BrandRelationship {
  const claimed = own && claimedHouseOf(domain, own);
  if (own !== undefined && claimed === house.domain)
    return ofHouse(domain, own, { claimed, house: house.value, naming: [], now }).relationship;
  return names(house.value, domain, own?.brands[0]?.id, now) ? 'house_only' : 'standalone';
}

function ofItself(domain: string, own: BrandDeclaration): ResolvedIdentity {
  const [first, ...others] = own.brands;
  const entry = others.length === 0 ? first : undefined;
  const { name = nameOf(entry) ?? domain } = own.house ?? {};
  return {
    ...identityOf(domain, entry, own),
    name,
    relationship: first === undefined ? 'standalone' : 'inline',
    house: { domain, name },
  };
}

function ofHouse(
  domain: string,
  own: BrandDeclaration,
  { claimed, house, now }: BrandStatements & { readonly claimed: string },
): ResolvedIdentity {
  // a domain that leads to its house's file says nothing of itself
  const isOwn = own.variant === 'brand';
  const [entry] = isOwn ? own.brands : [];
  const told = identityOf(domain, entry, isOwn ? own : undefined);
  if (house === undefined) return { ...told, relationship: 'unverifiable', claimedHouse: claimed };
  const trusted = { domain: claimed, ...(house.house?.name !== undefined && { name: house.house.name }) };
  if (names(house, domain, entry?.id, now)) return { ...told, relationship: 'mutual', house: trusted };
  const inline = isOwn ? undefined : house.brands.find(({ id }) => id === domain);
  if (inline === undefined) return { ...told, relationship: 'leaf_only', claimedHouse: claimed };
  const canonical = { canonicalId: `${claimed}#${inline.id}`, canonicalDomain: claimed };
  return { ...identityOf(domain, inline, house), ...canonical, relationship: 'inline', house: trusted };
}

/** Whether a house's file names a brand that stands at this domain, now. */
function names(
  { brandRefs }: BrandDeclaration,
  domain: string,
  brandId: string | undefined,
  now: number,
): boolean {
  return brandRefs.some(
    (ref) =>
      ref.domain === domain &&
      now >= (ref.effectiveAt ?? -Infinity) &&
      (ref.brandId === undefined || brandId === undefined || ref.brandId === brandId),
  );
}

function identityOf(domain: string, entry: BrandEntry | undefined, own: BrandDeclaration | undefined) {
  const agents = own?.agents.filter(({ type }) => type === 'brand') ?? [];
  const agent =
    agents.find(({ brandId }) => brandId !== undefined && brandId === entry?.id) ??
    agents.find(({ brandId }) => brandId === undefined);
  return {
    ...{ canonicalId: domain, canonicalDomain: domain },
    name: nameOf(entry) ?? domain,
    names: entry?.names ?? [],
    ...(agent && { brandAgent: agent.url }),
  };
}

function nameOf(entry: BrandEntry | undefined): string | undefined {
  return (entry?.names.find(({ language }) => /^en\b/i.test(language)) ?? entry?.names[0])?.name;
}
