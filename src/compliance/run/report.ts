import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { type DeclarationFinding, declarationFindings } from '../../calling/declarations.ts';
import { declaresLine, lineOf, SPECIALISMS } from '../../domain/badge.ts';
import { hasErrors } from '../../domain/finding.ts';
import type {
  Inconclusive,
  Result,
  RunNotice,
  RunObservation,
  RunTrigger,
  StoryboardOutcome,
} from '../../domain/judged-run.ts';
import { taskNamed } from '../../protocol/tasks.ts';
import type { JudgedBy } from '../conversation/saved-run.ts';
import type { AgentUnderTest, ComplianceRun, CreatedThing, ResultCounts } from '../run-result.ts';
import type { StepResult } from '../step-result.ts';
import type { RunFacts } from './run-state.ts';

/** Of what runs storyboards and judges steps; kept with each run. Changed when the same answers would be judged otherwise. */
const RUNNER_VERSION = '4';

const ROOT = join(import.meta.dirname, '../../..');
/** What a judgement follows from besides bundle and schemas: our own code, and the schemas that judge where no others do. */
const JUDGING = ['src/compliance', 'src/calling', 'src/protocol', 'schemas/protocol'];
// The program does not change while it runs.
let digest: string | undefined;

/** SHA-256 of the names and texts of all files that judge, `sha256:…`; made once in a process. */
function runnerDigest(): string {
  if (digest !== undefined) return digest;
  const hash = createHash('sha256');
  for (const folder of JUDGING)
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).toSorted())
      if (/\.(?:[jt]s|json)$/.test(entry))
        hash
          .update(`${folder}/${entry.replaceAll('\\', '/')}\0`)
          .update(readFileSync(join(ROOT, folder, entry)));
  digest = `sha256:${hash.digest('hex')}`;
  return digest;
}

/** By what the answers of a run are judged. */
export function judgedBy({ bundle: { digest: bundle, schemas } }: Pick<RunFacts, 'bundle'>): JudgedBy {
  return { bundle, schemas: schemas?.digest ?? null, runner: runnerDigest() };
}

/** What a saved run was judged by and this repetition is not: its verdict may be another. */
export function otherJudges(then: JudgedBy | undefined, now: JudgedBy): readonly RunNotice[] {
  const names = ['bundle', 'schemas', 'runner'] as const;
  const others = then === undefined ? [] : names.filter((name) => then[name] !== now[name]);
  if (others.length === 0) return [];
  const told = others.map((name) => `${name} ${then?.[name] ?? 'none'}`).join(', ');
  return [
    {
      code: 'judged_by_others',
      severity: 'warning',
      message: `the run was saved with different ${others.join(' and ')}, so this verdict may differ: ${told}`,
    },
  ];
}

/** How many storyboards, steps and checks passed, failed and were skipped. */
export function totalsOf({
  storyboards,
  steps,
}: Pick<ComplianceRun, 'storyboards' | 'steps'>): ComplianceRun['totals'] {
  const checks = steps.flatMap((step) => step.checks);
  const count = (result: string) => checks.filter((check) => check.result === result).length;
  return {
    storyboards: {
      ...countResults(storyboards),
      incomplete: storyboards.filter(({ result }) => result === 'incomplete').length,
    },
    steps: countResults(steps),
    checks: {
      total: checks.length,
      passed: count('pass'),
      failed: count('fail'),
      not_applicable: count('not_applicable'),
    },
  };
}

/** Where no step ran. */
export const NOTHING_RAN = {
  agent: null,
  storyboards: [],
  not_selected: [],
  steps: [],
  totals: totalsOf({ storyboards: [], steps: [] }),
} satisfies Partial<ComplianceRun>;

/** What a run says of itself, whatever came of it. */
export function reportHead(facts: RunFacts) {
  const { schemas } = facts.bundle;
  const finishedAt = Math.max(facts.beganAt, facts.clock.now()); // the clock may have been put back meanwhile
  return {
    run_id: facts.values.runId,
    agent_url: facts.values.agentUrl,
    started_at: new Date(facts.beganAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    duration_ms: Math.round(finishedAt - facts.beganAt),
    trigger: facts.trigger,
    dry_run: facts.dryRun,
    ...(facts.only.length + facts.tracks.length > 0 && { partial: true as const }),
    requested_compliance_target: facts.target,
    proto_version: facts.bundle.version,
    bundle_digest: facts.bundle.digest,
    ...(schemas && { schemas: { version: schemas.version ?? null, digest: schemas.digest } }),
    runner_version: RUNNER_VERSION,
    runner_digest: runnerDigest(),
  };
}

export interface FailedRun {
  /** A UUID. */
  readonly runId: string;
  readonly url: string;
  readonly trigger: RunTrigger;
  readonly target: string;
  /** Of the bundle. */
  readonly version: string | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly now: number;
  /** Its sentence is shown to the owner, so with nothing of our insides. */
  readonly inconclusive: Inconclusive;
  /** Of some storyboards only. */
  readonly partial: boolean;
}

/** A run that could not even be made: nothing of the agent was seen, and nothing is held against it. */
export function failedRun(failed: FailedRun): ComplianceRun {
  const { runId, url, trigger, target, version, startedAt, now, inconclusive, partial } = failed;
  return {
    run_id: runId,
    agent_url: url,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(now).toISOString(),
    duration_ms: Math.max(0, Math.round(now - startedAt)),
    trigger,
    dry_run: false,
    ...(partial && { partial }),
    outcome: 'inconclusive',
    inconclusive,
    requested_compliance_target: target,
    proto_version: version,
    runner_version: RUNNER_VERSION,
    ...NOTHING_RAN,
    notices: credentialMissing(inconclusive),
    observations: [],
    made: [],
    requests: 0,
  };
}

/** Counts results of one kind. */
export function countResults(results: readonly { readonly result: StoryboardOutcome }[]): ResultCounts {
  const count = (result: Result) => results.filter((one) => one.result === result).length;
  return { total: results.length, passed: count('pass'), failed: count('fail'), skipped: count('skipped') };
}

/** Slower answers are reported, milliseconds. */
const SLOW_MS = 5_000;

/** What readers have to know about the run itself. */
export function noticesOf(
  facts: Pick<RunFacts, 'bundle' | 'mismatch' | 'dryRun' | 'afterLoss'>,
  agent: AgentUnderTest | null,
  made: readonly CreatedThing[],
  inconclusive?: Inconclusive,
): readonly RunNotice[] {
  const { bundle, dryRun, afterLoss } = facts;
  const left = made.filter(({ cancelled }) => cancelled !== 'yes');
  return [
    ...(dryRun
      ? [notice('dry_run', 'info', 'dry run: nothing was changed, and the status of the agent stays')]
      : []),
    ...(afterLoss === true
      ? [
          notice(
            'run_lost',
            'warning',
            'the previous run was interrupted and may have left test objects in the sandbox',
          ),
        ]
      : []),
    ...credentialMissing(inconclusive),
    ...unusableStoryboards(bundle),
    ...otherVersion(facts, agent),
    ...left.map(({ kind }) =>
      notice('left_behind', 'warning', `a ${kind} that this run created was not cancelled`),
    ),
  ];
}

function credentialMissing(inconclusive: Inconclusive | undefined): readonly RunNotice[] {
  if (inconclusive?.lacks !== 'credential') return [];
  const text =
    'the agent requires a credential that this run did not have: nothing was verified, and badges end if this persists';
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
      `some entries of ${list} are invalid; their storyboards are not selected`,
    ),
  );
}

function unusableStoryboards({ findings }: RunFacts['bundle']): readonly RunNotice[] {
  return findings
    .filter((one) => hasErrors(one.findings))
    .map(({ file }) =>
      notice('storyboard_unusable', 'warning', `storyboard ${file} has errors and was skipped`),
    );
}

/** An agent that declares other versions is tested all the same, and its owner should know. */
function otherVersion(
  { bundle, mismatch }: Pick<RunFacts, 'bundle' | 'mismatch'>,
  agent: AgentUnderTest | null,
): readonly RunNotice[] {
  const declared = agent?.supported_versions ?? [];
  const line = lineOf(bundle.version);
  const isDeclared = line === undefined || declared.length === 0 || declaresLine(declared, line);
  const told = isDeclared
    ? mismatch
    : (mismatch ?? `the agent does not declare ${line}; tested with ${bundle.version}`);
  return told === undefined ? [] : [notice('version_not_declared', 'warning', told)];
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
  const message = `not tested, because the agent does not offer the required tools or fixtures: ${tasks.join(', ')}`;
  return [observation('coverage', 'info', message)];
}

function looseBounds(steps: readonly StepResult[]): readonly RunObservation[] {
  const tasks = taskNames(steps.filter(({ checks }) => checks.some(({ advice }) => advice === true)));
  if (tasks.length === 0) return [];
  const message = `answers match the schema, but exceed some of its limits: ${tasks.join(', ')}`;
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
  return [observation('clean_up', 'warning', 'some test objects in the sandbox could not be cancelled')];
}

function taskNames(steps: readonly StepResult[]): readonly string[] {
  const words = steps.flatMap(({ task }) => (/^[a-z_]{1,64}$/.test(task) ? task : (taskNamed(task) ?? [])));
  return [...new Set(words)].toSorted();
}

function observation(category: string, severity: string, message: string): RunObservation {
  return { category, severity, message };
}
