import { collectionSelector } from '../../../api/render/authorisation-answer.ts';
import { defined } from '../../../base/json.ts';
import type { Names } from '../../../domain/declared-facts.ts';
import type { SeenAuthorisation } from '../../../records/visits/authorisation-rows.ts';
import { counted } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { instant } from './story.ts';

/** Maximum number of ids or tags that are shown of an entry. */
const MAX_NAMES = 100;

type Edge = Pick<SeenAuthorisation, 'covers' | 'limits' | 'signingKeys'>;

/** The limits and terms of an authorisation, as the end of its line. */
export function edgeTerms({ limits = {}, signingKeys = [] }: Edge): string {
  const { countries, placementIds, placementTags, effectiveFrom, effectiveUntil } = limits;
  const list = (name: string, texts: readonly string[] | undefined): readonly string[] =>
    texts === undefined ? [] : [`${name} ${texts.slice(0, 10).join(' ')}${texts.length > 10 ? ' …' : ''}`];
  const terms = [
    ...list('countries', countries),
    ...list('placements', placementIds),
    ...list('placement tags', placementTags),
    ...list('collections', collectionsOf(limits)),
    ...(effectiveFrom === undefined ? [] : [`from ${moment(effectiveFrom)}`]),
    ...(effectiveUntil === undefined ? [] : [`until ${moment(effectiveUntil)}`]),
    ...(limits.exclusive ? ['exclusive'] : []),
    ...(limits.delegationType === undefined ? [] : [limits.delegationType]),
    ...(signingKeys.length === 0 ? [] : [`pins ${counted(signingKeys.length, 'key')}`]),
  ];
  return terms.length === 0 ? '' : visible(`, ${terms.join(', ')}`);
}

/** The same as JSON. */
export function edgeJson({ covers, limits = {}, signingKeys = [] }: Edge) {
  return {
    covers: defined({
      all: covers.all,
      property_ids: shown(covers.ids),
      property_tags: shown(covers.tags),
      inline_properties: covers.inline,
      signals: shown(covers.signals),
    }),
    limits: defined({
      countries: limits.countries,
      collections: limits.collections?.map(collectionSelector),
      placement_ids: limits.placementIds,
      placement_tags: limits.placementTags,
      effective_from: limits.effectiveFrom === undefined ? undefined : moment(limits.effectiveFrom),
      effective_until: limits.effectiveUntil === undefined ? undefined : moment(limits.effectiveUntil),
      exclusive: limits.exclusive,
      delegation_type: limits.delegationType,
    }),
    signing_keys: signingKeys.map(({ kid, kty }) => ({ kid, kty })),
  };
}

function collectionsOf({ collections }: NonNullable<Edge['limits']>): readonly string[] | undefined {
  return collections?.flatMap(
    ({ publisherDomain, collectionIds }) => collectionIds ?? [`all of ${publisherDomain}`],
  );
}

function shown(names: Names | undefined): readonly string[] | undefined {
  if (names === undefined) return undefined;
  return names.split('\n', MAX_NAMES + 1).filter((name) => name.length > 0);
}

function moment(at: number): string {
  return instant(at) ?? '';
}
