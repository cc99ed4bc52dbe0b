import { randomUUID } from 'node:crypto';
import type { Tester } from '../../../api/render/check-options.ts';
import type { RunBody } from '../../../api/render/compliance-runs.ts';
import { pause } from '../../../base/back-off.ts';
import { present } from '../../../base/json.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import type { Records } from '../../../ports/records.ts';
import type { EvidencedRun } from '../../../records/runs/compliance-runs.ts';
import type { RequestedRun } from '../../../records/runs/run-leases.ts';
import { command } from '../../command.ts';
import { EXIT, type ExitCode, exitCodeOfRun } from '../../exit-codes.ts';
import { conflicting, type FlagValues, parsedFlag, textFlag, toggle } from '../../flags.ts';
import { namedAgentUrl, targetLabel } from '../../input/arguments.ts';
import { onInterrupt } from '../../interrupt.ts';
import { failedStepJson, failedSteps } from '../../output/failed-steps.ts';
import { printAskedRun, printKeptRun, WHO_TAKES_IT } from '../../output/kept-run.ts';
import { note, printJson, printLine } from '../../output/print.ts';
import { troublesOf } from '../../output/run-troubles.ts';
import { complianceOf } from '../../setup/compliance-state.ts';
import { WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';
import { givenUp, requireStoryboard, runRefused } from './start-refusals.ts';

const POLL_MS = 500;
/** After which it is said who takes a run up, milliseconds. */
const PATIENCE_MS = 10_000;

const FLAGS = {
  member: textFlag(
    '--member <slug>',
    'start the run for this member, which must be the proven owner (default: as the operator)',
  ),
  storyboard: textFlag(
    '--storyboard <id>',
    'run only this storyboard; such a run does not change the status',
  ),
  target: conflicting(
    parsedFlag(
      '--target <label>',
      'test with the storyboards of this version or label, such as 3.1 or stable (default: as the agent is tested otherwise)',
      targetLabel,
    ),
    ['storyboard'],
  ),
  wait: toggle(
    '--wait',
    'wait until the run has finished; exits with 0 when it passes, 1 when it does not, 4 when the agent is unreachable, 130 when interrupted (the run continues)',
  ),
  ...STORE_FLAGS,
  ...JSON_FLAG,
};
type StartFlags = FlagValues<typeof FLAGS>;

/** Asks for a run, and with --wait follows it until it is over. */
export default command({
  name: 'start',
  description:
    'Queue a run of an owned agent now. A worker or `agent-registry heartbeat` executes it. If a run is already queued or running, it is returned instead.',
  arguments: [['<url>', 'the agent']],
  flags: FLAGS,
  async run(flags, url) {
    const { askedRun } = await import('../../../api/render/compliance-runs.ts');
    const { runNowWait } = await import('../../../domain/standing.ts');
    const agent = namedAgentUrl(url, 'tested');
    const { member, storyboard, target } = flags;
    return withStore(flags, WRITE, async ({ records, clock }, tester) => {
      if (storyboard !== undefined) await requireStoryboard(records, agent, storyboard, tester);
      const now = clock.now();
      const outcome = await records.runs.request(
        {
          agent,
          runId: randomUUID(),
          trigger: member === undefined ? 'manual' : 'owner_test',
          actor: { kind: 'operator', ...(member !== undefined && { member }) },
          ...present({ storyboard, target }),
        },
        ({ standing, owner }) => runNowWait(standing, now, owner?.provenAt),
        now,
      );
      if (!outcome.ok) throw runRefused(outcome, agent, member);
      if (flags.wait) return await follow(records, outcome.asked, flags, tester);
      const body = askedRun(outcome.asked);
      if (flags.json) printJson({ run: body, failed_steps: [], unread: null, blocked_by: null });
      else {
        printAskedRun(body);
        printLine(`  see the result: agent-registry runs show ${shellWord(agent)} ${body.run_id}`);
      }
      return EXIT.ok;
    });
  },
});

async function follow(
  records: Records,
  asked: RequestedRun,
  flags: StartFlags,
  tester: Tester,
): Promise<ExitCode> {
  const interrupt = onInterrupt();
  try {
    const run = await ended(records, asked, interrupt.signal);
    if (run === undefined) {
      note(`the run continues; see agent-registry runs show ${shellWord(asked.agent)} ${asked.runId}`);
      return EXIT.interrupted;
    }
    await showEnd(records, asked.agent, run, { ...flags, tester });
    return exitCodeOfRun(run, run.verdict.status);
  } finally {
    interrupt.dispose();
  }
}

/** The run once it is over; undefined when we were interrupted before. */
async function ended(
  records: Records,
  { agent, runId }: RequestedRun,
  signal: AbortSignal,
): Promise<EvidencedRun | undefined> {
  let reported = '';
  const since = performance.now();
  for (let hasHinted = false; !signal.aborted; ) {
    const open = await records.runs.requested(agent);
    if (open?.runId !== runId) {
      const run = await records.compliance.evidence(agent, runId);
      if (run !== undefined) return run;
      throw givenUp(agent, runId);
    }
    if ((await records.owners.settings(agent))?.optedOut) throw givenUp(agent, runId);
    if (open.state !== reported) note(`run ${runId}: ${open.state}`);
    reported = open.state;
    if (open.state === 'queued' && !hasHinted && performance.now() - since > PATIENCE_MS) {
      note(`not started yet: ${WHO_TAKES_IT}`);
      hasHinted = true;
    }
    await pause(POLL_MS, signal);
  }
  return undefined;
}

async function showEnd(
  records: Records,
  agent: string,
  run: EvidencedRun,
  { json, tester }: StartFlags & { readonly tester: Tester },
): Promise<void> {
  const { complianceRun } = await import('../../../api/render/compliance-runs.ts');
  const body = complianceRun(await complianceOf(records, agent), run) as RunBody;
  const hasCredential = (await records.owners.credential(agent)) !== undefined;
  const setup = (await records.owners.settings(agent))?.testSetup;
  const failed = failedSteps(run, agent, { hasCredential, tester, setup });
  if (json) {
    const failed_steps = failed.map(failedStepJson);
    printJson({ run: { ...body, report: null }, failed_steps, ...troublesOf(run) });
    return;
  }
  printKeptRun(body, run, failed, 'none');
}
