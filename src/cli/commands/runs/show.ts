import type { RunBody } from '../../../api/render/compliance-runs.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import type { EvidencedRun } from '../../../records/runs/compliance-runs.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { type FlagValues, toggle } from '../../flags.ts';
import { namedAgentUrl } from '../../input/arguments.ts';
import { type FailedStep, failedStepJson, failedSteps } from '../../output/failed-steps.ts';
import { printAskedRun, printKeptRun } from '../../output/kept-run.ts';
import { printJson, printLine } from '../../output/print.ts';
import { troublesOf } from '../../output/run-troubles.ts';
import { visible } from '../../output/visible.ts';
import { complianceOf } from '../../setup/compliance-state.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const FLAGS = {
  evidence: toggle('--evidence', 'include the exchanged messages of failed steps'),
  ...STORE_FLAGS,
  ...JSON_FLAG,
};
type ShowFlags = FlagValues<typeof FLAGS>;

/** One run, finished or not, as its owner sees it. */
export default command({
  name: 'show',
  description:
    'Show one run: its failed steps, expected and actual values, and the command that repeats each step.',
  arguments: [
    ['<url>', 'the agent'],
    ['<run-id>', 'id of the run, from `runs list` or `runs start`'],
  ],
  flags: FLAGS,
  async run(flags, url, id) {
    const { askedRun } = await import('../../../api/render/compliance-runs.ts');
    const { complianceRun } = await import('../../../api/render/compliance-runs.ts');
    const agent = namedAgentUrl(url, 'looked up');
    return withStore(flags, READ, async ({ records }, tester) => {
      const viewed = await complianceOf(records, agent);
      const asked = await records.runs.requested(agent);
      if (asked?.runId === id) {
        const body = askedRun(asked);
        if (flags.json) printJson({ run: body, failed_steps: [], unread: null, blocked_by: null });
        else printAskedRun(body);
        return EXIT.ok;
      }
      const run = await records.compliance.evidence(agent, id);
      if (run === undefined) throw noSuchRun(agent, id);
      const body = complianceRun(viewed, run) as RunBody;
      const hasCredential = (await records.owners.credential(agent)) !== undefined;
      const setup = (await records.owners.settings(agent))?.testSetup;
      const failed = failedSteps(run, body.agent_url, { hasCredential, tester, setup });
      print(body, run, failed, flags);
      return EXIT.ok;
    });
  },
});

function print(body: RunBody, run: EvidencedRun, failed: readonly FailedStep[], flags: ShowFlags): void {
  if (flags.json) {
    const report = flags.evidence === true ? body.report : null;
    printJson({ run: { ...body, report }, failed_steps: failed.map(failedStepJson), ...troublesOf(run) });
    return;
  }
  printKeptRun(body, run, failed, flags.evidence === true ? 'all' : 'none');
  if (flags.evidence !== true && failed.length > 0)
    printLine('\nadd --evidence to see the exchanged messages, and --evidence --json for the whole report');
}

function noSuchRun(agent: string, id: string): RegistryError {
  return new RegistryError('not_found', visible(`no run ${id.slice(0, 100)} of ${agent}`), {
    hint: `list its runs with agent-registry runs list ${shellWord(agent)}`,
  });
}
