import type { AuthorisationLimits } from './declaration.ts';

const MOST = 10;

/** What narrows an authorisation, for people; empty where nothing does. */
export function limitsInWords({
  countries,
  collections,
  placementIds,
  placementTags,
  effectiveFrom,
  effectiveUntil,
  exclusive,
  delegationType,
}: AuthorisationLimits): string {
  return [
    ...some('in', countries),
    ...some(
      'collections',
      collections?.flatMap(
        ({ publisherDomain, collectionIds }) => collectionIds ?? `all of ${publisherDomain}`,
      ),
    ),
    ...some('placements', placementIds),
    ...some('placements tagged', placementTags),
    ...moment('from', effectiveFrom),
    ...moment('until', effectiveUntil),
    ...(exclusive === true ? ['exclusively'] : []),
    ...(delegationType === undefined ? [] : [delegationType]),
  ].join('; ');
}

function some(label: string, texts: readonly string[] | undefined): readonly string[] {
  if (texts === undefined) return [];
  const more = texts.length > MOST ? ` and ${texts.length - MOST} more` : '';
  return [`${label} ${texts.slice(0, MOST).join(', ')}${more}`];
}

function moment(label: string, at: number | undefined): readonly string[] {
  return at === undefined ? [] : [`${label} ${new Date(at).toISOString().replace('.000Z', 'Z')}`];
}
