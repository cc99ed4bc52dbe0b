import { jsonBytes, withinBytes } from '../../base/json-bytes.ts';
import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import type { BaseRecord, PropertiesGroup } from '../../domain/agent-document.ts';
import type { Capabilities } from '../../domain/capabilities.ts';
import type { ComplianceSummary } from '../../domain/compliance.ts';
import { stitchAgent } from '../../domain/stitch.ts';
import { recordGroups } from '../../index/query/record-groups.ts';
import type { Records } from '../../ports/records.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { Freshness } from './agent-list.ts';
import { fullRecordJson } from './agent-list.ts';
import { type VerifiedBadge, verifiedBadges } from './compliance-detail.ts';
import { provenance } from './provenance.ts';

export interface InFullSources {
  readonly records: Pick<Records, 'agents' | 'sources' | 'compliance'>;
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
  /** The names of memberships; absent: the default ones. */
  readonly tiers?: TierTable;
}

/** The answer: the record has the fields of the list. */
export interface AgentInFull extends BaseRecord {
  readonly freshness: Freshness;
  readonly health?: { readonly online: boolean; readonly response_time_ms?: number; readonly error?: string };
  readonly stats?: PropertiesGroup['stats'];
  readonly capabilities?: Capabilities;
  readonly compliance?: ComplianceSummary;
  readonly publisher_domains?: readonly string[];
  readonly publisher_domains_truncated?: true;
  readonly listed: boolean;
  readonly verified_badges: readonly VerifiedBadge[];
  readonly provenance: Awaited<ReturnType<typeof provenance>> & { readonly run: ReturnType<typeof runOf> };
}

/** Clients stop reading after 256 KiB. */
const MAX_BYTES = 250 * 1024;

/**
 * One agent: the record of the list with every group, its badges and its sources. The same for all callers. Undefined for an
 * unknown agent.
 */
export async function agentInFull(
  { records, baseUrl, tiers = DEFAULT_TIERS }: InFullSources,
  agent: string,
  now: number,
): Promise<AgentInFull | undefined> {
  const [[facts], live, state] = await Promise.all([
    records.agents.facts([agent]),
    records.agents.live([agent]),
    records.compliance.state(agent),
  ]);
  if (facts === undefined || state === undefined) return undefined;
  const listed = stitchAgent(facts, now).document;
  // also for a delisted agent
  const document = listed ?? stitchAgent(facts, Number.NEGATIVE_INFINITY).document;
  if (document === undefined) return undefined;
  const record = fullRecordJson(recordGroups(document), { state: live.get(agent), tiers, now });
  return bounded({
    ...JSON.parse(record),
    listed: listed !== undefined,
    verified_badges: state.settings.optedOut ? [] : verifiedBadges(agent, state.badges, baseUrl),
    provenance: { ...(await provenance(records, facts, now)), run: runOf(state) },
  });
}

/** The run of the compliance status. Only the owner sees when the next one is. */
function runOf({ settings, standing: { latest } }: ComplianceState) {
  if (settings.optedOut || latest === null) return null;
  return { id: latest.runId, last_good_at: new Date(latest.at).toISOString() };
}

/** An answer that is too large loses publishers first, which are in it twice, then metrics. */
function bounded(answer: AgentInFull): AgentInFull {
  const over = jsonBytes(answer) - MAX_BYTES;
  return over <= 0 ? answer : withFewerMetrics(withFewerPublishers(answer, over));
}

/** Bytes for the truncation mark. */
const MARK = 64;

function withFewerPublishers(answer: AgentInFull, over: number): AgentInFull {
  const { stats, publisher_domains: domains } = answer;
  if (stats === undefined || domains === undefined) return answer;
  const publishers = withinBytes(domains, Math.max(0, jsonBytes(domains) - over / 2 - MARK));
  const shorter = { stats: { ...stats, publishers }, publisher_domains: publishers };
  return { ...answer, ...shorter, publisher_domains_truncated: true };
}

function withFewerMetrics(answer: AgentInFull): AgentInFull {
  const over = jsonBytes(answer) - MAX_BYTES;
  const { capabilities } = answer;
  const metrics = capabilities?.measurement_capabilities?.metrics;
  if (over <= 0 || capabilities === undefined || metrics === undefined) return answer;
  const fewer = withinBytes(metrics, Math.max(0, jsonBytes(metrics) - over - MARK));
  const measured = { metrics: fewer, metrics_truncated: true as const };
  return { ...answer, capabilities: { ...capabilities, measurement_capabilities: measured } };
}
