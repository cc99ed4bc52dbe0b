import { pause } from '../src/base/back-off.ts';
import type { TierTable } from '../src/compliance/badges/conditions.ts';
import { decideChange } from '../src/compliance/decide.ts';
import { engineFault } from '../src/errors.ts';
import { reportTransient } from '../src/ops/engine-metrics.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Records } from '../src/ports/records.ts';
import { hasEnded, holderText } from '../src/this-process.ts';

interface ReconsiderContext {
  readonly records: Pick<Records, 'compliance' | 'owners' | 'runs'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'reconsidered' | 'fault'>;
  readonly tiers?: TierTable;
  readonly signal: AbortSignal;
}

/** Agents of one look at the list. */
const PAGE = 200;

/** One that could not be decided on is looked at again after this, milliseconds: else it would stand before the others. */
const AGAIN_MS = 3_600_000;

/** Between two passes, milliseconds: badges change with the time by days, and processes seldom die. */
const PASS_MS = 60_000;

/**
 * What is done beside the runs, once a minute until the signal: agents of processes that died are given back, old proofs
 * are asked for again, and badges that time alone changes are looked at. A store that is away is waited for.
 */
export async function sweepAlways(context: ReconsiderContext): Promise<void> {
  const { signal, log, metrics } = context;
  const onTransient = reportTransient(log, metrics);
  while (!signal.aborted) {
    await sweep(context).catch(onTransient);
    await pause(PASS_MS, signal);
  }
}

/**
 * Gives back the agents that processes of this machine had when they died, so that nobody waits until their leases run
 * out; the next run of each says that one was lost. Of processes elsewhere nothing can be said.
 */
export async function freeEnded(
  context: Pick<ReconsiderContext, 'records' | 'clock' | 'log'>,
): Promise<void> {
  const { records, clock, log } = context;
  const now = clock.now();
  for (const holder of (await records.runs.holders(now)).filter(hasEnded)) {
    const agents = await records.runs.releaseOf(holder, now);
    if (agents > 0)
      log.warn({ agents }, `${holderText(holder)} stopped during tests: its agents are due again`);
  }
}

async function sweep(context: ReconsiderContext): Promise<void> {
  await freeEnded(context);
  await ageProofs(context);
  await reconsiderDue(context);
}

/** Ownership expires, so that a former owner of a domain can no longer read or change its agents. */
export async function ageProofs({
  records,
  clock,
  signal,
}: Pick<ReconsiderContext, 'records' | 'clock' | 'signal'>): Promise<void> {
  while (!signal.aborted && (await records.owners.ageProofs(clock.now())) > 0);
}

/**
 * Looks at the badges of agents that nothing else has looked at for a day: time alone earns and ends the `live` axis.
 * One that cannot be decided on is told of and looked at again later. Returns how many were looked at.
 */
export async function reconsiderDue(context: ReconsiderContext): Promise<number> {
  const { records, clock, metrics, signal } = context;
  for (let looked = 0; ; ) {
    const now = clock.now();
    const agents = await records.runs.toReconsider(PAGE, now);
    let failed = 0;
    for (const agent of agents) {
      if (signal.aborted) return looked;
      if (!(await reconsider(agent, now, context))) failed += 1;
    }
    looked += agents.length - failed;
    metrics.reconsidered(agents.length - failed);
    if (agents.length < PAGE) return looked;
  }
}

async function reconsider(agent: string, now: number, context: ReconsiderContext): Promise<boolean> {
  const { records, tiers, log } = context;
  try {
    const decide = decideChange({ now, ...(tiers && { tiers }) });
    if (await records.compliance.reconsider(agent, decide, now)) return true;
  } catch (error) {
    if (engineFault(error) !== undefined) throw error;
    log.error({ agent, err: error }, 'badges could not be reviewed because of an internal error');
  }
  await records.runs.reconsiderLater(agent, now + AGAIN_MS);
  return false;
}
