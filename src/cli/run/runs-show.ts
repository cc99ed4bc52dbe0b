import { askedRun, complianceRun, type RunBody } from '../../api/render/compliance-runs.ts';

import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import type { EvidencedRun } from '../../ports/compliance.ts';
import type { RunsShowFlags } from '../commands/runs.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { type FailedStep, failedStepJson, failedSteps } from '../output/failed-steps.ts';
import { printJson, printLine } from '../output/print.ts';
import { printAskedRun, printKeptRun } from '../output/print-run.ts';
import { visible } from '../output/visible.ts';
import { READ, withStore } from '../with-store.ts';
import { agentState, operatorsView } from './agent-state.ts';

/** `registry runs show`: one run, finished or not, as its owner sees it. */
export function showRun(url: string, id: string, flags: RunsShowFlags): Promise<ExitCode> {
  const agent = readAgentUrl(url, 'looked up');
  return withStore(flags, READ, async ({ records }, tester) => {
    const state = await agentState(records, agent);
    const asked = await records.runs.asked(agent);
    if (asked?.runId === id) {
      const body = askedRun(asked);
      if (flags.json) printJson({ run: body, failed_steps: [] });
      else printAskedRun(body);
      return EXIT.ok;
    }
    const run = await records.compliance.evidence(agent, id);
    if (run === undefined) throw noSuchRun(agent, id);
    const body = complianceRun(operatorsView(agent, state), run) as RunBody;
    const hasCredential = (await records.owners.credential(agent)) !== undefined;
    const failed = failedSteps(run, body.agent_url, { hasCredential, tester });
    show(body, run, failed, flags);
    return EXIT.ok;
  });
}

function show(body: RunBody, run: EvidencedRun, failed: readonly FailedStep[], flags: RunsShowFlags): void {
  if (flags.json) {
    const report = flags.evidence === true ? body.report : null;
    printJson({ run: { ...body, report }, failed_steps: failed.map(failedStepJson) });
    return;
  }
  printKeptRun(body, run, failed, flags.evidence === true ? 'all' : 'none');
  if (flags.evidence !== true && failed.length > 0)
    printLine('\nwhat went to and fro: --evidence; all of it as JSON: --evidence --json');
}

function noSuchRun(agent: string, id: string): RegistryError {
  return new RegistryError('not_found', visible(`${agent} has no run ${id.slice(0, 100)}`), {
    hint: `see which there are: registry runs list ${shellWord(agent)}`,
  });
}
