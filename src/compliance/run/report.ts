import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Inconclusive,
  Result,
  RunNotice,
  RunTrigger,
  StoryboardOutcome,
} from '../../domain/judged-run.ts';
import type { JudgedBy } from '../conversation/saved-run.ts';
import type { ComplianceRun, ResultCounts } from '../run-result.ts';
import { credentialMissing } from './remarks.ts';
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
      message: `it was saved with another ${others.join(' and ')}, so this verdict may differ: ${told}`,
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
