import { member } from '../../base/json.ts';
import type { StoryboardResult } from '../run-result.ts';
import type { Skip, StepResult } from '../step-result.ts';
import type { Phase, Step } from '../storyboard.ts';
import { holds, parseCondition } from '../storyboards/expressions.ts';
import { createContext, withKit } from './context.ts';
import { seedFixtures } from './created.ts';
import { isOver, type RunState } from './run-state.ts';
import { runStep, type StepPlace } from './run-step.ts';
import { type Selected, unmetNeed } from './selection.ts';
import { prepareSpecial, ungraded } from './special-step.ts';
import { hasStandIn, isFoundation, isHollow, STOPPED, skipped } from './step-skips.ts';
import { demandsOf, withoutWeight } from './tiers.ts';

/** What is known in the middle of a storyboard. */
interface Course {
  readonly selected: Selected;
  readonly place: Omit<StepPlace, 'phase' | 'step'>;
  readonly flags: Set<string>;
  readonly phases: Map<string, boolean>;
  readonly passed: Set<string>;
  readonly steps: StepResult[];
  /** The step by which the state that later steps build on was lost. */
  broken?: string;
}

/** Runs a storyboard phase by phase and step by step, or says why it is skipped. Never rejects for anything an agent does. */
export async function runStoryboard(state: RunState, selected: Selected): Promise<StoryboardResult> {
  const { storyboard, origin } = selected;
  const skip = selected.skip ?? notBefore(state, selected) ?? (await seedFixtures(state, storyboard));
  if (skip !== undefined) return storyboardResult(selected, [], skip);
  const values = withKit(state.values, storyboard.testKit);
  const context = createContext(values, storyboard.id, storyboard.context);
  const flags = new Set<string>();
  const isPlain = storyboard.invariants.length === 0 && state.listener === undefined;
  const watch = isPlain ? undefined : await prepareSpecial(state, storyboard, context);
  const place = { storyboard, origin, context, flags, values, ...(watch && { watch }) };
  const course: Course = { selected, place, flags, phases: new Map(), passed: new Set(), steps: [] };
  for (const phase of storyboard.phases) await runPhase(state, course, phase);
  return storyboardResult(selected, course.steps);
}

/** A storyboard that needs others waits for them to pass; one that was not asked for is not waited for. */
function notBefore({ storyboards }: RunState, { storyboard }: Selected): Skip | undefined {
  const failed = storyboard.prerequisites.find((id) =>
    storyboards.some(({ storyboard_id: other, result }) => other === id && result !== 'pass'),
  );
  if (failed === undefined) return undefined;
  return {
    reason: 'prerequisite_failed',
    detail: `the storyboard ${failed} did not pass`,
    coverage_gap: false,
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
  const failed = results.some(({ result, tried }) => result === 'fail' || tried === true);
  course.phases.set(phase.id, !failed && results.some(({ result }) => result === 'pass'));
}

/** A step that another one of the phase stood in for is none that lacks; where that did not pass, later ones lack it. */
function settle(course: Course, phase: Phase, step: Step, lists: readonly StepResult[][]): void {
  const result = lists[0]?.find(({ step_id: id }) => id === step.id);
  if (result === undefined || !hasStandIn(phase, step, result)) return;
  const by = phase.steps.find((one) => one.standsInFor.includes(step.id) && course.passed.has(one.id));
  if (by === undefined) {
    if (isFoundation(step, result)) course.broken ??= step.id;
    return;
  }
  const detail = `its state was provided by ${phase.id}/${by.id}`;
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
  const skip = phaseWide ?? (isOver(state) ? STOPPED : undefined) ?? lostState(course, phase, step);
  const result = skip === undefined ? await runStep(state, place) : skipped(place, skip);
  noteResult(course, phase, step, result);
  if (result.result === 'pass' && step.open !== undefined) return ungraded(result, step.open);
  return withoutWeight(result, phase, step, demandsOf(state.tools, state.conversation.capabilities));
}

function noteResult(course: Course, phase: Phase, step: Step, result: StepResult): void {
  if (result.result === 'pass') {
    course.passed.add(step.id);
    const { contributesTo: flag, contributesIf: needed } = step;
    if (flag !== undefined && (needed === undefined || course.passed.has(needed))) course.flags.add(flag);
    return;
  }
  if (!isFoundation(step, result) || hasStandIn(phase, step, result)) return;
  course.broken ??= step.id;
}

/** What a phase of this name ends, it ends as far as it can, whatever went wrong before. */
const CLEAN_UP = /^clean_?up$/;

function lostState({ broken }: Course, { id }: Phase, { stateful }: Step): Skip | undefined {
  if (broken === undefined || !stateful || CLEAN_UP.test(id)) return undefined;
  return {
    reason: 'prerequisite_failed',
    detail: `it builds on ${broken}, which did not pass`,
    coverage_gap: false,
  };
}

function phaseSkip(
  state: RunState,
  course: Course,
  { dependsOn, skipIf, requiredCapabilities }: Phase,
): Skip | undefined {
  const unmet = dependsOn.find((id) => course.phases.get(id) !== true);
  if (unmet !== undefined)
    return { reason: 'prerequisite_failed', detail: `the phase ${unmet} did not pass`, coverage_gap: false };
  const need = unmetNeed(requiredCapabilities, state.conversation.capabilities);
  if (need !== undefined) {
    const told = `the capabilities do not say what is needed at ${need.path}`;
    return { reason: 'requirement_unmet', detail: told, coverage_gap: false };
  }
  if (skipIf === undefined) return undefined;
  const condition = parseCondition(skipIf);
  if (condition !== undefined && !holds(condition, valuesFor(state, course))) return undefined;
  const detail =
    condition === undefined ? `its condition is not understood: ${skipIf}` : `its condition holds: ${skipIf}`;
  return { reason: 'not_applicable', detail: detail.slice(0, 300), coverage_gap: condition === undefined };
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

/** What a storyboard comes to by its steps, or by what kept it from being run. */
export function storyboardResult(
  { storyboard, origin, specialism }: Selected,
  steps: readonly StepResult[],
  skip?: Skip,
): StoryboardResult {
  const count = (result: StepResult['result']) => steps.filter((step) => step.result === result).length;
  const failed = count('fail');
  const passed = count('pass');
  const total = storyboard.phases.reduce((sum, phase) => sum + phase.steps.length, 0);
  return {
    storyboard_id: storyboard.id,
    title: storyboard.title,
    category: storyboard.category,
    track: storyboard.track,
    version: storyboard.version,
    origin,
    ...(specialism !== undefined && { specialism }),
    result: failed > 0 ? 'fail' : passed > 0 ? 'pass' : 'skipped',
    ...(skip !== undefined && { skip_reason: skip.reason, skip_detail: skip.detail }),
    coverage_gap:
      skip?.coverage_gap === true ||
      (skip === undefined && storyboard.open !== undefined) ||
      steps.some((step) => member(step, 'coverage_gap') === true) ||
      (failed === 0 && isHollow(storyboard.phases, steps, origin)),
    steps_total: total,
    steps_passed: passed,
    steps_failed: failed,
    steps_skipped: total - passed - failed,
    duration_ms: steps.reduce((sum, step) => sum + step.duration_ms, 0),
  };
}
