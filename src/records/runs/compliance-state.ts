import { present } from '../../base/json.ts';
import { type Badge, LIVE_WINDOW_MS } from '../../domain/badge.ts';
import { type AgentSettings, type AgentTestSetup, DEFAULT_SETTINGS } from '../../domain/compliance.ts';
import { NEVER_RUN, type Standing } from '../../domain/standing.ts';
import type {
  ComplianceBefore,
  ComplianceState,
  ComplianceStore,
  OwnerStanding,
} from '../../ports/compliance.ts';
import { createProbeLog } from '../probes/probe-log.ts';
import type { AgentSettingsTable, BadgeTable } from '../schema-agents.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** A state, and whether runs behind it were pruned. */
export interface StoredState extends ComplianceState {
  readonly forgotten: boolean;
}

/** What an agent's state is; undefined for one never heard of. */
type StateReader = (agent: string) => SqlTask<StoredState | undefined>;

/** Reads all that decides about an agent's compliance in two statements, in one for an agent that was never tested. */
export function createStateReader(store: SqlStore): StateReader {
  const selectState = prepare(store, stateOf);
  const selectBadges = prepare(store, badgesOf);
  return function* (agent) {
    const row = yield* selectState.first({ agent });
    if (row === undefined) return undefined;
    const badges = row.standing === null ? [] : yield* selectBadges.all({ agent });
    return {
      settings: chosenSettings(row),
      standing: row.standing === null ? NEVER_RUN : (JSON.parse(row.standing) as Standing),
      badges: badges.map(badgeOf),
      due: row.next_run_at,
      forgotten: row.forgotten === 1,
      ...present({ owner: ownerOf(row) }),
    };
  };
}

/** Reads the state alone, in a transaction of its own. */
export function createComplianceReader(
  store: SqlStore,
  readState: StateReader,
): Pick<ComplianceStore, 'state' | 'standings'> {
  const selectStandings = prepare(store, standingsAfter);
  return {
    async state(agent) {
      const state = await store.read(() => readState(agent));
      return state && shownState(state);
    },
    async standings(after, limit) {
      const rows = await store.read(() => selectStandings.all({ after, limit }));
      return rows.map(({ agent, standing }) => ({ agent, standing: JSON.parse(standing) as Standing }));
    },
  };
}

/** A state without the results of an agent whose owner has opted out: no reader outside of the decisions has them. */
function shownState<State extends ComplianceState>(state: State): State {
  return state.settings.optedOut ? { ...state, standing: NEVER_RUN, badges: [] } : state;
}

/** How often the probes of the window of the `live` axis found an agent healthy. */
export function createProbeReader(
  store: SqlStore,
): (agent: string, now: number) => SqlTask<ComplianceBefore['probes']> {
  const readLog = createProbeLog(store);
  return function* (agent, now) {
    const log = yield* readLog(agent, { from: now - LIVE_WINDOW_MS, until: now });
    const planned = log.probes.filter(({ asked }) => !asked);
    return { total: planned.length, healthy: planned.filter(({ online }) => online).length };
  };
}

/** Columns of `agent_settings`. */
export const CHOSEN_COLUMNS = [
  ...(['opted_out', 'monitoring_paused', 'check_interval_hours', 'lifecycle_stage'] as const),
  ...(['compliance_target', 'test_setup'] as const),
] as const;

/** Null where an owner has decided nothing. */
type ChosenRow = {
  readonly [Column in (typeof CHOSEN_COLUMNS)[number]]: AgentSettingsTable[Column] | null;
};

/** What an owner has decided, and the usual for the rest. */
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

/** An owner is the member of the registration that has proven to control the domain, as in `proven-owner.ts`. */
function stateOf(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('agent')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'agent.agent')
    .leftJoin('compliance_standing as stands', 'stands.agent', 'agent.agent')
    .leftJoin('run_schedule as runs', 'runs.agent', 'agent.agent')
    .leftJoin('registration', 'registration.agent', 'agent.agent')
    .leftJoin('ownership', (join) =>
      join
        .onRef('ownership.agent', '=', 'registration.agent')
        .onRef('ownership.member', '=', 'registration.member'),
    )
    .leftJoin('member', 'member.slug', 'ownership.member')
    .select(CHOSEN_COLUMNS)
    .select(['stands.standing', 'stands.forgotten', 'runs.next_run_at'])
    .select(['ownership.member as owner', 'ownership.proven_at'])
    .select(['member.tier', 'member.tier_label', 'member.subscription_status'])
    .where('agent.agent', '=', param('agent'));
}

function standingsAfter(param: Param<{ after: string; limit: number }>) {
  return sql
    .selectFrom('compliance_standing as stands')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'stands.agent')
    .select(['stands.agent', 'stands.standing'])
    .where((row) => row.or([row('chosen.opted_out', 'is', null), row('chosen.opted_out', '=', 0)]))
    .where('stands.agent', '>', param('after'))
    .orderBy('stands.agent')
    .limit(param('limit'));
}

function badgesOf(param: Param<{ agent: string }>) {
  return sql.selectFrom('badge').selectAll().where('agent', '=', param('agent')).orderBy('place');
}
