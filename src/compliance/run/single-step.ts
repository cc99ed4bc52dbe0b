import type { JsonObject } from '../../base/json.ts';
import { isMutating } from '../../protocol/tasks.ts';
import { ASSERT_CONTRIBUTION, isSpecial } from '../conversation/consent.ts';
import { firstAt } from '../json-path.ts';
import { type Phase, type Step, type Storyboard, stepKey } from '../storyboard.ts';
import type { Bundle } from '../storyboards/bundle.ts';
import { conventionalPath } from '../storyboards/conventions.ts';
import { type Placeholder, placeholdersIn } from '../storyboards/expressions.ts';

/** A value that an earlier step of the storyboard provides in a whole run. */
export interface MissingValue {
  /** As `--context` names it. */
  readonly name: string;
  /** As the storyboard refers to it, `$context.media_buy_id` for example. */
  readonly text: string;
  /** Where a whole run finds it; absent when no step of the storyboard provides it. */
  readonly source?: string;
}

export interface SingleStep {
  /** `storyboard/phase/step`. */
  readonly key: string;
  readonly storyboard: string;
  /** The bundle with this step as its only one, under its own storyboard and phase. */
  readonly bundle: Bundle;
  /** Values of its request and checks for which neither the storyboard nor `context` has a value. */
  readonly missing: readonly MissingValue[];
  /** It uses the answer, and not only values, of an earlier step, so that no context can replace the whole storyboard. */
  readonly needsStoryboard: boolean;
}

/**
 * The steps of a bundle with this name, each as a bundle of its own; empty when there is none. Several phases of a storyboard
 * may have a step of the same id.
 *
 * @param name `storyboard/step` or `storyboard/phase/step`; the id of a storyboard may have slashes
 * @param context values for `$context.*`, which replace those of the storyboard
 */
export function singleSteps(bundle: Bundle, name: string, context: JsonObject): readonly SingleStep[] {
  return bundle.storyboards.flatMap((bundled) => {
    const { storyboard } = bundled;
    const { id, phases } = storyboard;
    const values = { ...storyboard.context, ...context };
    return phases.flatMap(({ dependsOn: _, ...phase }) =>
      phase.steps
        .filter((step) => [`${id}/${step.id}`, stepKey(id, phase.id, step.id)].includes(name))
        .map((step) => {
          const reduced = { ...storyboard, context: values, phases: [{ ...phase, steps: [step] }] };
          return {
            key: stepKey(id, phase.id, step.id),
            storyboard: id,
            bundle: { ...bundle, storyboards: [{ ...bundled, storyboard: reduced }] },
            missing: missingValues(storyboard, step, values),
            needsStoryboard: needsStoryboard(step),
          };
        }),
    );
  });
}

/** Whether a failed step is repeated by itself: nothing before it in its storyboard can have made a difference. */
export function runsAlone(storyboard: Storyboard, { id: phaseId }: Pick<Phase, 'id'>, step: Step): boolean {
  if (step.stateful || needsStoryboard(step)) return false;
  if (missingValues(storyboard, step, storyboard.context).length > 0) return false;
  const steps = storyboard.phases.flatMap((phase) => phase.steps.map((one) => ({ phase: phase.id, one })));
  const at = steps.findIndex(({ phase, one }) => phase === phaseId && one.id === step.id);
  return steps.slice(0, at).every(({ one }) => !isMutating(one.task) && !isSpecial(one.task));
}

function needsStoryboard(step: Step): boolean {
  const { task, isPartial, request } = step;
  return (
    isPartial ||
    task === ASSERT_CONTRIBUTION ||
    task.startsWith('expect_') ||
    placeholdersIn(request).some(({ root }) => root === 'prior_step')
  );
}

function missingValues(storyboard: Storyboard, step: Step, values: JsonObject): readonly MissingValue[] {
  const own = step.outputs.map(({ name }) => name);
  const references = step.validations.flatMap(({ value, allowed_values: allowed, context_key: key }) => [
    ...placeholdersIn([value, allowed]),
    ...(key === undefined ? [] : [referenceTo(key)]),
  ]);
  const wanted = [
    ...placeholdersIn(step.request),
    ...step.inputs.map(({ name }) => referenceTo(name)),
    ...references.filter(({ name }) => !own.includes(name)),
  ].filter(({ root, name }) => root === 'context' && !isGenerated(step, name));
  const missing = wanted.filter(({ name, rest }) => !firstAt(values, `${name}${rest}`).present);
  return [...new Map(missing.map((one) => [one.text, one])).values()].map(({ name, text }) => {
    const source = sourceOf(storyboard, name);
    return { name, text, ...(source !== undefined && { source }) };
  });
}

function referenceTo(name: string): Placeholder {
  return { text: `$context.${name}`, root: 'context', name, rest: '' };
}

/** A step may make up a value for its own request. */
function isGenerated({ outputs }: Step, name: string): boolean {
  return outputs.some((output) => output.name === name && output.generate !== undefined);
}

function sourceOf({ id, phases }: Storyboard, name: string): string | undefined {
  for (const phase of phases)
    for (const step of phase.steps) {
      const key = stepKey(id, phase.id, step.id);
      const output = step.outputs.find((one) => one.name === name);
      if (output?.generate !== undefined) return `any new ${output.generate.replace(/_.*/, '')}`;
      const path = output?.path ?? conventionalPath(step.task, name);
      if (path !== undefined) return `${path} in the answer of ${key} (${step.task})`;
    }
  return undefined;
}
