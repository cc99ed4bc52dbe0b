import { pause } from '../src/base/pause.ts';
import { holderText } from '../src/domain/holder.ts';
import { hasEnded } from '../src/this-process.ts';
import { type ReconsiderContext, reconsiderDue } from './reconsider.ts';
import { reportPassing } from './report-jobs.ts';

/** Between two passes, milliseconds: badges change with the time by days, and processes seldom die. */
const PASS_MS = 60_000;

/**
 * What is done beside the runs, once a minute until the signal: agents of processes that died are given back, and badges
 * that time alone changes are looked at. A store that is away is waited for.
 */
export async function sweepAlways(context: ReconsiderContext): Promise<void> {
  const { signal, log, metrics } = context;
  const onPassing = reportPassing(log, metrics);
  while (!signal.aborted) {
    await sweep(context).catch(onPassing);
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
      log.warn({ agents }, `${holderText(holder)} died while it tested agents: they are due again`);
  }
}

async function sweep(context: ReconsiderContext): Promise<void> {
  await freeEnded(context);
  await reconsiderDue(context);
}
