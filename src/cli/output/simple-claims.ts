import type { FileCheck } from '../../discovery/check-file.ts';
import {
  claimsInRecords,
  type SeenOfAgent,
  type SimpleClaims,
  simpleClaims,
} from '../../discovery/simple-claims.ts';
import { shortText } from '../../domain/text.ts';
import type { Records } from '../../ports/records.ts';
import type { SourceJourney } from '../../records/sources/journey.ts';
import type { OpenFetcher } from '../setup/fetcher.ts';

const MAX_NAMES = 10;

/** What a simple file claims, one line for its publisher and one for each agent. */
function claimLines(claims: SimpleClaims | undefined, domain: string | undefined): readonly string[] {
  if (claims === undefined) return [];
  const { publisher, agents } = claims;
  const own = publisher?.isOther ? `, but this file belongs to ${domain}` : '';
  const said = [publisher?.name, publisher?.domain].flatMap((text) => shortText(text, 200) ?? []).join(', ');
  return [
    ...(said === '' ? [] : [`publisher  ${said}${own}`]),
    ...agents.map(({ agent, protocol, capabilities, seenProtocol, isOtherProtocol, isRead, missing }) => {
      const parts = [
        ...(protocol === undefined
          ? []
          : [
              `protocol ${shortText(protocol, 64)}${isOtherProtocol ? `, but it speaks ${seenProtocol}` : ''}`,
            ]),
        ...(capabilities.length === 0 ? [] : [`capabilities ${listed(capabilities)}`]),
        ...(missing.length === 0 ? [] : [`but it does not offer ${listed(missing)}`]),
        ...(isRead ? [] : ['never probed, so nothing was compared']),
      ];
      return `${agent}  ${parts.join('; ')}`;
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
  const claims = simpleClaims(simple, domain, (agent) => seen.get(agent));
  return claimLines(claims, domain);
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
  if (value === undefined || value.kind !== 'adagents') return [];
  return claimLines(await claimsInRecords(value, domain, (names) => agents.facts(names)), domain);
}
