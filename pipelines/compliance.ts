import { randomUUID } from 'node:crypto';
import { type Decides, type Declared, decidedBy } from '../src/compliance/bundles/choose.ts';
import { choiceFor, setupFor } from '../src/compliance/buyer.ts';
import { decideRun } from '../src/compliance/decide.ts';
import { type LiveRunOptions, runAgent } from '../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../src/compliance/run-result.ts';
import { judgeRun } from '../src/compliance/verdict/verdict.ts';
import { type AgentSettings, isMonitored } from '../src/domain/compliance.ts';
import type { RunTrigger } from '../src/domain/judged-run.ts';
import type { Standing } from '../src/domain/standing.ts';
import { RegistryError } from '../src/errors.ts';
import { traced } from '../src/ops/trace.ts';
import type { RunEnd } from '../src/ops/visit-metrics.ts';
import type { ComplianceState } from '../src/records/runs/compliance-state.ts';
import type { ComplianceAfter, ComplianceBefore } from '../src/records/runs/compliance-store.ts';
import type { RunLease, RunWork } from '../src/records/runs/run-leases.ts';
import { faultOf } from './failed-visit.ts';
import type { RunContext, TestSetup } from './run-context.ts';
import { closedDoor, runNotMade } from './run-context.ts';
import { tellSoFar } from './tell-so-far.ts';

/** Consecutive internal errors for one agent after which the log has one warning. */
const OFTEN = 3;

/** Time to store runs before their lease ends, milliseconds. */
const KEEP_MS = 30_000;

/** Work with a trace, when it came by the queue. */
export interface RunJob extends RunWork {
  readonly trace?: string;
}

/** One run, before it is made. */
interface Chosen {
  readonly work: RunJob;
  readonly runId: string;
  readonly trigger: RunTrigger;
  /** The id of the only storyboard; such a run changes no verdict. */
  readonly only?: string;
}

interface Tested extends Chosen {
  readonly report: ComplianceRun;
  /** Absent when the agent could not be asked what it declares. */
  readonly used?: UsedBundle;
}

interface UsedBundle {
  readonly declared: Declared;
  readonly version: string;
}

/**
 * One run of an agent under its lease. An internal error is stored as an inconclusive run; only a store that is broken makes
 * it reject. Under a signal that has fired, and for an agent that must not be tested any more, the lease is given back
 * and nothing is kept.
 */
export function testAgent(work: RunJob, context: RunContext): Promise<void> {
  const attributes = { 'url.full': work.key, 'server.address': new URL(work.key).hostname };
  return traced({ name: 'compliance.run', attributes }, work, context, async (inTrace) => {
    const end = await testAndKeep(work, inTrace);
    const { trigger } = chosen(work);
    inTrace.metrics.run(trigger, end);
    inTrace.traced.span.set({ 'agent_registry.outcome': end });
  });
}

async function testAndKeep(work: RunJob, context: RunContext): Promise<RunEnd> {
  try {
    const state = await stateToRun(work, context);
    const tested = state && (await runMain(chosen(work), state, context));
    if (state !== undefined && tested !== undefined && !wasStopped(tested)) {
      await testWithOthers(tested, state.settings, context);
      return await keepRun(tested, context, work.lease);
    }
  } catch (fault) {
    faultOf(fault); // throws what must stop everything
    context.log.error({ agent: work.key, err: fault }, 'test failed with an internal error');
    if (!context.signal.aborted) return keepFailure(work, context);
  }
  await context.records.runs.release([work.lease]);
  return context.signal.aborted ? 'interrupted' : 'withdrawn';
}

/** Where even this cannot be kept, for this agent alone, its lease stays until it runs out: it is not tried again at once. */
async function keepFailure(work: RunJob, context: RunContext): Promise<RunEnd> {
  const choice = chosen(work);
  const detail = 'the test could not run because of an internal error';
  const report = runNotMade(choice, { reason: 'own_fault', detail }, context);
  try {
    return await keepRun({ ...choice, report }, context, work.lease);
  } catch (fault) {
    faultOf(fault);
    context.log.error({ agent: work.key, err: fault }, 'failed test could not be stored');
    return 'own_fault';
  }
}

/** The work may have waited for a slot: owners decide again until the first request. Undefined when it must not run. */
async function stateToRun(
  { key, asked }: RunJob,
  { records, log, signal }: RunContext,
): Promise<ComplianceState | undefined> {
  if (signal.aborted) return undefined;
  const state = await records.compliance.state(key);
  const reason = reasonAgainst(state, asked !== undefined);
  if (reason === undefined) return state;
  log.info({ agent: key, reason }, 'not tested');
  return undefined;
}

function reasonAgainst(state: ComplianceState | undefined, isAsked: boolean): string | undefined {
  if (state?.owner === undefined) return 'no proven owner';
  if (state.settings.optedOut) return 'opted out by its owner';
  return isAsked || isMonitored(state.settings) ? undefined : 'scheduled tests paused by its owner';
}

function chosen(work: RunJob): Chosen {
  const { runId = randomUUID(), trigger = 'heartbeat' as const, storyboard } = work.asked ?? {};
  return { work, runId, trigger, ...(storyboard !== undefined && { only: storyboard }) };
}

/** The run that was asked for, or the one that the agent's status follows from. */
async function runMain(
  choice: Chosen,
  { settings, standing }: ComplianceState,
  context: RunContext,
): Promise<Tested> {
  const { bundles } = context;
  const { complianceTarget: target } = settings;
  const requested = choice.work.asked?.target;
  let used: UsedBundle | undefined;
  const setup = await setupAsLast(standing, context);
  const tested = await run(
    choice,
    settings,
    { ...context, setup },
    async ({ supported_versions, vocabulary }) => {
      const declared = { versions: supported_versions, vocabulary };
      const { main, label, mismatch } = await bundles.plan(declared, { target, requested });
      const bundle = await bundles.open(main.version);
      used = { declared, version: main.version };
      return { bundle, target: label, ...(mismatch !== undefined && { mismatch }) };
    },
  );
  return { ...tested, ...(used && { used }) };
}

/** A run that cannot reach the agent is attributed to the bundle of the latest run. */
async function setupAsLast({ latest }: Standing, { setup, bundles }: RunContext): Promise<TestSetup> {
  const { protoVersion, requestedTarget } = latest ?? {};
  if (typeof protoVersion !== 'string') return setup;
  const bundle = await bundles.open(protoVersion).catch(() => setup.bundle);
  return { ...setup, bundle, target: requestedTarget ?? setup.target };
}

/**
 * Tests with the bundles of the other declared lines and those in preview, as long as the lease lasts. An error in one of
 * them does not affect the run that decides the status.
 */
async function testWithOthers(
  { used, report, ...choice }: Tested,
  settings: AgentSettings,
  context: RunContext,
): Promise<void> {
  if (used === undefined || choice.only !== undefined || report.outcome !== 'complete') return;
  const { declared } = used;
  const plan = await context.bundles.plan(declared, { target: settings.complianceTarget });
  if (plan.main.version !== used.version) return;
  const { asked: _, ...work } = choice.work;
  for (const { version, line } of [...plan.others, ...plan.previews]) {
    const leftMs = work.lease.until - context.clock.now() - KEEP_MS;
    if (context.signal.aborted || leftMs <= 0) break;
    try {
      const limits = { ...context.limits, deadlineMs: Math.min(context.limits.deadlineMs, leftMs) };
      const within = { ...context, limits, setup: setupOf(version, line, context) };
      const other = { ...choice, work, runId: randomUUID() };
      const choose = async () => ({ bundle: await context.bundles.open(version), target: line });
      const tested = await run(other, settings, within, choose);
      if (!wasStopped(tested)) await keepRun({ ...tested, used: { declared, version } }, context);
    } catch (fault) {
      faultOf(fault);
      context.log.error({ agent: work.key, version, err: fault }, 'test with another bundle failed');
    }
  }
}

async function run(
  choice: Chosen,
  settings: AgentSettings,
  context: RunContext,
  choose: NonNullable<LiveRunOptions['choose']>,
): Promise<Tested> {
  const { work, runId, trigger, only } = choice;
  const { fetcher, clock, metrics, setup, limits, control, signal, log } = context;
  const made = (report: ComplianceRun): Tested => ({ ...choice, report });
  const auth = await context.credentialOf(work.key).catch(closedDoor);
  if (auth !== undefined && 'reason' in auth) return made(runNotMade(choice, auth, context));
  const url = await context.records.agents.dialled(work.key);
  const webhooks = await context.webhooks?.open(url);
  const teller = work.asked && tellSoFar(work.lease, context); // who asked may watch
  metrics.runsUnderWay(1);
  try {
    const report = await runAgent({
      ...setupFor(setup, settings.testSetup),
      url,
      consent: 'owner',
      trigger,
      runId,
      fetcher,
      clock,
      signal,
      choose: choiceFor(setup, settings.testSetup, choose),
      limits: { runMs: limits.deadlineMs, ...(limits.stepMs !== undefined && { stepMs: limits.stepMs }) },
      ...(work.lease.afterLoss && { afterLoss: true }),
      ...(only !== undefined && { only: [only] }),
      ...(auth !== undefined && { auth }),
      ...(webhooks && { listener: webhooks.listener }),
      ...(control && { control: () => control(work.key) }),
      ...(teller && { tell: teller.tell }),
    });
    metrics.runTook(trigger, report.duration_ms / 1_000);
    if (leftBehind(report)) await context.records.runs.release([{ ...work.lease, afterLoss: true }]);
    return made(report);
  } catch (fault) {
    if (!isUnavailable(fault)) throw fault;
    log.error({ agent: work.key, err: fault }, 'the bundle of the test is not on this machine');
    return made(runNotMade(choice, { reason: 'own_fault', detail: fault.message }, context));
  } finally {
    webhooks?.close();
    await teller?.end();
    metrics.runsUnderWay(-1);
  }
}

/** It was stopped before it could end what it had made: the next run has to say so. */
function leftBehind({ inconclusive, made }: ComplianceRun): boolean {
  return inconclusive?.reason === 'interrupted' && made.some(({ cancelled }) => cancelled !== 'yes');
}

/** A run that was stopped says nothing about the agent: the agent is still due, and nothing of the run is kept. */
function wasStopped({ report }: Tested): boolean {
  return report.inconclusive?.reason === 'interrupted';
}

/**
 * Judges a run and keeps it with all that follows from it, in one transaction under its lease. Nothing is kept when the lease was lost,
 * or when the owner has opted out or is gone by then.
 *
 * @param lease goes with the last run of the agent
 */
async function keepRun(tested: Tested, context: RunContext, lease?: RunLease): Promise<RunEnd> {
  const { work } = tested;
  const { report, role, testedLines } = await decidedNow(tested, context);
  const run = judgeRun(report, role);
  const { records, clock, tiers, log, onLost } = context;
  const now = clock.now();
  const decide = decideRun(run, {
    ...{ now, settled: clock.settled?.() ?? now },
    ...(tiers && { tiers }),
    ...(testedLines && { testedLines }),
  });
  let isWithdrawn = false;
  let after: ComplianceAfter | undefined;
  const agreed = (before: ComplianceBefore) => {
    isWithdrawn = before.settings.optedOut || before.owner === undefined;
    if (isWithdrawn) throw new Error('the owner withdrew consent'); // what is thrown here keeps nothing
    after = decide(before);
    return after;
  };
  const started = { ...run, started_at: report.started_at };
  const wanted = { agent: work.key, run: started, report, ...(lease && { lease }) };
  const outcome = await records.compliance.saveRun(wanted, agreed, now).catch((error: unknown) => {
    if (isWithdrawn) return 'withdrawn' as const;
    throw error;
  });
  if (outcome !== 'saved' && lease !== undefined) await records.runs.release([lease]);
  if (outcome === 'lost') {
    log.warn({ agent: work.key }, 'test discarded: lease lost');
    onLost?.(work.key);
    return 'lost';
  }
  if (outcome === 'withdrawn' || outcome === 'unknown_agent') {
    log.info({ agent: work.key }, 'test discarded: the owner withdrew consent');
    return 'withdrawn';
  }
  warnOfOwnFaults(work.key, after, context);
  const { outcome: end, inconclusive, verdict } = run;
  log.debug({ agent: work.key, run: run.run_id, outcome: end, status: verdict.status }, 'agent tested');
  return end === 'inconclusive' ? (inconclusive?.reason ?? 'own_fault') : end;
}

/** By the bundles in use and the owner's target at the end of the run, as both may have changed since it began. */
async function decidedNow(tested: Tested, context: RunContext): Promise<Decides & Pick<Tested, 'report'>> {
  const { work, report, used } = tested;
  if (used === undefined) return { report };
  const { bundles, records } = context;
  const target = (await records.compliance.state(work.key))?.settings.complianceTarget;
  const decided = decidedBy(used.version, await bundles.plan(used.declared, { target }));
  try {
    await bundles.open(used.version);
    return { ...decided, report };
  } catch (fault) {
    if (!isUnavailable(fault)) throw fault;
    const setup = setupOf(used.version, report.requested_compliance_target ?? context.setup.target, context);
    const why = { reason: 'own_fault', detail: fault.message } as const;
    return { ...decided, report: runNotMade(tested, why, { ...context, setup }) };
  }
}

/** For a run that ends before it needs the storyboards. */
function setupOf(version: string, target: string, { setup }: RunContext): TestSetup {
  return { ...setup, target, bundle: { ...setup.bundle, version } };
}

function isUnavailable(fault: unknown): fault is RegistryError {
  return fault instanceof RegistryError && fault.code === 'bundle_unavailable';
}

/** The agent is not affected, so the failure would go unnoticed. */
function warnOfOwnFaults(agent: string, after: ComplianceAfter | undefined, { log }: RunContext): void {
  const last = after?.standing.lastAttempt;
  if (last?.reason?.startsWith('own_') !== true || last.inRow !== OFTEN) return;
  log.warn(
    { agent, reason: last.reason, in_row: last.inRow },
    'repeated internal errors keep the tests of this agent inconclusive',
  );
}
