import type { BadgeRole } from '../../domain/badge.ts';

export { BADGE_ROLES, type BadgeRole } from '../../domain/badge.ts';

/** The specialisms of the public catalogue, each with the protocol that it belongs to. */
const CATALOGUE: Readonly<Record<string, BadgeRole>> = {
  'audience-sync': 'media-buy',
  'brand-rights': 'brand',
  'collection-lists': 'governance',
  'content-standards': 'governance',
  'creative-ad-server': 'creative',
  'creative-generative': 'creative',
  'creative-template': 'creative',
  'governance-aware-seller': 'media-buy',
  'governance-delivery-monitor': 'governance',
  'governance-spend-authority': 'governance',
  'property-lists': 'governance',
  'sales-broadcast-tv': 'media-buy',
  'sales-catalog-driven': 'media-buy',
  'sales-guaranteed': 'media-buy',
  'sales-non-guaranteed': 'media-buy',
  'sales-social': 'media-buy',
  'signal-marketplace': 'signals',
  'signal-owned': 'signals',
  'signed-requests': 'media-buy',
};

/** All specialisms that can earn a badge, by name. `measurement` and `rights` have none yet, so they earn none. */
export const SPECIALISMS: readonly string[] = Object.keys(CATALOGUE);

/** The role of the badge that a specialism counts for; undefined for one that is not in the catalogue. */
export function roleOf(specialism: string): BadgeRole | undefined {
  return Object.hasOwn(CATALOGUE, specialism) ? CATALOGUE[specialism] : undefined;
}

/** The id of the storyboard that is named after a specialism: the same name in snake case. */
export function storyboardOf(specialism: string): string {
  return specialism.replaceAll('-', '_');
}
