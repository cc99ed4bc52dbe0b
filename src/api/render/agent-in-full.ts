import { jsonBytes, withinBytes } from '../../base/json.ts';
import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import type { AgentDocument } from '../../domain/agent-document.ts';
import { isActive } from '../../domain/badge.ts';
import { stitchAgent } from '../../domain/stitch.ts';
import type { ComplianceState } from '../../ports/compliance.ts';
import type { Records } from '../../ports/records.ts';
import type { ListSwitches } from '../../query/list-parameters.ts';
import { renderAgentRecord, withTierLabel } from './agent-list.ts';
import { verifiedBadge } from './compliance-detail.ts';
import { provenance } from './provenance.ts';

export interface InFullSources {
  readonly records: Pick<Records, 'agents' | 'sources' | 'compliance'>;
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
  /** What memberships are called; absent: the usual ones. */
  readonly tiers?: TierTable;
}

/** Clients stop reading an answer of 256 KiB. */
const MAX_BYTES = 250 * 1024;
const EVERY_GROUP: ListSwitches = { health: true, capabilities: true, properties: true, compliance: true };

/**
 * One agent: the record of the list with every group, its badges, and where all of it comes from. Everybody is told the
 * same. Undefined for one that the registry has never heard of.
 */
export async function agentInFull(
  { records, baseUrl, tiers = DEFAULT_TIERS }: InFullSources,
  agent: string,
  now: number,
): Promise<object | undefined> {
  const [[facts], live, state] = await Promise.all([
    records.agents.facts([agent]),
    records.agents.live([agent]),
    records.compliance.state(agent),
  ]);
  if (facts === undefined || state === undefined) return undefined;
  const listed = stitchAgent(facts, now).document;
  // of one that has left the list, too
  const document = listed ?? stitchAgent(facts, Number.NEGATIVE_INFINITY).document;
  if (document === undefined) return undefined;
  const text = renderAgentRecord(hitOf(document, tiers), live.get(agent), EVERY_GROUP, now, {});
  return bounded({
    ...JSON.parse(text),
    listed: listed !== undefined,
    verified_badges: state.settings.optedOut
      ? []
      : state.badges.filter(isActive).map((badge) => verifiedBadge(agent, badge, baseUrl)),
    provenance: { ...(await provenance(records, facts)), run: runOf(state) },
  });
}

function hitOf({ url, base, properties, capabilities, compliance }: AgentDocument, tiers: TierTable) {
  return {
    url,
    seq: 0,
    base: withTierLabel(JSON.stringify(base), tiers),
    ...(properties && { properties: JSON.stringify(properties) }),
    ...(capabilities && { capabilities: JSON.stringify(capabilities) }),
    compliance: JSON.stringify(compliance),
  };
}

/** The run that the compliance is of. When the next one comes is the owner's to know. */
function runOf({ settings, standing: { latest } }: ComplianceState) {
  if (settings.optedOut || latest === null) return null;
  return { id: latest.runId, last_good_at: new Date(latest.at).toISOString() };
}

type Shown = Readonly<Record<string, unknown>> & Partial<AgentDocument['properties'] & AgentDocument>;

/** The publishers that stand in a record twice make room for what else is told, then metrics and tools. */
function bounded(answer: Shown): object {
  const over = jsonBytes(answer) - MAX_BYTES;
  if (over <= 0) return answer;
  const { stats, publisher_domains: domains = [], capabilities } = answer;
  const most = Math.max(0, jsonBytes(domains) - Math.ceil(over / 2) - 64);
  const publishers = withinBytes(domains, most);
  const shorter = {
    ...answer,
    ...(stats && {
      stats: { ...stats, publishers },
      publisher_domains: publishers,
      publisher_domains_truncated: true,
    }),
  };
  const stillOver = jsonBytes(shorter) - MAX_BYTES;
  const measured = capabilities?.measurement_capabilities;
  if (stillOver <= 0 || measured === undefined) return shorter;
  const metrics = withinBytes(measured.metrics, jsonBytes(measured.metrics) - stillOver - 64);
  return {
    ...shorter,
    capabilities: { ...capabilities, measurement_capabilities: { metrics, metrics_truncated: true } },
  };
}
