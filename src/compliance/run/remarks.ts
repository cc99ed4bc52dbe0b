import { hasErrors } from '../../domain/finding.ts';
import type { Inconclusive, RunNotice, RunObservation } from '../../domain/judged-run.ts';
import { taskNamed } from '../../protocol/tasks.ts';
import type { AgentUnderTest, CreatedThing } from '../run-result.ts';
import type { StepResult } from '../step-result.ts';
import type { RunFacts } from './run-state.ts';

/** An answer that takes longer is worth a word, milliseconds. */
const SLOW_MS = 5_000;

/** What whoever reads a run has to know about the run itself. */
export function noticesOf(
  { bundle, version, dryRun, afterLoss }: Pick<RunFacts, 'bundle' | 'version' | 'dryRun' | 'afterLoss'>,
  agent: AgentUnderTest | null,
  made: readonly CreatedThing[],
  inconclusive?: Inconclusive,
): readonly RunNotice[] {
  const left = made.filter(({ cancelled }) => cancelled !== 'yes');
  return [
    ...(dryRun
      ? [notice('dry_run', 'info', 'a dry run: nothing was changed, and no verdict follows from it')]
      : []),
    ...(afterLoss === true
      ? [notice('run_lost', 'warning', 'the run before was broken off: what it made may not have been ended')]
      : []),
    ...credentialMissing(inconclusive),
    ...unusableStoryboards(bundle),
    ...notUnderstood(bundle),
    ...otherVersion(version, agent),
    ...left.map(({ kind }) => notice('left_behind', 'warning', `a ${kind} that this run made was not ended`)),
  ];
}

/** Nobody can look behind a closed door. */
export function credentialMissing(inconclusive: Inconclusive | undefined): readonly RunNotice[] {
  if (inconclusive?.lacks !== 'credential') return [];
  const text =
    'the agent wants a credential, and none was given: nothing is confirmed, and badges end when this lasts';
  return [notice('credential_missing', 'warning', text)];
}

function unusableStoryboards({ findings }: RunFacts['bundle']): readonly RunNotice[] {
  return findings
    .filter((one) => hasErrors(one.findings))
    .map(({ file }) =>
      notice('storyboard_unusable', 'warning', `the storyboard ${file} has errors and was left out`),
    );
}

/** At most so many of them are told in a run; all are told as findings of the bundle. */
const MAX_TOLD = 20;

function notUnderstood({ findings }: RunFacts['bundle']): readonly RunNotice[] {
  return findings
    .flatMap(({ file, findings: own }) => own.map((one) => ({ file, ...one })))
    .filter(({ code }) => NOT_UNDERSTOOD.includes(code))
    .slice(0, MAX_TOLD)
    .map(({ file, message }) => notice('storyboard_not_understood', 'warning', `${file}: ${message}`));
}

const NOT_UNDERSTOOD: readonly string[] = [
  'member_unknown',
  'check_unknown',
  'invariant_unknown',
  'skip_if_unknown',
];

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

/** Advice that follows from a run and is no failure. Anybody may read it, so it holds names of tasks and numbers, and nothing of the agent's words. */
export function observationsOf(
  steps: readonly StepResult[],
  made: readonly CreatedThing[],
  { hasSchemas }: { readonly hasSchemas: boolean },
): readonly RunObservation[] {
  const advice = hasSchemas ? looseBounds(steps) : notAsAdvised(steps);
  return [...slowTasks(steps), ...coverageGaps(steps), ...advice, ...leftBehind(made)];
}

function slowTasks(steps: readonly StepResult[]): readonly RunObservation[] {
  const tasks = taskNames(steps.filter(({ duration_ms: ms }) => ms > SLOW_MS));
  if (tasks.length === 0) return [];
  return [
    observation(
      'performance',
      'warning',
      `took more than ${SLOW_MS / 1_000} s to answer: ${tasks.join(', ')}`,
    ),
  ];
}

function coverageGaps(steps: readonly StepResult[]): readonly RunObservation[] {
  const lacking = steps.filter(({ coverage_gap: gap, checks }) => gap === true && checks.length === 0);
  const tasks = taskNames(lacking);
  if (tasks.length === 0) return [];
  const told = `could not be tested for want of what the agent should offer: ${tasks.join(', ')}`;
  return [observation('coverage', 'info', told)];
}

function looseBounds(steps: readonly StepResult[]): readonly RunObservation[] {
  const tasks = taskNames(steps.filter(({ checks }) => checks.some(({ advice }) => advice === true)));
  if (tasks.length === 0) return [];
  const told = `answers keep the shape of the schema, and not each bound of it: ${tasks.join(', ')}`;
  return [observation('schema', 'info', told)];
}

/** What the agent's own protocol does not demand, and other readers would be glad of. */
function notAsAdvised(steps: readonly StepResult[]): readonly RunObservation[] {
  const advised = ({ advice, checks }: StepResult) =>
    advice === true || checks.some((check) => check.advice === true);
  const tasks = taskNames(steps.filter(advised));
  if (tasks.length === 0) return [];
  const told = `does what its protocol demands, and not all that we advise: ${tasks.join(', ')}`;
  return [observation('advice', 'info', told)];
}

function leftBehind(made: readonly CreatedThing[]): readonly RunObservation[] {
  if (made.every(({ cancelled }) => cancelled !== 'no')) return [];
  return [observation('clean_up', 'warning', 'did not let the run end what it had made in the sandbox')];
}

function taskNames(steps: readonly StepResult[]): readonly string[] {
  const words = steps.flatMap(({ task }) => taskNamed(task) ?? (/^[a-z_]{1,64}$/.test(task) ? task : []));
  return [...new Set(words)].toSorted();
}

function observation(category: string, severity: string, message: string): RunObservation {
  return { category, severity, message };
}
