import type { FileCheck } from '../../discovery/check-file.ts';
import { namesPublisher } from '../../discovery/own-properties.ts';
import { notOffered } from '../../domain/agent-findings.ts';
import type { AdagentsDeclaration } from '../../domain/declaration.ts';
import type { Observation } from '../../domain/observation.ts';
import { shortText } from '../../domain/text.ts';
import type { Records } from '../../ports/records.ts';
import type { SourceJourney } from '../../ports/source-store.ts';
import type { OpenFetcher } from '../setup/fetcher.ts';

/** So many agents of a file are compared. */
const MAX_CLAIMING = 20;
const MAX_NAMES = 10;

/** What the last good look at an agent saw. */
type SeenOfAgent = Pick<Observation, 'protocol' | 'exposed'>;

/**
 * What a publisher's simple file (specification, 4.3) says of itself and of its agents, beside what the domain and the
 * agents are: claims change nothing, and somebody should see where they are wrong.
 */
function simpleClaims(
  { publisher = {}, entries, variant }: AdagentsDeclaration,
  domain: string | undefined,
  seenOf: (agent: string) => SeenOfAgent | undefined,
): readonly string[] {
  if (variant !== 'simple') return [];
  const { name, domain: named } = publisher;
  const isOther = named !== undefined && domain !== undefined && !namesPublisher(named, domain);
  const own = isOther ? `; but this file is that of ${domain}` : '';
  const said = [name, named].flatMap((text) => shortText(text, 200) ?? []).join(', ');
  return [
    ...(said === '' ? [] : [`publisher  ${said}${own}`]),
    ...entries.slice(0, MAX_CLAIMING).map(({ agent, claimedProtocol, claimedCapabilities = [] }) => {
      const seen = seenOf(agent);
      const missing =
        seen?.exposed === undefined ? [] : notOffered(claimedCapabilities, seen.exposed.capabilities);
      const speaks = seen?.protocol;
      const isWrong = speaks !== undefined && claimedProtocol?.toLowerCase() !== speaks;
      const claims = [
        ...(claimedProtocol === undefined
          ? []
          : [`protocol ${shortText(claimedProtocol, 64)}${isWrong ? `, but it speaks ${speaks}` : ''}`]),
        ...(claimedCapabilities.length === 0 ? [] : [`capabilities ${listed(claimedCapabilities)}`]),
        ...(missing.length === 0 ? [] : [`but it does not offer ${listed(missing)}`]),
        ...(seen?.exposed === undefined ? ['never read, so nothing was compared'] : []),
      ];
      return `${agent}  ${claims.join('; ')}`;
    }),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((text) => shortText(text, 64) ?? '');
  return [...shown, ...(names.length > shown.length ? [`and ${names.length - shown.length} more`] : [])].join(
    ', ',
  );
}

/** Agents that are asked: enough to see a mistake, few enough to be polite. */
const MAX_ASKED = 5;
const PATIENCE_MS = 10_000;

/** What a simple file claims; with a way out, its first agents are asked what they are. */
export async function claimsOf(
  { simple }: FileCheck,
  domain: string | undefined,
  open?: OpenFetcher,
): Promise<readonly string[]> {
  if (simple === undefined) return [];
  const seen = new Map<string, SeenOfAgent>();
  if (open !== undefined) {
    const { probeAgent } = await import('../../probe/probe.ts');
    const asked = new Map(simple.entries.map(({ agent, url }) => [agent, url]));
    const ask = async ([key, url]: readonly [string, string]): Promise<void> => {
      seen.set(key, await probeAgent({ ...open, key, url, deadlineMs: PATIENCE_MS }));
    };
    await Promise.all([...asked].slice(0, MAX_ASKED).map(ask));
  }
  return simpleClaims(simple, domain, (agent) => seen.get(agent));
}

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
