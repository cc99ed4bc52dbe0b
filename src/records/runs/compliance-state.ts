import { present } from '../../base/json.ts';
import { type Badge, LIVE_WINDOW_MS, type ProbeHistory } from '../../domain/badge.ts';
import { type AgentSettings, type AgentTestSetup, DEFAULT_SETTINGS } from '../../domain/compliance.ts';
import { NEVER_RUN, type Standing } from '../../domain/standing.ts';
import type { Db } from '../database.ts';
import { readProbeLog } from '../probes/probe-log.ts';
import type { AgentSettingsTable, BadgeTable } from '../tables.ts';

/** The proven owner: the details that badges depend on and that the owner sees. */
export interface OwnerStanding {
  readonly member: string;
  /** When it last proved to own the agent. */
  readonly provenAt?: number;
  readonly tier?: string;
  readonly tierLabel?: string;
  readonly subscriptionStatus?: string;
}

/**
 * The stored compliance of one agent. If its owner has opted out, earlier results are hidden:
 * its standing is `NEVER_RUN`, and it has no badges.
 */
export interface ComplianceState {
  readonly settings: AgentSettings;
  /** `NEVER_RUN` before the first run. */
  readonly standing: Standing;
  /** In the order in which they were earned, revoked ones too. */
  readonly badges: readonly Badge[];
  /** When the next heartbeat is due, epoch milliseconds; null for never, or not decided. */
  readonly due: number | null;
  /** Absent if the agent has no proven owner. */
  readonly owner?: OwnerStanding;
}

/** A state, and whether older runs were pruned. */
export interface StoredState extends ComplianceState {
  readonly historyPruned: boolean;
}

/**
 * Reads all that decides about an agent's compliance, in two queries; undefined for an unknown agent. An owner is the
 * member of the registration that has proven to control the domain, as in `proven-owner.ts`.
 */
export async function readState(db: Db, agent: string): Promise<StoredState | undefined> {
  const row = await db
    .selectFrom('agent')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'agent.agent')
    .leftJoin('compliance_standing as kept', 'kept.agent', 'agent.agent')
    .leftJoin('run_schedule as runs', 'runs.agent', 'agent.agent')
    .leftJoin('registration', (join) =>
      join.onRef('registration.agent', '=', 'agent.agent').on('registration.proven_at', 'is not', null),
    )
    .leftJoin('member', 'member.slug', 'registration.member')
    .select(CHOSEN_COLUMNS)
    .select(['kept.standing', 'kept.history_pruned', 'runs.next_run_at'])
    .select(['registration.member as owner', 'registration.proven_at'])
    .select(['member.tier', 'member.tier_label', 'member.subscription_status'])
    .where('agent.agent', '=', agent)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    settings: chosenSettings(row),
    standing: row.standing === null ? NEVER_RUN : (JSON.parse(row.standing) as Standing),
    badges: row.standing === null ? [] : await readBadges(db, agent), // without a run there are none
    due: row.next_run_at,
    historyPruned: row.history_pruned === 1,
    ...present({ owner: ownerOf(row) }),
  };
}

async function readBadges(db: Db, agent: string): Promise<readonly Badge[]> {
  const rows = await db.selectFrom('badge').selectAll().where('agent', '=', agent).orderBy('place').execute();
  return rows.map(badgeOf);
}

/** A state without the results of an agent whose owner has opted out, as everyone but the decisions sees it. */
export function shownState(state: ComplianceState): ComplianceState {
  return state.settings.optedOut ? { ...state, standing: NEVER_RUN, badges: [] } : state;
}

/** How often the planned probes of the window of the `live` axis found an agent healthy. */
export async function readLiveProbes(db: Db, agent: string, now: number): Promise<ProbeHistory> {
  const log = await readProbeLog(db, agent, { from: now - LIVE_WINDOW_MS, until: now });
  const planned = log.probes.filter(({ asked }) => !asked);
  return { total: planned.length, healthy: planned.filter(({ online }) => online).length };
}

/** Columns of `agent_settings`. */
export const CHOSEN_COLUMNS = [
  ...(['opted_out', 'monitoring_paused', 'check_interval_hours', 'lifecycle_stage'] as const),
  ...(['compliance_target', 'test_setup'] as const),
] as const;

/** Null where an owner has chosen nothing. */
type ChosenRow = {
  readonly [Column in (typeof CHOSEN_COLUMNS)[number]]: AgentSettingsTable[Column] | null;
};

/** The settings that an owner has chosen, and the defaults for the rest. */
export function chosenSettings(row: ChosenRow): AgentSettings {
  const { optedOut, monitoringPaused, checkIntervalHours, lifecycleStage } = DEFAULT_SETTINGS;
  return {
    optedOut: row.opted_out === null ? optedOut : row.opted_out === 1,
    monitoringPaused: row.monitoring_paused === null ? monitoringPaused : row.monitoring_paused === 1,
    checkIntervalHours: row.check_interval_hours ?? checkIntervalHours,
    lifecycleStage: row.lifecycle_stage ?? lifecycleStage,
    ...present({ complianceTarget: row.compliance_target }),
    ...(row.test_setup !== null && { testSetup: JSON.parse(row.test_setup) as AgentTestSetup }),
  };
}

interface OwnerRow {
  readonly owner: string | null;
  readonly proven_at: number | null;
  readonly tier: string | null;
  readonly tier_label: string | null;
  readonly subscription_status: string | null;
}

function ownerOf(row: OwnerRow): OwnerStanding | undefined {
  if (row.owner === null) return undefined;
  const { proven_at: provenAt, tier, tier_label: tierLabel, subscription_status: subscriptionStatus } = row;
  return { member: row.owner, ...present({ provenAt, tier, tierLabel, subscriptionStatus }) };
}

function badgeOf(row: BadgeTable): Badge {
  return {
    role: row.role,
    line: row.protocol_line,
    axes: JSON.parse(row.axes) as Badge['axes'],
    specialisms: JSON.parse(row.specialisms) as string[],
    protoVersion: row.proto_version,
    verifiedAt: row.verified_at,
    graceSince: row.grace_since,
    revokedAt: row.revoked_at,
  };
}
