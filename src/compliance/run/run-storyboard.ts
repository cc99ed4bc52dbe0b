import type { StoryboardResult } from '../run-result.ts';
import type { Skip, StepResult } from '../step-result.ts';
import { allSteps, type Phase, type Step } from '../storyboard.ts';
import { operatorsIn } from '../storyboards/conventions.ts';
import { holds, parseCondition } from '../storyboards/expressions.ts';
import { createContext, withKit } from './context.ts';
import { seedFixtures } from './created.ts';
import { demandsOf, weighed } from './judge-step.ts';
import { isLimited } from './limitations.ts';
import { isOver, type RunState } from './run-state.ts';
import { runStep, type StepPlace } from './run-step.ts';
import { type Selected, unmetNeed } from './selection.ts';
import { prepareSpecial } from './special-step.ts';
import { buildsOn, hasStandIn, isFoundation, isHollow, STOPPED, skipped } from './step-skips.ts';

/** What a storyboard has come to so far. */
interface Course {
  readonly selected: Selected;
  readonly place: Omit<StepPlace, 'phase' | 'step'>;
  readonly flags: Set<string>;
  readonly phases: Map<string, readonly StepResult[]>;
  readonly passed: Set<string>;
  readonly steps: StepResult[];
  /** By phase, the first step that did not establish the state that later steps build on. */
  readonly broken: Map<string, StepResult>;
}

/** Runs a storyboard phase by phase and step by step, or says why it is skipped. Never rejects for anything an agent does. */
export async function runStoryboard(state: RunState, selected: Selected): Promise<StoryboardResult> {
  const { storyboard, origin } = selected;
  const skip =
    selected.skip ??
    needsReceiver(state, selected) ??
    unmetPrerequisite(state, selected) ??
    (await seedFixtures(state, storyboard));
  if (skip !== undefined) return storyboardResult(selected, [], skip);
  const callers = allSteps(storyboard).flatMap((step) =>
    step.expectsError ? [] : operatorsIn(step.request),
  );
  const values = { ...withKit(state.values, storyboard.testKit), callers };
  const context = createContext(values, storyboard.id, storyboard.context);
  const flags = new Set<string>();
  const isPlain = storyboard.invariants.length === 0 && state.listener === undefined;
  const watch = isPlain ? undefined : await prepareSpecial(state, storyboard, context);
  const steps: StepResult[] = [];
  const place = { storyboard, origin, context, flags, values, results: steps, ...(watch && { watch }) };
  const course: Course = {
    ...{ selected, place, flags, steps },
    ...{ phases: new Map(), passed: new Set(), broken: new Map() },
  };
  for (const phase of storyboard.phases) await runPhase(state, course, phase);
  return storyboardResult(selected, steps);
}

function needsReceiver({ listener }: RunState, { storyboard }: Selected): Skip | undefined {
  if (!storyboard.requires.includes('webhook_receiver') || listener !== undefined) return undefined;
  const detail = 'requires a webhook receiver, and this run has none; set one with --webhooks';
  return { reason: 'not_applicable', detail, coverage_gap: false };
}

/** A storyboard waits for its prerequisites to pass; those that were not asked for are not waited for. */
function unmetPrerequisite({ storyboards }: RunState, { storyboard }: Selected): Skip | undefined {
  const unmet = storyboards.find(
    ({ storyboard_id: id, result }) => storyboard.prerequisites.includes(id) && result !== 'pass',
  );
  if (unmet === undefined) return undefined;
  if (unmet.result === 'skipped' && !unmet.coverage_gap)
    return {
      reason: 'not_applicable',
      detail: `depends on the storyboard ${unmet.storyboard_id}, which does not apply`,
      coverage_gap: false,
    };
  return {
    reason: 'prerequisite_failed',
    detail: `the storyboard ${unmet.storyboard_id} did not pass`,
    coverage_gap: true,
  };
}

async function runPhase(state: RunState, course: Course, phase: Phase): Promise<void> {
  const skip = phaseSkip(state, course, phase);
  const results: StepResult[] = [];
  for (const step of phase.steps) {
    const result = await oneStep(state, course, phase, step, skip);
    for (const list of [results, course.steps, state.steps]) list.push(result);
    state.tell({ kind: 'step', step: result });
  }
  for (const step of phase.steps) settle(course, phase, step, [results, course.steps, state.steps]);
  course.phases.set(phase.id, results);
}

function hasPassed(results: readonly StepResult[]): boolean {
  const failed = results.some(({ result, tried }) => result === 'fail' || tried === true);
  return !failed && results.some(({ result }) => result === 'pass');
}

/** A skipped step whose state another step of the phase provided does not apply; otherwise the state is missing. */
function settle(course: Course, phase: Phase, step: Step, lists: readonly StepResult[][]): void {
  const result = lists[0]?.find(({ step_id: id }) => id === step.id);
  if (result === undefined || !hasStandIn(phase, step, result)) return;
  const by = phase.steps.find((one) => one.standsInFor.includes(step.id) && course.passed.has(one.id));
  if (by === undefined) {
    if (isFoundation(step, result) && !course.broken.has(phase.id)) course.broken.set(phase.id, result);
    return;
  }
  const detail = `state already provided by ${phase.id}/${by.id}`;
  const settled = {
    ...result,
    skip_reason: 'not_applicable',
    skip_detail: detail,
    coverage_gap: false,
  } as const;
  for (const list of lists) list[list.indexOf(result)] = settled;
}

async function oneStep(
  state: RunState,
  course: Course,
  phase: Phase,
  step: Step,
  phaseWide: Skip | undefined,
): Promise<StepResult> {
  const place = { ...course.place, phase, step };
  const skip =
    phaseWide ??
    unknownGate(step.unknownGates) ??
    (isOver(state) ? STOPPED : undefined) ??
    lostState(course, phase, step);
  const result = skip === undefined ? await runStep(state, place) : skipped(place, skip);
  const counted = weighed(result, phase, step, demandsOf(state.tools, state.conversation.capabilities));
  if (result.result === 'pass') notePassed(course, step);
  else if (isFoundation(step, result) && !hasStandIn(phase, step, result) && !course.broken.has(phase.id))
    course.broken.set(phase.id, counted);
  return counted;
}

function notePassed(
  { passed, flags }: Course,
  { id, contributesTo: flag, contributesIf: needed }: Step,
): void {
  passed.add(id);
  if (flag !== undefined && (needed === undefined || passed.has(needed))) flags.add(flag);
}

/** A phase of this name ends what the others made, as far as it can, whatever failed before. */
const CLEAN_UP = /^clean_?up$/;

/**
 * Stateful steps build on the state of all earlier phases, or of those that `depends_on` names. Branches are
 * alternatives: what one of them did not establish is lost to itself alone.
 */
function lostState({ broken, place }: Course, phase: Phase, { stateful }: Step): Skip | undefined {
  if (!stateful || CLEAN_UP.test(phase.id)) return undefined;
  const isBranch = (id: string) =>
    place.storyboard.phases.some((one) => one.id === id && one.branchSet !== undefined);
  const base = [...broken].find(
    ([id]) => id === phase.id || (!isBranch(id) && (phase.dependsOn?.includes(id) ?? true)),
  )?.[1];
  return base && buildsOn([base], (why) => `depends on ${base.step_id}, which ${why}`);
}

/** A requirement that this runner does not understand is not met (docs/reference/storyboards.md, The file). */
function unknownGate(gates: readonly string[] | undefined): Skip | undefined {
  if (gates === undefined) return undefined;
  const detail = `this runner does not support the requirement ${gates.join(', ')}`.slice(0, 300);
  return { reason: 'not_applicable', detail, coverage_gap: false, notEvaluated: gates };
}

function phaseSkip(state: RunState, course: Course, phase: Phase): Skip | undefined {
  const { dependsOn = [], skipIf, requiredCapabilities, unknownGates } = phase;
  const gate = unknownGate(unknownGates);
  if (gate !== undefined) return gate;
  const unmet = dependsOn.find((id) => !hasPassed(course.phases.get(id) ?? []));
  if (unmet !== undefined)
    return buildsOn(course.phases.get(unmet) ?? [], (why) => `depends on the phase ${unmet}, which ${why}`);
  const need = unmetNeed(requiredCapabilities, state.conversation.capabilities);
  if (need !== undefined)
    return notApplicable(`the agent does not declare the required capability ${need.path}`);
  if (skipIf === undefined) return undefined;
  const condition = parseCondition(skipIf);
  if (condition === undefined) return unknownGate([`skip_if: ${skipIf}`]);
  return holds(condition, valuesFor(state, course))
    ? notApplicable(`skip condition met: ${skipIf}`)
    : undefined;
}

function notApplicable(detail: string): Skip {
  return { reason: 'not_applicable', detail: detail.slice(0, 300), coverage_gap: false };
}

function valuesFor({ conversation, tools }: RunState, { place }: Course) {
  return {
    agent: conversation.agent,
    capabilities: conversation.capabilities,
    context: Object.fromEntries(place.context.values),
    test_kit: place.values.testKit,
    tools: Object.fromEntries([...tools].map((name) => [name, true])),
  };
}

/** The result of a storyboard by its steps, or by what kept it from being run. */
export function storyboardResult(
  { storyboard, origin, specialism }: Selected,
  steps: readonly StepResult[],
  skip?: Skip,
): StoryboardResult {
  const count = (result: StepResult['result']) => steps.filter((step) => step.result === result).length;
  const failed = count('fail');
  const passed = count('pass');
  const total = storyboard.phases.reduce((sum, phase) => sum + phase.steps.length, 0);
  const isGap =
    skip?.coverage_gap === true ||
    steps.some(({ coverage_gap: gap }) => gap === true) ||
    (failed === 0 && isHollow(storyboard.phases, steps, origin));
  return {
    storyboard_id: storyboard.id,
    title: storyboard.title,
    category: storyboard.category,
    track: storyboard.track,
    version: storyboard.version,
    origin,
    ...(specialism !== undefined && { specialism }),
    result: resultOf({ failed, passed, isGap }),
    ...(skip !== undefined && { skip_reason: skip.reason, skip_detail: skip.detail }),
    coverage_gap: isGap,
    ...(skip === undefined && isLimited(storyboard) && { limited: true }),
    steps_total: total,
    steps_passed: passed,
    steps_failed: failed,
    steps_skipped: total - passed - failed,
    duration_ms: steps.reduce((sum, step) => sum + step.duration_ms, 0),
  };
}

interface Counts {
  readonly failed: number;
  readonly passed: number;
  readonly isGap: boolean;
}

/** What was skipped as a whole is `skipped`, with a gap or without. */
function resultOf({ failed, passed, isGap }: Counts): StoryboardResult['result'] {
  if (failed > 0) return 'fail';
  if (passed === 0) return 'skipped';
  return isGap ? 'incomplete' : 'pass';
}
