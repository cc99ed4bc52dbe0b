import type { Brand } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, hostOf } from '../../agents/agent.ts';
import { BRAND_TABLE, type BrandIdentity } from './brand-table.ts';

/** The brands of which an agent tells: an agent on the domain of a house of that house alone, another of all. */
export function brandsOf(spec: AgentSpec): readonly BrandIdentity[] {
  const host = hostOf(spec);
  const ofHouse = BRAND_TABLE.filter(({ house }) => house?.domain === host);
  return ofHouse.length > 0 ? ofHouse : BRAND_TABLE;
}

/**
 * The brand of a domain. Several brands live on the domain of their house: without an id it is the house itself, whose
 * id comes first in the table.
 */
export function brandNamed(
  brands: readonly BrandIdentity[],
  { domain, brand_id }: Partial<Brand>,
): BrandIdentity | undefined {
  const asked = domain?.toLowerCase().replace(/\.$/, '');
  const there = brands.filter(
    ({ domains, house }) =>
      asked === undefined || domains.includes(asked) || (brand_id !== undefined && house?.domain === asked),
  );
  return brand_id === undefined ? there[0] : there.find(({ id }) => id === brand_id);
}

/** How a brand looks, for whoever composes something for it. */
export interface BrandLook extends Pick<BrandIdentity, 'colors' | 'attributes' | 'tagline'> {
  readonly name: string;
}

/** Looks for brands that are not in the table: quiet, and different from each other. */
const PLAIN_PRIMARIES = ['#1d3f5e', '#5b3a29', '#2f5d50', '#6b2d5c', '#8a5a00', '#384e77'] as const;

/** The look of any brand: its own when it is known here, else a plain one that follows from its domain. */
export function lookOf(brand: Brand | undefined): BrandLook {
  if (brand === undefined) return plainLook('');
  const known = brandNamed(BRAND_TABLE, brand);
  if (known === undefined) return plainLook(brand.domain);
  const name = known.names.en ?? known.id;
  return { name, colors: known.colors, attributes: known.attributes, tagline: known.tagline };
}

function plainLook(domain: string): BrandLook {
  const label = domain.split('.').at(-2) ?? domain;
  const name = label.replaceAll(/[-_]+/g, ' ').replaceAll(/\b\p{L}/gu, (letter) => letter.toUpperCase());
  const place = [...domain].reduce((sum, char) => sum + (char.codePointAt(0) as number), 0);
  const primary = PLAIN_PRIMARIES[place % PLAIN_PRIMARIES.length] as string;
  const colors = { primary, secondary: '#c8d0d8', accent: '#c25b12', background: '#ffffff', text: '#1b1f24' };
  return { name: name.slice(0, 60), colors, attributes: ['plain'], tagline: '' };
}
