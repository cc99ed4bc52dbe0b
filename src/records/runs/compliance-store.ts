import { present } from '../../base/json.ts';
import type { Badge, BadgeEvent } from '../../domain/badge.ts';
import type { Standing } from '../../domain/standing.ts';
import type {
  BadgeEventPage,
  ComplianceAfter,
  ComplianceBefore,
  ComplianceState,
  ComplianceStore,
  ImportBefore,
  ImportCounts,
  ImportedRun,
  KeptBadgeEvent,
  NewRun,
  RevokedBadge,
  StandingsByBundle,
  TestedAgent,
} from '../../ports/compliance.ts';
import type { RunLease } from '../../ports/run-schedule.ts';
import { markOneDirty } from '../agents/stitched-documents.ts';
import { lockShared } from '../locks.ts';
import { agentSettingsOf } from '../owners/agent-settings.ts';
import { auditDeed, OPERATOR, writeAuditEntry } from '../owners/audit.ts';
import { createAgentLock } from '../owners/proven-owner.ts';
import type { Tables } from '../schema.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql } from '../statements.ts';
import {
  createRunWriter,
  keptRun,
  oneRun,
  packReport,
  pageOfRuns,
  unpackReport,
  wholeHistory,
} from './compliance-runs.ts';
import {
  createComplianceReader,
  createProbeReader,
  createStateReader,
  type StoredState,
} from './compliance-state.ts';
import { forgetAsked, keepDecided } from './run-clock.ts';
import { createRunLeases } from './run-leases.ts';

type Before = ComplianceBefore & StoredState;

/** Runs, standings and badges. No crawl finds them again, so they are written durably. */
export function createComplianceStore(store: SqlStore): ComplianceStore {
  const lockAgent = createAgentLock(store);
  const readState = createStateReader(store);
  const readProbes = createProbeReader(store);
  const insertRun = createRunWriter(store);
  const leases = createRunLeases(store);

  /** Reads results of an agent; undefined when its owner has opted out: then nobody is shown any. */
  function shown<T>(agent: string, read: () => SqlTask<T>): Promise<T | undefined> {
    return store.read(function* () {
      return (yield* agentSettingsOf(store, agent))?.optedOut === true ? undefined : yield* read();
    });
  }

  /** What is so, held until the transaction ends. */
  function* begin(agent: string, now: number): SqlTask<Before | undefined> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    yield* lockAgent(agent);
    const state = yield* readState(agent);
    if (state === undefined) return undefined;
    const byBundle = yield* standingsByBundle(store, agent);
    return { ...state, probes: yield* readProbes(agent, now), byBundle };
  }
  function* save(
    { agent, run: finished, lease, actor }: NewRun,
    bytes: Uint8Array,
    decide: (before: ComplianceBefore) => ComplianceAfter,
    now: number,
  ): SqlTask<'saved' | 'known' | 'unknown_agent' | 'lost'> {
    const before = yield* begin(agent, now);
    if (before === undefined) return 'unknown_agent';
    const isKnown = (yield* oneRun(store, agent, finished.run_id)) !== undefined;
    const isHeld = lease === undefined || (yield* leases.release([leaseAfter(finished, lease)]))[0] === true;
    if (!isKnown && !isHeld) return 'lost';
    yield* forgetAsked(store, agent, finished.run_id);
    if (isKnown) return 'known';
    yield* insertRun(agent, finished, false);
    const at = Date.parse(finished.started_at);
    const passing = finished.verdict.status === 'passing' ? 1 : 0;
    yield* run(
      store,
      sql.insertInto('compliance_evidence').values({ agent, run: finished.run_id, at, passing, bytes }),
    );
    yield* writeDecision(store, agent, before, decide(before), now);
    const details = { run_id: finished.run_id };
    if (actor !== undefined)
      yield* auditDeed(store, { at: now, actor, action: 'run.record', subject: agent, details });
    return 'saved';
  }
  function* reconsider(
    agent: string,
    decide: (before: ComplianceBefore) => ComplianceAfter,
    now: number,
  ): SqlTask<boolean> {
    const before = yield* begin(agent, now);
    if (before === undefined) return false;
    yield* writeDecision(store, agent, before, decide(before), now);
    return true;
  }
  function* imported(
    agent: string,
    runs: readonly ImportedRun[],
    decide: (before: ImportBefore) => ComplianceAfter,
    now: number,
  ): SqlTask<ImportCounts | undefined> {
    const before = yield* begin(agent, now);
    if (before === undefined) return undefined;
    const fresh = withoutKnown(runs, yield* wholeHistory(store, agent));
    const counts = { added: fresh.length, known: runs.length - fresh.length };
    if (fresh.length === 0) return counts;
    for (const one of fresh) yield* insertRun(agent, one, true);
    const history = yield* wholeHistory(store, agent);
    const added = new Set(fresh.map(({ run_id }) => run_id));
    const given = { ...before, history, added: history.filter(({ run_id }) => added.has(run_id)) };
    yield* writeDecision(store, agent, before, decide(given), now);
    yield* auditDeed(store, {
      at: now,
      actor: OPERATOR,
      action: 'runs.import',
      subject: agent,
      details: counts,
    });
    return counts;
  }
  return {
    ...createComplianceReader(store, readState),
    async saveRun(wanted, decide, now) {
      const bytes = await packReport(wanted.report);
      return store.durably(() => save(wanted, bytes, decide, now));
    },
    reconsider: (agent, decide, now) => store.durably(() => reconsider(agent, decide, now)),
    importRuns: (agent, runs, decide, now) => store.durably(() => imported(agent, runs, decide, now)),
    lastRuns: async (agent, page) =>
      (await shown(agent, () => pageOfRuns(store, agent, page)))?.map(keptRun) ?? [],
    run: (agent, id) => shown(agent, () => oneRun(store, agent, id)),
    async evidence(agent, id) {
      const found = await shown(agent, () => evidenced(store, agent, id));
      if (found === undefined) return undefined;
      const report = found.bytes === undefined ? null : await unpackReport(found.bytes);
      return { ...found.run, report };
    },
    bundleStandings: async (agent) => (await shown(agent, () => standingsByBundle(store, agent))) ?? {},
    standingsWith: (version, after, limit) => store.read(() => standingsWith(store, version, after, limit)),
    badgeEvents: async (agent, page) => (await shown(agent, () => events(store, agent, page))) ?? [],
    revokedBadges: (after) => store.read(() => revokedBadges(store, after)),
  };
}

/** Those that are not there yet, by id or by beginning and trigger, each once. */
function withoutKnown(runs: readonly ImportedRun[], history: readonly ImportedRun[]): readonly ImportedRun[] {
  const known = new Set(history.flatMap(namesOf));
  return runs.filter((one) => {
    const names = namesOf(one);
    if (names.some((name) => known.has(name))) return false;
    for (const name of names) known.add(name);
    return true;
  });
}

function namesOf({ run_id, started_at, trigger }: ImportedRun): readonly string[] {
  return [run_id, `${Date.parse(started_at)} ${trigger ?? ''}`];
}

function* evidenced(store: SqlStore, agent: string, id: string) {
  const found = yield* oneRun(store, agent, id);
  if (found === undefined) return undefined;
  const kept = sql.selectFrom('compliance_evidence').select('bytes').where('agent', '=', agent);
  return { run: found, bytes: (yield* first(store, kept.where('run', '=', id)))?.bytes };
}

function* events(
  store: SqlStore,
  agent: string,
  { limit, before }: BadgeEventPage,
): SqlTask<readonly KeptBadgeEvent[]> {
  const ofAgent = sql.selectFrom('badge_event').selectAll().where('agent', '=', agent);
  const earlier = before === undefined ? ofAgent : ofAgent.where('id', '<', before);
  const rows = yield* all(store, earlier.orderBy('id', 'desc').limit(limit));
  return rows.map(({ id, kind, role, protocol_line: line, at, reason, run: runId }) => ({
    ...{ id, kind, role, line, at, reason, runId },
  }));
}

function* revokedBadges(store: SqlStore, after: number): SqlTask<readonly RevokedBadge[]> {
  const revoked = sql.selectFrom('badge').select(['agent', 'role', 'protocol_line', 'revoked_at']);
  const those = revoked.where('revoked_at', '>', after).orderBy('revoked_at', 'desc').orderBy('agent');
  const rows = yield* all(store, those);
  return rows.map(({ agent, role, protocol_line: line, revoked_at }) => ({
    ...{ agent, role, line, revokedAt: Number(revoked_at) },
  }));
}

/** A complete run reports the one that was lost before it. A run that is not shown as the latest reports nothing. */
function leaseAfter({ outcome }: NewRun['run'], lease: RunLease): RunLease {
  const { afterLoss: _, ...reported } = lease;
  return outcome === 'complete' ? reported : lease;
}

/** Writes what was decided of an agent, inside the caller's transaction; its document is due when it shows any of it. */
function* writeDecision(
  store: SqlStore,
  agent: string,
  before: ComplianceState,
  after: ComplianceAfter,
  now: number,
): SqlTask<void> {
  yield* writeStanding(store, agent, after);
  for (const [version, standing] of Object.entries(after.byBundle ?? {}))
    yield* writeBundleStanding(store, { agent, version, standing: JSON.stringify(standing) });
  const isOwned = before.owner !== undefined;
  yield* keepDecided(store, agent, { nextRunAt: after.nextRunAt, isOwned }, now);
  const changed = after.badges.flatMap((badge, place) =>
    isSame(badge, before.badges[place]) ? [] : [{ badge, place }],
  );
  for (const { badge, place } of changed) yield* writeBadge(store, agent, badge, place);
  for (const event of after.events) yield* writeEvent(store, agent, event);
  if (!isSame(documented(before), documented(after))) yield* markOneDirty(store, agent, now);
  for (const event of after.events) yield* auditEvent(store, agent, event, now);
}

function* writeStanding(store: SqlStore, agent: string, { standing }: ComplianceAfter): SqlTask<void> {
  const row = {
    standing: JSON.stringify(standing),
    latest_run: standing.latest?.runId ?? null,
  };
  const put = sql.insertInto('compliance_standing').values({ agent, ...row, forgotten: 0 });
  yield* run(
    store,
    put.onConflict((same) => same.column('agent').doUpdateSet(row)),
  );
}

function* writeBundleStanding(store: SqlStore, row: Tables['bundle_standing']): SqlTask<void> {
  const put = sql.insertInto('bundle_standing').values(row);
  const { standing } = row;
  yield* run(
    store,
    put.onConflict((same) => same.columns(['agent', 'version']).doUpdateSet({ standing })),
  );
}

function* standingsByBundle(store: SqlStore, agent: string): SqlTask<StandingsByBundle> {
  const rows = yield* all(store, sql.selectFrom('bundle_standing').selectAll().where('agent', '=', agent));
  return Object.fromEntries(rows.map((row) => [row.version, JSON.parse(row.standing) as Standing]));
}

function* standingsWith(
  store: SqlStore,
  version: string,
  after: string,
  limit: number,
): SqlTask<readonly TestedAgent[]> {
  const ofBundle = sql
    .selectFrom('bundle_standing as stands')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'stands.agent')
    .select(['stands.agent', 'stands.standing'])
    .where('stands.version', '=', version)
    .where('stands.agent', '>', after)
    .where((row) => row.or([row('chosen.opted_out', 'is', null), row('chosen.opted_out', '=', 0)]));
  const rows = yield* all(store, ofBundle.orderBy('stands.agent').limit(limit));
  return rows.map(({ agent, standing }) => ({ agent, standing: JSON.parse(standing) as Standing }));
}

function* writeBadge(store: SqlStore, agent: string, badge: Badge, place: number): SqlTask<void> {
  const row = {
    role: badge.role,
    protocol_line: badge.line,
    axes: JSON.stringify(badge.axes),
    specialisms: JSON.stringify(badge.specialisms),
    proto_version: badge.protoVersion,
    verified_at: badge.verifiedAt,
    grace_since: badge.graceSince,
    revoked_at: badge.revokedAt,
  };
  const put = sql.insertInto('badge').values({ agent, place, ...row });
  yield* run(
    store,
    put.onConflict((same) => same.columns(['agent', 'place']).doUpdateSet(row)),
  );
}

function* writeEvent(store: SqlStore, agent: string, event: BadgeEvent): SqlTask<void> {
  const { kind, role, line, at, reason, runId } = event;
  const row = { agent, at, kind, role, protocol_line: line, reason, run: runId };
  yield* run(store, sql.insertInto('badge_event').values(row));
}

/** The same in the audit log, whose records cannot be written again. */
function* auditEvent(store: SqlStore, agent: string, event: BadgeEvent, now: number): SqlTask<void> {
  const { kind, role, line, reason, runId: run_id } = event;
  const details = JSON.stringify({ role, line, reason, ...present({ run_id }) });
  const deed = { at: now, actor: 'registry', action: `badge.${kind}`, subject: agent };
  yield* writeAuditEntry(store, { ...deed, details });
}

/** What a document holds of it. */
function documented({ standing, badges }: Pick<ComplianceState, 'standing' | 'badges'>) {
  const { status, streakDays, latest } = standing;
  return { status, streakDays, latest, badges };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
