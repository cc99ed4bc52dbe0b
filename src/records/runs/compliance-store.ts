import { present } from '../../base/json.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Badge, BadgeEvent, ProbeHistory } from '../../domain/badge.ts';
import type { JudgedRun } from '../../domain/judged-run.ts';
import type { Standing } from '../../domain/standing.ts';
import { markOneDirty } from '../agents/documents.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockShared } from '../locks.ts';
import { agentSettingsOf } from '../owners/agent-settings.ts';
import { audit, OPERATOR } from '../owners/audit.ts';
import { lockAgent } from '../owners/checks.ts';
import {
  type EvidencedRun,
  findRun,
  findRunWithEvidence,
  type HistoryPage,
  insertRun,
  type KeptRun,
  packReport,
  pageOfRuns,
  unpackReport,
  wholeHistory,
} from './compliance-runs.ts';
import {
  type ComplianceState,
  readLiveProbes,
  readState,
  type StoredState,
  shownState,
} from './compliance-state.ts';
import { dropRequest, keepDecided } from './run-clock.ts';
import { type RunLease, releaseRun } from './run-leases.ts';

/** The state on which a decision is based, inside the transaction that stores the decision. */
export interface ComplianceBefore extends ComplianceState {
  /** Of the last 7 days. */
  readonly probes: ProbeHistory;
  /** The standings of the agent by the version of the bundle. */
  readonly byBundle: StandingsByBundle;
}

export type StandingsByBundle = Readonly<Record<string, Standing>>;

/** The same for an import. */
export interface ImportBefore extends ComplianceBefore {
  /** Every run, the new ones too, oldest first by their beginning. */
  readonly history: readonly KeptRun[];
  /** Of these the new ones. */
  readonly added: readonly KeptRun[];
  /** Older runs were pruned, so that the history alone does not give the standing any more. */
  readonly historyPruned: boolean;
}

/** What changes, as `afterRun` gives it. */
export interface ComplianceAfter {
  readonly standing: Standing;
  readonly badges: readonly Badge[];
  readonly events: readonly BadgeEvent[];
  readonly nextRunAt: number | null;
  /** Standings with bundles that change; absent: none. */
  readonly byBundle?: StandingsByBundle;
}

/** A finished run with its verdict, to be kept. */
export interface NewRun {
  readonly agent: string;
  readonly run: JudgedRun & { readonly started_at: string };
  /** The whole run with its steps; kept for the owner, bounded. */
  readonly report: object;
  /** Released with the run; nothing is stored if it was lost meanwhile. */
  readonly lease?: RunLease;
  /** The actor who recorded it by hand: leaves an audit record, `run.record`. */
  readonly actor?: Actor;
}

/** A run recorded elsewhere. */
export type ImportedRun = JudgedRun & { readonly started_at: string };

interface ImportCounts {
  readonly added: number;
  /** Those that were there already, by agent, beginning and trigger. */
  readonly known: number;
}

/** An entry of a timeline with its place in it: a later one has a greater id. */
export interface KeptBadgeEvent extends BadgeEvent {
  readonly id: number;
}

/** A badge that was revoked; of the agent, which may have earned another since. */
export interface RevokedBadge extends Pick<Badge, 'role' | 'line'> {
  readonly agent: string;
  readonly revokedAt: number;
}

export interface TestedAgent {
  readonly agent: string;
  readonly standing: Standing;
}

export interface BadgeEventPage {
  readonly limit: number;
  /** The id of an entry: only those that came before it. */
  readonly before?: number;
}

type Before = ComplianceBefore & StoredState;
type Decide<B> = (before: B) => ComplianceAfter;

/**
 * Runs, standings and badges. No crawl finds them again, so they are written durably. Times are epoch milliseconds.
 *
 * A pure function decides what a run changes. It gets the current state and is called inside the transaction, possibly
 * more than once, so that two runs, or a run and a change of settings, never undo each other. The agent is marked dirty
 * when its document may change.
 *
 * Reads return no results for an agent whose owner has opted out: no runs, no badges and no timeline.
 */
export function createComplianceStore(database: RecordsDatabase) {
  /** Reads results of an agent; undefined if its owner has opted out, as then they are not shown. */
  const readShown = <T>(agent: string, read: (db: Db) => Promise<T>): Promise<T | undefined> =>
    database.read(async (db) =>
      (await agentSettingsOf(db, agent))?.optedOut === true ? undefined : read(db),
    );
  return {
    /** Undefined for an unknown agent. */
    async state(agent: string) {
      const state = await database.read((db) => readState(db, agent));
      return state && shownState(state);
    },
    /** The standings of tested agents, by URL, without those that opted out; empty after the last one. */
    standings: (after: string, limit: number) => database.read((db) => standingsAfter(db, { after, limit })),
    /**
     * Stores a run with all that it changes, durably; an open request for this run is closed. The same run again
     * changes nothing and returns `known`. `unknown_agent` for an unknown agent, `lost` if its lease was lost.
     */
    async saveRun(wanted: NewRun, decide: (before: ComplianceBefore) => ComplianceAfter, now: number) {
      const bytes = await packReport(wanted.report);
      return database.durably((db) => saveRun(db, wanted, { bytes, decide, now }));
    },
    /** The same without a run: the owner, the membership or the time has changed something. False for an unknown agent. */
    reconsider: (agent: string, decide: (before: ComplianceBefore) => ComplianceAfter, now: number) =>
      database.durably((db) => reconsider(db, agent, decide, now)),
    /** Keeps runs of one agent that were recorded elsewhere, with an audit record. Undefined for an unknown agent. */
    importRuns: (
      agent: string,
      runs: readonly ImportedRun[],
      decide: (before: ImportBefore) => ComplianceAfter,
      now: number,
    ) => database.durably((db) => importRuns(db, agent, { runs, decide, now })),
    /** Newest first by their beginning; empty for an unknown agent. */
    lastRuns: async (agent: string, page: HistoryPage) =>
      (await readShown(agent, (db) => pageOfRuns(db, agent, page))) ?? [],
    /** One run; its evidence is read only where it is asked for. */
    run: (agent: string, id: string) => readShown(agent, (db) => findRun(db, agent, id)),
    async evidence(agent: string, id: string): Promise<EvidencedRun | undefined> {
      const found = await readShown(agent, (db) => findRunWithEvidence(db, agent, id));
      if (found === undefined) return undefined;
      return { ...found.run, report: found.evidence && (await unpackReport(found.evidence)) };
    },
    /** The standings of an agent by bundle; empty for an agent that was never tested, or opted out. */
    bundleStandings: async (agent: string) =>
      (await readShown(agent, (db) => standingsByBundle(db, agent))) ?? {},
    /**
     * The standings with a bundle of all agents that were tested with it, by URL, without those that opted out; empty
     * after the last one.
     */
    standingsWith: (version: string, after: string, limit: number) =>
      database.read((db) => standingsAfter(db, { version, after, limit })),
    /** The timeline of an agent's badges, newest first; empty for an unknown agent. */
    badgeEvents: async (agent: string, page: BadgeEventPage) =>
      (await readShown(agent, (db) => badgeEvents(db, agent, page))) ?? [],
    /**
     * The badges of all agents that were revoked after this moment, the newest first; for verifiers, so also those of
     * agents that opted out.
     */
    revokedBadges: (after: number) => database.read((db) => revokedBadges(db, after)),
  };
}

export type ComplianceStore = ReturnType<typeof createComplianceStore>;

/** With a bundle, or as agents show them. */
async function standingsAfter(
  db: Db,
  { version, after, limit }: { readonly version?: string; readonly after: string; readonly limit: number },
): Promise<readonly TestedAgent[]> {
  const kept =
    version === undefined
      ? db.selectFrom('compliance_standing').select(['agent', 'standing'])
      : db.selectFrom('bundle_standing').select(['agent', 'standing']).where('version', '=', version);
  const rows = await db
    .selectFrom(kept.as('kept'))
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'kept.agent')
    .select(['kept.agent', 'kept.standing'])
    .where((row) => row.or([row('chosen.opted_out', 'is', null), row('chosen.opted_out', '=', 0)]))
    .where('kept.agent', '>', after)
    .orderBy('kept.agent')
    .limit(limit)
    .execute();
  return rows.map(({ agent, standing }) => ({ agent, standing: JSON.parse(standing) as Standing }));
}

async function standingsByBundle(db: Db, agent: string): Promise<StandingsByBundle> {
  const rows = await db.selectFrom('bundle_standing').selectAll().where('agent', '=', agent).execute();
  return Object.fromEntries(rows.map((row) => [row.version, JSON.parse(row.standing) as Standing]));
}

async function badgeEvents(
  db: Db,
  agent: string,
  { limit, before }: BadgeEventPage,
): Promise<readonly KeptBadgeEvent[]> {
  const ofAgent = db.selectFrom('badge_event').selectAll().where('agent', '=', agent);
  const earlier = before === undefined ? ofAgent : ofAgent.where('id', '<', before);
  const rows = await earlier.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ id, kind, role, protocol_line: line, at, reason, run: runId }) => ({
    id,
    kind,
    role,
    line,
    at,
    reason,
    runId,
  }));
}

async function revokedBadges(db: Db, after: number): Promise<readonly RevokedBadge[]> {
  const rows = await db
    .selectFrom('badge')
    .select(['agent', 'role', 'protocol_line as line', 'revoked_at'])
    .where('revoked_at', '>', after)
    .orderBy('revoked_at', 'desc')
    .orderBy('agent')
    .execute();
  return rows.map(({ agent, role, line, revoked_at }) => ({
    agent,
    role,
    line,
    revokedAt: Number(revoked_at),
  }));
}

/** Reads what decisions are made from, and keeps it unchanged until the transaction ends. */
async function readBefore(db: Db, agent: string, now: number): Promise<Before | undefined> {
  await lockShared(db, 'contents'); // or the agent may be pruned meanwhile
  await lockAgent(db, agent);
  const state = await readState(db, agent);
  if (state === undefined) return undefined;
  return {
    ...state,
    probes: await readLiveProbes(db, agent, now),
    byBundle: await standingsByBundle(db, agent),
  };
}

interface Saving {
  /** The packed report. */
  readonly bytes: Uint8Array;
  readonly decide: Decide<ComplianceBefore>;
  readonly now: number;
}

async function saveRun(
  db: Db,
  { agent, run, lease, actor }: NewRun,
  { bytes, decide, now }: Saving,
): Promise<'saved' | 'known' | 'unknown_agent' | 'lost'> {
  const before = await readBefore(db, agent, now);
  if (before === undefined) return 'unknown_agent';
  const isKnown = (await findRun(db, agent, run.run_id)) !== undefined;
  const isHeld = lease === undefined || (await releaseRun(db, leaseAfter(run, lease)));
  if (!isKnown && !isHeld) return 'lost';
  await dropRequest(db, agent, run.run_id);
  if (isKnown) return 'known';
  await insertRun(db, agent, run, bytes);
  await writeDecision(db, agent, before, decide(before), now);
  const details = { run_id: run.run_id };
  if (actor !== undefined) await audit(db, { at: now, actor, action: 'run.record', subject: agent, details });
  return 'saved';
}

/** A complete run reports the one that was lost before it. A run that is not shown as the latest reports nothing. */
function leaseAfter({ outcome }: NewRun['run'], lease: RunLease): RunLease {
  const { afterLoss: _, ...reported } = lease;
  return outcome === 'complete' ? reported : lease;
}

async function reconsider(
  db: Db,
  agent: string,
  decide: Decide<ComplianceBefore>,
  now: number,
): Promise<boolean> {
  const before = await readBefore(db, agent, now);
  if (before === undefined) return false;
  await writeDecision(db, agent, before, decide(before), now);
  return true;
}

interface Import {
  readonly runs: readonly ImportedRun[];
  readonly decide: Decide<ImportBefore>;
  readonly now: number;
}

async function importRuns(
  db: Db,
  agent: string,
  { runs, decide, now }: Import,
): Promise<ImportCounts | undefined> {
  const before = await readBefore(db, agent, now);
  if (before === undefined) return undefined;
  const added = withoutKnown(runs, await wholeHistory(db, agent));
  const counts = { added: added.length, known: runs.length - added.length };
  if (added.length === 0) return counts;
  for (const run of added) await insertRun(db, agent, run, 'imported');
  const history = await wholeHistory(db, agent);
  const ids = new Set(added.map(({ run_id }) => run_id));
  const given = { ...before, history, added: history.filter(({ run_id }) => ids.has(run_id)) };
  await writeDecision(db, agent, before, decide(given), now);
  const entry = { at: now, actor: OPERATOR, action: 'runs.import', subject: agent, details: counts };
  await audit(db, entry);
  return counts;
}

/** Runs that are not in the history, by id or by beginning and trigger, each once. */
function withoutKnown(runs: readonly ImportedRun[], history: readonly ImportedRun[]): readonly ImportedRun[] {
  const known = new Set(history.flatMap(namesOf));
  return runs.filter((run) => {
    const names = namesOf(run);
    if (names.some((name) => known.has(name))) return false;
    for (const name of names) known.add(name);
    return true;
  });
}

function namesOf({ run_id, started_at, trigger }: ImportedRun): readonly string[] {
  return [run_id, `${Date.parse(started_at)} ${trigger ?? ''}`];
}

/** Writes a decision about an agent, and marks the agent for stitching if its document shows any change. */
async function writeDecision(
  db: Db,
  agent: string,
  before: ComplianceState,
  after: ComplianceAfter,
  now: number,
): Promise<void> {
  await writeStanding(db, agent, after.standing);
  for (const [version, standing] of Object.entries(after.byBundle ?? {}))
    await writeBundleStanding(db, agent, version, standing);
  const isOwned = before.owner !== undefined;
  await keepDecided(db, agent, { nextRunAt: after.nextRunAt, isOwned }, now);
  for (const [place, badge] of after.badges.entries())
    if (!isSame(badge, before.badges[place])) await writeBadge(db, agent, badge, place);
  for (const event of after.events) await writeEvent(db, agent, event);
  if (!isSame(documented(before), documented(after))) await markOneDirty(db, agent, now);
  // last, as the audit log is locked until the end of the transaction
  for (const event of after.events) await auditEvent(db, agent, event, now);
}

/** The part of a state that an agent's document shows. */
function documented({ standing, badges }: Pick<ComplianceState, 'standing' | 'badges'>) {
  const { status, streakDays, latest } = standing;
  return { status, streakDays, latest, badges };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function writeStanding(db: Db, agent: string, standing: Standing): Promise<void> {
  const row = { standing: JSON.stringify(standing), latest_run: standing.latest?.runId ?? null };
  await db
    .insertInto('compliance_standing')
    .values({ agent, ...row, history_pruned: 0 })
    .onConflict((same) => same.column('agent').doUpdateSet(row))
    .execute();
}

async function writeBundleStanding(
  db: Db,
  agent: string,
  version: string,
  standing: Standing,
): Promise<void> {
  const row = { standing: JSON.stringify(standing) };
  await db
    .insertInto('bundle_standing')
    .values({ agent, version, ...row })
    .onConflict((same) => same.columns(['agent', 'version']).doUpdateSet(row))
    .execute();
}

async function writeBadge(db: Db, agent: string, badge: Badge, place: number): Promise<void> {
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
  await db
    .insertInto('badge')
    .values({ agent, place, ...row })
    .onConflict((same) => same.columns(['agent', 'place']).doUpdateSet(row))
    .execute();
}

async function writeEvent(db: Db, agent: string, event: BadgeEvent): Promise<void> {
  const { kind, role, line, at, reason, runId } = event;
  await db
    .insertInto('badge_event')
    .values({ agent, at, kind, role, protocol_line: line, reason, run: runId })
    .execute();
}

/** The same event in the audit log, whose records are never changed. */
async function auditEvent(db: Db, agent: string, event: BadgeEvent, now: number): Promise<void> {
  const { kind, role, line, reason, runId: run_id } = event;
  await audit(db, {
    at: now,
    actor: { kind: 'registry' },
    action: `badge.${kind}`,
    subject: agent,
    details: { role, line, reason, ...present({ run_id }) },
  });
}
