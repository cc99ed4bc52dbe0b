import type { JsonObject } from '../../base/json.ts';
import { type DeclarationFinding, declarationFindings } from '../../calling/declarations.ts';
import { SPECIALISMS } from '../../domain/badge.ts';
import { hasErrors } from '../../domain/finding.ts';
import type { Inconclusive, RunNotice, RunObservation } from '../../domain/judged-run.ts';
import { taskNamed } from '../../protocol/tasks.ts';
import type { AgentUnderTest, CreatedThing } from '../run-result.ts';
import type { StepResult } from '../step-result.ts';
import type { RunFacts } from './run-state.ts';

/** Slower answers are reported, milliseconds. */
const SLOW_MS = 5_000;

/** What readers have to know about the run itself. */
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
    ...otherVersion(version, agent),
    ...left.map(({ kind }) => notice('left_behind', 'warning', `a ${kind} that this run made was not ended`)),
  ];
}

export function credentialMissing(inconclusive: Inconclusive | undefined): readonly RunNotice[] {
  if (inconclusive?.lacks !== 'credential') return [];
  const text =
    'the agent requires a credential that this run did not have: nothing could be verified, and badges end if this persists';
  return [notice('credential_missing', 'warning', text)];
}

/** Lists by which the agent declares itself, and that could not be read as they were meant. Owner's eyes only. */
export function unclearDeclarations(
  capabilities: JsonObject,
  { storyboards }: RunFacts['bundle'],
): readonly DeclarationFinding[] {
  const known = storyboards.flatMap(({ group }) =>
    group.kind === 'specialism' ? [group.specialism.replaceAll('_', '-')] : [],
  );
  return declarationFindings(capabilities, [...SPECIALISMS, ...known]);
}

/** The same for everybody: which list, and not what the agent wrote there. */
export function declarationNotices(findings: readonly DeclarationFinding[]): readonly RunNotice[] {
  const lists = new Set(findings.map(({ pointer }) => pointer.replace(/\/\d+$/, '')));
  return [...lists].map((list) =>
    notice(
      'declaration_unclear',
      'warning',
      `not all of ${list} could be read as a declaration; storyboards for the rest are not selected`,
    ),
  );
}

function unusableStoryboards({ findings }: RunFacts['bundle']): readonly RunNotice[] {
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
  const slow = steps.filter(({ duration_ms: ms }) => ms > SLOW_MS);
  const tasks = taskNames(slow).map((task) => {
    const times = slow.filter((step) => taskNames([step]).includes(task)).map(({ duration_ms: ms }) => ms);
    return `${task} took up to ${(Math.max(...times) / 1_000).toFixed(1)} s`;
  });
  return tasks.length === 0 ? [] : [observation('performance', 'warning', `slow: ${tasks.join(', ')}`)];
}

const MISSING: readonly (string | undefined)[] = [
  'missing_tool',
  'missing_test_controller',
  'fixture_unavailable',
];

function coverageGaps(steps: readonly StepResult[]): readonly RunObservation[] {
  const lacking = steps.filter(
    ({ coverage_gap: gap, skip_reason: reason }) => gap === true && MISSING.includes(reason),
  );
  const tasks = taskNames(lacking);
  if (tasks.length === 0) return [];
  const message = `not tested because something the agent should offer is missing: ${tasks.join(', ')}`;
  return [observation('coverage', 'info', message)];
}

function looseBounds(steps: readonly StepResult[]): readonly RunObservation[] {
  const tasks = taskNames(steps.filter(({ checks }) => checks.some(({ advice }) => advice === true)));
  if (tasks.length === 0) return [];
  const message = `answers have the shape of the schema, but exceed some of its bounds: ${tasks.join(', ')}`;
  return [observation('schema', 'info', message)];
}

/** Recommendations that the agent's own protocol does not demand. */
function notAsAdvised(steps: readonly StepResult[]): readonly RunObservation[] {
  const advised = ({ advice, checks }: StepResult) =>
    advice === true || checks.some((check) => check.advice === true);
  const tasks = taskNames(steps.filter(advised));
  if (tasks.length === 0) return [];
  const message = `recommendations not followed: ${tasks.join(', ')}`;
  return [observation('advice', 'info', message)];
}

function leftBehind(made: readonly CreatedThing[]): readonly RunObservation[] {
  if (made.every(({ cancelled }) => cancelled !== 'no')) return [];
  return [
    observation('clean_up', 'warning', 'some of what the run created in the sandbox could not be cancelled'),
  ];
}

function taskNames(steps: readonly StepResult[]): readonly string[] {
  const words = steps.flatMap(({ task }) => taskNamed(task) ?? (/^[a-z_]{1,64}$/.test(task) ? task : []));
  return [...new Set(words)].toSorted();
}

function observation(category: string, severity: string, message: string): RunObservation {
  return { category, severity, message };
}
