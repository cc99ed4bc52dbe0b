import type { Records } from '../../../ports/records.ts';
import type { SourceJourney } from '../../../ports/source-store.ts';
import { MAX_CLAIMING, simpleClaims } from '../../output/simple-claims.ts';

/** What the domain's simple file claims, beside what was seen last. */
export async function claimsBesideSeen(
  { agents }: Pick<Records, 'agents'>,
  domain: string,
  journeys: readonly SourceJourney[],
): Promise<readonly string[]> {
  const live = journeys
    .flatMap(({ declarations }) => declarations)
    .find(({ seenUntil }) => seenUntil === undefined);
  const value = live?.value;
  if (value === undefined || value.kind === 'brand' || value.variant !== 'simple') return [];
  const facts = await agents.facts(value.entries.slice(0, MAX_CLAIMING).map(({ agent }) => agent));
  const byAgent = new Map(facts.map((known) => [known.agent, known.lastGood]));
  return simpleClaims(value, domain, (agent) => byAgent.get(agent));
}
