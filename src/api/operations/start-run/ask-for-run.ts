import { randomUUID } from 'node:crypto';
import { runNowWait } from '../../../domain/standing.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { AskedRun, AskForRun, AskOutcome } from '../../../ports/run-schedule.ts';
import { invalidKey } from '../../callers.ts';
import { notOwner } from '../../owner-only.ts';
import { HttpProblem } from '../../problem.ts';
import type { RunAsker } from './run-asker.ts';

/** When to read a run that was asked for again, seconds. */
export const POLL_S = 10;

interface AskParts {
  readonly records: Pick<Records, 'runs'>;
  readonly clock: Clock;
}

/** Asks for a run now; `isNew` where none was open. Throws HttpProblems. */
export async function askForRun(
  agent: string,
  asker: RunAsker & Pick<AskForRun, 'storyboard'>,
  { records, clock }: AskParts,
): Promise<Extract<AskOutcome, { ok: true }>> {
  const now = clock.now();
  const wanted = { agent, runId: randomUUID(), ...asker };
  const outcome = await records.runs.ask(wanted, ({ standing }) => runNowWait(standing, now), now);
  if (outcome.ok) return outcome;
  throw refusal(outcome);
}

function refusal(outcome: Extract<AskOutcome, { ok: false }>): HttpProblem {
  switch (outcome.reason) {
    case 'cooldown':
      return cooldown(Math.ceil(outcome.waitMs / 1_000));
    case 'other_open':
      return otherOpen(outcome.asked);
    case 'opted_out':
      return new HttpProblem(
        'opted_out',
        'the agent is opted out of tests; opt it in first, with its settings',
      );
    case 'key_revoked':
      return invalidKey();
    default:
      return notOwner();
  }
}

function cooldown(seconds: number): HttpProblem {
  return new HttpProblem(
    'run_cooldown',
    `the agent was tested less than 10 minutes ago; ask again in ${seconds} s`,
    {},
    { 'retry-after': String(seconds) },
  );
}

function otherOpen({ storyboard, runId }: AskedRun): HttpProblem {
  const what = storyboard === undefined ? 'all storyboards' : `the storyboard ${storyboard}`;
  return new HttpProblem(
    'run_cooldown',
    `a run of ${what} is open: ${runId}; ask again when it is finished`,
    {},
    { 'retry-after': String(POLL_S) },
  );
}
