import { member } from '../../../base/json.ts';
import type { ComplianceRun, RunnerLimitation, StoryboardResult } from '../../../compliance/run-result.ts';
import type { CheckResult, SkipReason, StepResult } from '../../../compliance/step-result.ts';
import { shownOutcome } from '../../../domain/judged-run.ts';
import { receivedInstead } from '../../output/failed-steps.ts';
import { counted } from '../../output/print.ts';

/** An answer that takes longer is reported, milliseconds. */
const SLOW_MS = 5_000;
/** The agent's own words, characters. */
const MAX_WORDS = 300;

/** Failed steps with the same cause. */
export interface Cause {
  /** Tasks that were called, in the order of the steps. */
  readonly tasks: readonly string[];
  /** The cause in words, without colours; a stranger's text may be in it. */
  readonly words: string;
  readonly steps: readonly [StepResult, ...StepResult[]];
  /** The first failed check of the first step. */
  readonly check?: CheckResult;
  /** The agent's own words in the first step, cut; a stranger's text. */
  readonly agentWords?: string;
}

/** Tasks without a valid answer, grouped by task and by what was received instead; those with the most steps first. */
export function unansweredCauses({ steps }: ComplianceRun): readonly Cause[] {
  const failed = steps.filter(({ result, no_answer: none }) => result === 'fail' && none !== undefined);
  const keyOf = ({ task, no_answer: none }: StepResult) =>
    JSON.stringify([task, none?.error_class, none?.http_status, none?.content_type]);
  return grouped(failed, keyOf, receivedInstead);
}

/** The other failed steps by their cause, those with the most steps first. */
export function failureCauses({ steps }: ComplianceRun): readonly Cause[] {
  const failed = steps.filter(({ result, no_answer: none }) => result === 'fail' && none === undefined);
  return grouped(failed, wordsOf, ([first]) => wordsOf(first));
}

function grouped(
  steps: readonly StepResult[],
  keyOf: (step: StepResult) => string,
  words: (steps: Cause['steps']) => string,
): readonly Cause[] {
  const causes = [...Map.groupBy(steps, keyOf).values()].map((own) => {
    const same = own as unknown as Cause['steps'];
    const check = failedCheck(same[0]);
    const said = agentWords(same[0]);
    return {
      tasks: [...new Set(same.map(({ task }) => task))],
      words: words(same),
      steps: same,
      ...(check && { check }),
      ...(said !== undefined && { agentWords: said }),
    };
  });
  return causes.toSorted((one, other) => other.steps.length - one.steps.length);
}

function failedCheck({ checks }: StepResult): CheckResult | undefined {
  return checks.find(({ result }) => result === 'fail');
}

/**
 * The same words for the same cause: items of a list are one place, and the description by the author of the check is left
 * out. A code of a refusal and an HTTP error are part of it.
 */
function wordsOf(step: StepResult): string {
  const failed = failedCheck(step);
  const { http_status: status, content_type: type } = step.evidence ?? {};
  const http =
    status === undefined || status < 300 ? '' : `HTTP ${status}${type === undefined ? '' : ` ${type}`}`;
  if (failed === undefined) return http === '' ? 'failed' : http;
  const { check, message, actual } = failed;
  const plain = message.replace(/ \([^()]*(?:\([^()]*\)[^()]*)*\)$/, '').replaceAll(/\/\d+(?=\/| |$)/g, '/*');
  const code = member(actual, 'code');
  const kind = check.startsWith('expect_') ? (code === undefined ? '' : `: ${String(code)}`) : ` (${check})`;
  return `${plain}${kind}${http === '' ? '' : `, ${http}`}`;
}

/** Of a refusal its message, of a response that is no answer what it says; other failures are explained by their check. */
function agentWords({ no_answer: none, evidence, checks }: StepResult): string | undefined {
  const { check, actual } = checks.find(({ result }) => result === 'fail') ?? {};
  const isRefusal = /^expect_|^error_code$/.test(check ?? '');
  const refusal = isRefusal
    ? (member(actual, 'message') ?? member(member(evidence?.response, 'error'), 'message'))
    : undefined;
  const words = none === undefined ? refusal : none.words;
  if (typeof words !== 'string' || words.trim() === '') return undefined;
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1)}…` : words;
}

/** Calls that took long, by task; those that got no valid answer have their time there. */
export function slowCalls({ steps }: ComplianceRun): readonly string[] {
  const slow = steps.filter(({ duration_ms: ms, no_answer: none }) => ms >= SLOW_MS && none === undefined);
  return [...Map.groupBy(slow, ({ task }) => task)].map(([task, own]) => {
    const most = Math.max(...own.map(({ duration_ms: ms }) => ms));
    return `${task} took ${own.length > 1 ? 'up to ' : ''}${(most / 1_000).toFixed(1)} s (${counted(own.length, 'call')})`;
  });
}

export interface Incomplete {
  readonly storyboard: StoryboardResult;
  readonly reason: string;
  /** `incomplete (2 passed, 15 skipped)`, or `not tested`. */
  readonly state: string;
}

/**
 * Storyboards of which most steps were skipped, and those of which a part that the agent should have made possible was not tested, with the reason of the first such step:
 * later ones often build on it.
 */
export function incompleteStoryboards({ storyboards, steps }: ComplianceRun): readonly Incomplete[] {
  return storyboards
    .filter((one) => shownOutcome(one) === 'incomplete' || (one.result === 'skipped' && one.coverage_gap))
    .map((storyboard) => {
      const own = steps.filter(
        ({ storyboard_id: id, skip_reason: reason }) =>
          id === storyboard.storyboard_id && reason !== undefined && reason !== 'not_applicable',
      );
      const first = own.find(({ coverage_gap: gap }) => gap === true) ?? own[0];
      const reason = storyboard.skip_detail ?? first?.skip_detail ?? 'most steps did not run';
      const { result, steps_passed: passed, steps_skipped: skipped } = storyboard;
      const counts = result === 'pass' ? ', counts as passing' : '';
      const state =
        result === 'skipped' ? 'not tested' : `incomplete (${passed} passed, ${skipped} skipped)${counts}`;
      return { storyboard, reason, state };
    });
}

/** Why steps and whole storyboards were skipped, each reason with its numbers. */
export function skipReasons({ steps, storyboards }: ComplianceRun): readonly string[] {
  const skipped = steps.filter(
    ({ result, tried, advice }) => result === 'skipped' && tried !== true && advice !== true,
  );
  const notEvaluated = skipped.filter(({ not_evaluated: names }) => names !== undefined);
  const whole = storyboards.filter(({ skip_reason: reason }) => reason !== undefined);
  const keyOf = ({
    skip_reason: reason,
    skip_detail: detail,
  }: Pick<StepResult, 'skip_reason' | 'skip_detail'>) =>
    reason === 'requirement_unmet' || reason === 'fixture_unavailable'
      ? `${reason} ${detail}`
      : (reason ?? '');
  const bySteps = Map.groupBy(
    skipped.filter((step) => !notEvaluated.includes(step)),
    keyOf,
  );
  const byStoryboards = Map.groupBy(whole, keyOf);
  const reasons = [...new Set([...bySteps.keys(), ...byStoryboards.keys()])]
    .map((key) => ({ own: bySteps.get(key) ?? [], all: byStoryboards.get(key) ?? [] }))
    .toSorted((one, other) => other.own.length - one.own.length || other.all.length - one.all.length)
    .map(({ own, all }) => {
      const counts = [
        ...(own.length > 0 ? [counted(own.length, 'step')] : []),
        ...(all.length > 0 ? [counted(all.length, own.length > 0 ? 'whole storyboard' : 'storyboard')] : []),
      ].join(' and ');
      return `${counts}: ${reasonOf([...own, ...all])}`;
    });
  return notEvaluated.length === 0
    ? reasons
    : [...reasons, `${counted(notEvaluated.length, 'step')}: not evaluated by this runner`];
}

type Skipped = Pick<StepResult, 'skip_reason' | 'skip_detail'> & Partial<Pick<StepResult, 'task'>>;

const REASONS: Partial<Readonly<Record<SkipReason, string>>> = {
  not_applicable: 'not applicable to this agent',
  no_phases: 'the storyboard has no steps',
  prerequisite_failed: 'an earlier step did not pass or returned no value',
  missing_test_controller: 'missing test controller or sandbox',
};

function reasonOf(skipped: readonly Skipped[]): string {
  const [first] = skipped;
  const detail = first?.skip_detail ?? '';
  if (first?.skip_reason === 'missing_tool') {
    const tools = [...new Set(skipped.flatMap(({ skip_detail: text = '' }) => toolsIn(text)))];
    return `missing ${tools.length === 1 ? 'tool' : 'tools'}: ${tools.slice(0, 8).join(', ')}${tools.length > 8 ? ` and ${tools.length - 8} more` : ''}`;
  }
  if (first?.skip_reason === undefined) return detail;
  const isSame = skipped.every(({ skip_detail: other }) => other === detail);
  const general = REASONS[first.skip_reason];
  return isSame || general === undefined ? detail : general;
}

/** The names in `missing tool: a or b` and `missing tools: a, b`. */
function toolsIn(detail: string): readonly string[] {
  return detail.replace(/^missing tools?: /, '').split(/ or |, /);
}

const KINDS: Readonly<Record<RunnerLimitation['kind'], string>> = {
  gate: 'gate',
  check: 'check',
  member: 'field',
  placeholder: 'placeholder',
  invariant: 'invariant',
  contract: 'contract',
  task: 'task',
};

/** What this runner could not evaluate of the bundle, those in the most storyboards first. */
export function limitationTexts({ limitations = [] }: ComplianceRun): readonly string[] {
  return limitations
    .toSorted((one, other) => other.storyboards.length - one.storyboards.length)
    .map(({ kind, name, reason, count = 1, storyboards }) => {
      const [only = ''] = storyboards;
      const where = storyboards.length === 1 ? only : counted(storyboards.length, 'storyboard');
      const times = count > storyboards.length ? `${count} times in ` : '';
      return `${KINDS[kind]} ${name} (${times}${where})${reason === undefined ? '' : `: ${reason}`}`;
    });
}
