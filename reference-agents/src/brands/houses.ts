import type { PublishedPage } from '../publishers/plan.ts';
import { jsonFile } from '../web/file.ts';

/** Forms of brand.json. */
export type HouseVariant = 'redirect' | 'house_redirect' | 'agents_only' | 'house_portfolio' | 'brand';

/** How a house and a brand stand to each other, from both files. */
export type Relation = 'mutual' | 'leaf_only' | 'house_only' | 'standalone';

export interface SandboxBrand {
  readonly domain: string;
  readonly variant: HouseVariant;
  /** The house that it names, or that names it. */
  readonly house?: string;
  readonly relation?: Relation;
  /** Ids of the brands that stand in a house's own file: their relation is `inline`. */
  readonly inline?: readonly string[];
  readonly file: object;
}

export const BRAND_FILE = '/.well-known/brand.json';
const SCHEMA = { $schema: 'https://schemas.example/discovery/brand.json' };

/** The page on which a domain says it. */
export function brandPage({ domain, file }: Pick<SandboxBrand, 'domain' | 'file'>): PublishedPage {
  return { host: domain, path: BRAND_FILE, page: jsonFile(file) };
}

/** Says of somebody else's agent what it is not. */
export const RETYPER = 'magpie-grab.example';

const MARLOWE = 'marlowe-house.example';
const TIDEWATER = 'tidewater-group.example';
const ORRERY = 'orrery-holdings.example';
const KETTLE = 'copperkettle.example';
const GULLWING = 'gullwing-brands.example';

/** Lets the hoster of agents speak for a house. */
const OPERATOR = {
  domain: 'agents.example',
  brands: ['*'],
  countries: ['NL', 'BE', 'IE'],
  scopes: ['buying', 'brand'],
  valid_from: '2025-01-01T00:00:00Z',
};

/** Houses with a portfolio; an inline brand has no domain of its own. */
// biome-ignore format: one house a block
const HOUSES: readonly SandboxBrand[] = [
  portfolio(MARLOWE, 'Marlowe & Daughters', ['marlowe-soap', 'marlowe-tea', 'marlowe-ghost'], {
    brands: [inlineBrand('marlowe-matches', { en: 'Marlowe Matches', nl: 'Marlowe Lucifers' }, identity(`https://${MARLOWE}/identity`))],
    authorized_operators: [OPERATOR],
  }),
  portfolio(TIDEWATER, 'Tidewater Group', ['tidewater-ferries', 'tidewater-kayaks'], {
    brands: [],
    agents: [{ type: 'buying', url: 'https://buyer-1.agents.example/mcp', id: 'tidewater-desk', description: 'Buys for all of us', jwks_uri: 'https://agents.example/keys/buyer-1.json' }],
    authorized_operators: [OPERATOR],
  }),
  portfolio(ORRERY, 'Orrery Holdings', ['orrery-clocks'], { brands: [inlineBrand('orrery-maps', { en: 'Orrery Maps' })] }),
  portfolio(KETTLE, 'Copperkettle', [], {
    brands: [
      inlineBrand('kettle-stoves', { en: 'Kettle Stoves', de: 'Kessel-Öfen' }),
      inlineBrand('kettle-cocoa', { en: 'Kettle Cocoa', fr: 'Cacao de la bouilloire' }, identity('https://brand-1.agents.example/mcp')),
    ],
  }),
  portfolio(GULLWING, 'Gullwing Brands', [], { brands: [inlineBrand('gullwing-coats', { en: 'Gullwing Coats' })] }),
];

/** Domains that say where to look. */
const POINTERS: readonly SandboxBrand[] = [
  pointsToHouse('marlowe-soap.example', MARLOWE),
  pointsToHouse('tidewater-ferries.example', TIDEWATER),
  pointsToHouse('tidewater-kayaks.example', TIDEWATER),
  pointsToFile('old-copperkettle.example', KETTLE),
  pointsToFile('gullwing.example', GULLWING),
];

/** Brands with a document of their own. */
const LEAVES: readonly SandboxBrand[] = [
  brand(
    'marlowe-tea',
    { en: 'Marlowe Tea', ja: 'マーロウ茶' },
    { house: MARLOWE, relation: 'mutual', names: true },
  ),
  brand('marlowe-ghost', { en: 'Marlowe Ghost' }, { house: MARLOWE, relation: 'house_only', names: false }),
  brand('orrery-clocks', { en: 'Orrery Clocks' }, { house: ORRERY, relation: 'mutual', names: true }),
  brand(
    'orrery-pretender',
    { en: 'Orrery Pretender' },
    { house: ORRERY, relation: 'leaf_only', names: true },
  ),
  brand('lonely-lighthouse', { en: 'Lonely Lighthouse', ga: 'Teach Solais' }),
  brand('bramble-jam', { en: 'Bramble Jam', sv: 'Björnbärssylt' }),
  brand('penny-bicycles', { en: 'Penny Bicycles' }),
  brand('candle-and-daughter', { en: 'Candle & Daughter' }),
];

/** All brands and houses but the vendors of agents. */
export const BRANDS: readonly SandboxBrand[] = [
  ...HOUSES,
  ...POINTERS,
  ...LEAVES,
  {
    domain: 'quaint-quilts.example',
    variant: 'agents_only',
    file: { ...SCHEMA, brand_agent: { url: 'https://brand-1.agents.example/mcp', id: 'quaint-quilts' } },
  },
  {
    domain: RETYPER,
    variant: 'agents_only',
    file: { ...SCHEMA, agents: [{ type: 'sales', url: 'https://lanternfish.example/mcp', id: 'not-mine' }] },
  },
];

interface InlineBrand {
  readonly id: string;
  readonly names: readonly Names[];
  readonly identity_agent?: { readonly url: string; readonly id: string };
}

type Content = Readonly<Record<string, unknown>> & { readonly brands: readonly InlineBrand[] };

function portfolio(domain: string, name: string, refs: readonly string[], content: Content): SandboxBrand {
  const brand_refs = refs.map((id) => ({
    domain: `${id}.example`,
    brand_id: id,
    effective_at: '2025-01-01T00:00:00Z',
  }));
  const inline = content.brands.map(({ id }) => id);
  const file = { ...SCHEMA, house: { domain, name }, brand_refs, ...content };
  return { domain, variant: 'house_portfolio', inline, file };
}

function inlineBrand(id: string, names: Names, more: Pick<InlineBrand, 'identity_agent'> = {}): InlineBrand {
  return { id, names: byLanguage(names), ...more };
}

type Names = Readonly<Record<string, string>>;

/** Names are objects keyed by language. */
function byLanguage(names: Names): readonly Names[] {
  return Object.entries(names).map(([language, name]) => ({ [language]: name }));
}

function identity(url: string): Required<Pick<InlineBrand, 'identity_agent'>> {
  return { identity_agent: { url, id: 'identity' } };
}

function pointsToHouse(domain: string, house: string): SandboxBrand {
  return { domain, variant: 'house_redirect', house, relation: 'mutual', file: { house } };
}

function pointsToFile(domain: string, target: string): SandboxBrand {
  const authoritative_location = `https://${target}${BRAND_FILE}`;
  return {
    domain,
    variant: 'redirect',
    file: { ...SCHEMA, authoritative_location, redirect_reason: 'renamed' },
  };
}

interface Standing {
  readonly house: string;
  readonly relation: Relation;
  /** Whether the brand's own document names the house. */
  readonly names: boolean;
}

function brand(id: string, names: Names, standing?: Standing): SandboxBrand {
  const named = standing?.names === true ? { house_domain: standing.house } : {};
  const known =
    standing === undefined
      ? { relation: 'standalone' as const }
      : { house: standing.house, relation: standing.relation };
  return {
    domain: `${id}.example`,
    variant: 'brand',
    ...known,
    file: { ...SCHEMA, id, names: byLanguage(names), ...named },
  };
}
