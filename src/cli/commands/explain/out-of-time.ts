import { concernedEntries, isInForce } from '../../../discovery/derive-authorisations.ts';
import type { Authorisation } from '../../../domain/declared-facts.ts';
import type { StoredDeclaration } from '../../../domain/visit.ts';
import type { SourceJourney } from '../../../records/sources/journey.ts';
import { edgeJson, edgeTerms } from './edge.ts';
import { more } from './story.ts';

/** The version in use. */
export function liveOf({ declarations }: Pick<SourceJourney, 'declarations'>): StoredDeclaration | undefined {
  return declarations.find(({ seenUntil }) => seenUntil === undefined);
}

/** Entries of the version in use that are not in force now. */
function outOfTime(live: StoredDeclaration | undefined, now: number): readonly Authorisation[] {
  const declaration = live?.value;
  if (live === undefined || declaration?.kind !== 'adagents') return [];
  const entries = concernedEntries({ declaration, domain: live.key, via: live.via });
  return entries.filter(({ limits = {} }) => !isInForce({ limits }, now));
}

/** These as lines, at most `limit`, and as JSON. */
export function outOfTimeLines(
  live: StoredDeclaration | undefined,
  now: number,
  limit: number,
): readonly string[] {
  const entries = outOfTime(live, now);
  const lines = entries.slice(0, limit).map(({ agent, entry, scope, limits = {}, ...edge }) => {
    const when = (limits.effectiveFrom ?? 0) > now ? 'not in force yet' : 'expired';
    return `    ${agent}  entry ${entry}, ${scope}${edgeTerms({ ...edge, limits })}: ${when}`;
  });
  return [...lines, ...more(entries.length, lines.length)];
}

export function outOfTimeJson(
  live: StoredDeclaration | undefined,
  now: number,
  limit: number,
): readonly object[] {
  return outOfTime(live, now)
    .slice(0, limit)
    .map(({ agent, entry, scope, ...edge }) => ({ agent, entry, scope, ...edgeJson(edge) }));
}
