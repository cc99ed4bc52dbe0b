import { defined } from '../../../base/json.ts';
import type { DomainPage, KnownPublisher } from '../../../records/agents/publishers.ts';
import { bodyHashOf } from './file-diffs.ts';
import { discoveryMethod, type GraphParts, timeText } from './reading.ts';

/** The manager's own file, while it counts. */
interface KeptFile extends Pick<KnownPublisher, 'url' | 'contentHash'> {
  /** Since when it says what it says. */
  readonly changedAt: number;
}

interface Reading {
  readonly domain: string;
  readonly kept: KeptFile | undefined;
  readonly page: DomainPage;
}

/** The next publishers that lead to the domain. */
export async function readPointing({ records: { graph } }: GraphParts, { domain, kept, page }: Reading) {
  const domains = await graph.pointingTo(domain, page);
  const known = new Map((await graph.publishersAmong(domains)).map((one) => [one.domain, one]));
  return domains.map((one) => networkPublisher(one, known.get(one), kept));
}

/** The next publishers that the domain names, with those that do not lead to it. */
export async function readMissing({ records: { graph } }: GraphParts, { domain, page }: Reading) {
  const named = await graph.namedBy(domain, page);
  const known = new Map(
    (await graph.publishersAmong(named.map((one) => one.domain))).map((one) => [one.domain, one]),
  );
  return named.map(({ domain: one, isVisited, pointsBack }) => ({
    ...networkPublisher(one, known.get(one), undefined),
    states: isVisited && !pointsBack ? (['missing'] as const) : [],
  }));
}

/** How a publisher and its network do not agree. */
type NetworkState = 'orphaned' | 'behind' | 'missing';

/** A publisher of a network, as answers show it. */
export interface NetworkPublisher {
  readonly domain: string;
  readonly states: readonly NetworkState[];
  readonly agents: number;
  readonly discovery_method?: string;
  readonly last_validated?: string;
  readonly outcome?: string;
}

function networkPublisher(
  domain: string,
  known: KnownPublisher | undefined,
  kept: KeptFile | undefined,
): NetworkPublisher {
  const { isValid = false, via, agents = 0, lacking, lastSuccessAt, lastOutcome } = known ?? {};
  const isOrphaned = isValid ? agents === 0 : lacking !== undefined;
  const isBehind = known !== undefined && kept !== undefined && fallsBehind(known, kept);
  return {
    domain,
    states: [...(isOrphaned ? (['orphaned'] as const) : []), ...(isBehind ? (['behind'] as const) : [])],
    agents,
    ...defined({
      discovery_method: via && discoveryMethod(via),
      last_validated: lastSuccessAt === undefined ? undefined : timeText(lastSuccessAt),
      outcome: lastOutcome,
    }),
  };
}

/** It was read from the same place before the file there changed, and so says something else. */
function fallsBehind(
  { isValid, url, contentHash = '', lastSuccessAt = 0 }: KnownPublisher,
  kept: KeptFile,
): boolean {
  const isOther = bodyHashOf(contentHash) !== bodyHashOf(kept.contentHash ?? '');
  return isValid && url === kept.url && isOther && lastSuccessAt < kept.changedAt;
}
