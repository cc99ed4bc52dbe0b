import type {
  BadgeEventPage,
  ComplianceAfter,
  ComplianceBefore,
  ComplianceStore,
  ImportBefore,
  ImportCounts,
  ImportedRun,
  KeptBadgeEvent,
  NewRun,
  RevokedBadge,
} from '../../../../ports/compliance.ts';
import type { RunLease } from '../../../../ports/run-schedule.ts';
import { lockShared } from '../../locks.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, first, run, sql } from '../../statements.ts';
import { auditDeed, OPERATOR } from '../owners/audit.ts';
import { createAgentLock } from '../owners/proven-owner.ts';
import { writeDecision } from './compliance-decision.ts';
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
import { forgetAsked } from './run-clock.ts';
import { createRunLeases } from './run-leases.ts';

type Before = ComplianceBefore & StoredState;

/** Runs, standings and badges. No crawl finds them again, so they are written durably. */
export function createComplianceStore(store: SqlStore): ComplianceStore {
  const lockAgent = createAgentLock(store);
  const readState = createStateReader(store);
  const readProbes = createProbeReader(store);
  const insertRun = createRunWriter(store);
  const leases = createRunLeases(store);

  /** What is so, held until the transaction ends. */
  function* begin(agent: string, now: number): SqlTask<Before | undefined> {
    yield* lockShared(store, 'contents'); // or the agent may be pruned meanwhile
    yield* lockAgent(agent);
    const state = yield* readState(agent);
    return state && { ...state, probes: yield* readProbes(agent, now) };
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
    lastRuns: async (agent, page) => (await store.read(() => pageOfRuns(store, agent, page))).map(keptRun),
    run: (agent, id) => store.read(() => oneRun(store, agent, id)),
    async evidence(agent, id) {
      const found = await store.read(() => evidenced(store, agent, id));
      if (found === undefined) return undefined;
      const report = found.bytes === undefined ? null : await unpackReport(found.bytes);
      return { ...found.run, report };
    },
    badgeEvents: (agent, page) => store.read(() => events(store, agent, page)),
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
