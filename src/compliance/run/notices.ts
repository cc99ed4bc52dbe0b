import { hasErrors } from '../../domain/finding.ts';
import type { AgentUnderTest, MadeThing, RunNotice } from '../run-result.ts';
import type { RunFacts } from './run-bundle.ts';

/** What whoever reads a run has to know about the run itself. */
export function noticesOf(
  { bundle, version, dryRun, afterLoss }: Pick<RunFacts, 'bundle' | 'version' | 'dryRun' | 'afterLoss'>,
  agent: AgentUnderTest | null,
  made: readonly MadeThing[],
): readonly RunNotice[] {
  const left = made.filter(({ cancelled }) => cancelled !== 'yes');
  return [
    ...(dryRun
      ? [notice('dry_run', 'info', 'a dry run: nothing was changed, and no verdict follows from it')]
      : []),
    ...(afterLoss === true
      ? [notice('run_lost', 'warning', 'the run before was broken off: what it made may not have been ended')]
      : []),
    ...unusable(bundle),
    ...otherVersion(version, agent),
    ...left.map(({ kind }) => notice('left_behind', 'warning', `a ${kind} that this run made was not ended`)),
  ];
}

function unusable({ findings }: RunFacts['bundle']): readonly RunNotice[] {
  return findings
    .filter((one) => hasErrors(one.findings))
    .map(({ file }) =>
      notice('storyboard_unusable', 'warning', `the storyboard ${file} has errors and was left out`),
    );
}

/** An agent that speaks other versions is held against ours all the same, and its owner should know. */
function otherVersion(version: string, agent: AgentUnderTest | null): readonly RunNotice[] {
  const spoken = agent?.supported_versions ?? [];
  if (spoken.length === 0 || spoken.some((one) => version.startsWith(one.replace(/^v/, '')))) return [];
  return [
    notice(
      'version_not_declared',
      'warning',
      `the agent does not declare a version that ${version} belongs to`,
    ),
  ];
}

function notice(code: string, severity: string, message: string): RunNotice {
  return { code, severity, message };
}
