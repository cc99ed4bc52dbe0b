import { visitMark } from '../src/crawl/progress.ts';
import { afterOwnFault, nextHour, nextVisit } from '../src/discovery/schedule.ts';
import { registrableDomain } from '../src/domain/domain-name.ts';
import { type Observation, OF_THE_NETWORK } from '../src/domain/observation.ts';
import { type LeasedSource, namerOf, type VisitError, type VisitWork } from '../src/domain/source.ts';
import type { ProbeVisit } from '../src/domain/visit.ts';
import { traced } from '../src/ops/trace.ts';
import type { Attributes } from '../src/ports/tracing.ts';
import { declareProbe, type Unseen } from '../src/probe/declare-probe.ts';
import { probeAgent } from '../src/probe/probe.ts';
import type { VisitContext } from './crawl-context.ts';
import { failedVisit, faultOf } from './failed-visit.ts';

interface Probed {
  readonly work: VisitWork;
  readonly leased: LeasedSource;
  readonly seen: Observation | Unseen;
}

/**
 * One probe of an agent. An internal error is stored as this probe's failure; only a store that is broken makes it reject.
 * Under a signal that has fired, the work is given back.
 */
export function probeVisit(work: VisitWork, context: VisitContext): Promise<void> {
  const attributes = { 'url.full': work.key, 'server.address': new URL(work.key).hostname };
  return traced({ name: 'probe', attributes }, work, context, (inTrace) => probeAndKeep(work, inTrace));
}

async function probeAndKeep(work: VisitWork, context: VisitContext): Promise<void> {
  const { records, signal, log } = context;
  try {
    const [leased] = work.sources;
    const seen = leased && (await believe(work, await look(work, leased, context), context));
    if (leased !== undefined && seen !== undefined && !signal.aborted) {
      await commit(scheduled({ work, leased, seen }, context), context);
      return;
    }
  } catch (fault) {
    const error = faultOf(fault);
    log.error({ agent: work.key, err: fault }, 'probe failed with an internal error');
    if (!signal.aborted) return keepFailure(work, error, context);
  }
  await records.sources.release(work.sources.map((source) => source.lease));
}

async function keepFailure(work: VisitWork, error: VisitError, context: VisitContext): Promise<void> {
  const at = context.clock.now();
  const mark = visitMark(context, work.depth);
  for (const leased of work.sources)
    await commit({ ...failedVisit(leased, error, at), at, found: [], ...mark }, context);
}

/** Probes the agent, unless its domain has used up its probes of this hour. */
async function look(
  work: VisitWork,
  leased: LeasedSource,
  { records, fetcher, clock, limits, signal }: VisitContext,
): Promise<Probed['seen']> {
  const domain = registrableDomain(new URL(work.key).hostname);
  const namer = namerOf(leased.source.foundVia);
  if (!(await records.sources.spendProbe(domain, clock.now(), limits.probesPerHour(domain), namer)))
    return 'probe_budget';
  const url = await records.agents.dialled(work.key);
  const request = { key: work.key, fetcher, clock, deadlineMs: limits.probeDeadlineMs, signal };
  const seen = await probeAgent({ ...request, url });
  const spelling = otherSpelling(url, work.key);
  if (!mayBeSpelling(seen, url !== work.key) || spelling === url || signal.aborted) return seen;
  const other = await probeAgent({ ...request, url: spelling });
  return other.protocol === undefined ? seen : other;
}

/**
 * The agent's URL with or without the slash at its end, which is no part of its identity. Whoever names an agent first
 * chooses the spelling that is dialled: a stranger's must not keep it offline.
 */
function otherSpelling(url: string, key: string): string {
  if (url !== key) return key;
  const [path = ''] = key.split('?', 1);
  return path.replace(/\/?$/, '/') + key.slice(path.length);
}

/**
 * Whether another spelling is worth a look: no protocol lives at this path, or the URL is not spelled as its identity and
 * its host answered anything else than a protocol, a demand for credentials included.
 */
function mayBeSpelling({ protocol, health: { errorClass } }: Observation, isSpelled: boolean): boolean {
  if (protocol !== undefined || errorClass === undefined || OF_THE_NETWORK.includes(errorClass)) return false;
  return isSpelled || errorClass === 'wrong_path';
}

/** An agent that could not be reached is believed to be away only when our own network works. */
async function believe(
  work: VisitWork,
  seen: Probed['seen'],
  { control, signal }: VisitContext,
): Promise<Probed['seen']> {
  if (control === undefined || signal.aborted || !isDoubtful(seen)) return seen;
  return (await control(work.key)) ? seen : 'own_network';
}

/** True of an agent that is offline by what may as well be the network's fault. */
function isDoubtful(seen: Probed['seen']): boolean {
  if (typeof seen === 'string' || seen.health.online) return false;
  const { errorClass } = seen.health;
  return errorClass !== undefined && OF_THE_NETWORK.includes(errorClass);
}

/** What is kept of the probe, and when the next one is due. */
function scheduled({ work, leased, seen }: Probed, context: VisitContext): ProbeVisit {
  const at = context.clock.now();
  const common = { lease: leased.lease, at, ...declareProbe(seen), ...visitMark(context, work.depth) };
  const { failures } = leased.source;
  if (seen === 'probe_budget') return { ...common, nextVisitAt: nextHour(work.key, at), failures };
  if (seen === 'own_network') return { ...common, nextVisitAt: afterOwnFault(work.key, at), failures };
  const { retryAt } = seen;
  // an agent that wants credentials has answered: it is looked at as often as any other
  const outcome = seen.health.online ? 'indexed' : common.outcome;
  const history = { kind: 'agent', key: work.key, outcome, failures, now: at } as const;
  const next = nextVisit({ ...history, ...(retryAt !== undefined && { retryAt }) });
  return { ...common, nextVisitAt: next.at, failures: next.failures, observation: seen };
}

async function commit(visit: ProbeVisit, context: VisitContext): Promise<void> {
  const { records, tally, metrics, log } = context;
  const committed = await records.sources.commitProbe(visit);
  const agent = visit.lease.key;
  context.traced?.span.set(attributesOf(visit, committed.accepted));
  if (!committed.accepted) {
    log.warn({ agent }, 'probe discarded: lease lost');
    context.onLost?.(agent);
  }
  tally.visit('agents', [visit.outcome]);
  metrics.visit('agent', visit.outcome);
  if (visit.observation !== undefined) countProbe(visit.observation, metrics);
  if (visit.error?.code === 'own_network') metrics.probe('own_network');
  if (visit.error !== undefined) tally.note({ source: agent, ...visit.error });
  log.debug({ agent, outcome: visit.outcome, health: visit.observation?.health }, 'agent probed');
}

function attributesOf({ outcome, observation, error }: ProbeVisit, isStored: boolean): Attributes {
  const errorType = observation?.health.errorClass ?? error?.code;
  return {
    'agent_registry.outcome': outcome,
    'agent_registry.stored': isStored,
    ...(errorType !== undefined && { 'error.type': errorType }),
  };
}

function countProbe({ health, durationMs }: Observation, metrics: VisitContext['metrics']): void {
  metrics.probe(health.errorClass ?? 'ok');
  metrics.visitTook('agent', durationMs / 1_000);
}
