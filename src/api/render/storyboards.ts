import { allSteps, type Phase, type Step, type Storyboard } from '../../compliance/storyboard.ts';
import type { BundledStoryboard } from '../../compliance/storyboards/needs.ts';

/** For whom a storyboard is, in the words of the field's clients; a scenario goes with the protocol of its folder. */
export interface AppliesTo {
  readonly kind: 'universal' | 'domain' | 'specialism';
  /** `media_buy` for example. */
  readonly id: string;
}

export function appliesTo({ group, file }: Pick<BundledStoryboard, 'group' | 'file'>): AppliesTo {
  switch (group.kind) {
    case 'universal':
      return { kind: 'universal', id: 'universal' };
    case 'specialism':
      return { kind: 'specialism', id: group.specialism };
    case 'baseline':
      return { kind: 'domain', id: group.protocol };
    default:
      return { kind: 'domain', id: (file.split('/')[1] ?? 'any').replaceAll('-', '_') };
  }
}

/** One line of the list: what is tested, for whom, and how much of it there is. */
export function storyboardSummary(one: BundledStoryboard) {
  const { id, title, category, track, summary, phases } = one.storyboard;
  return {
    ...{ id, title, category, track, summary },
    interaction_model: interactionOf(one.storyboard),
    examples: [],
    applies_to: appliesTo(one),
    phase_count: phases.length,
    step_count: allSteps(one.storyboard).length,
  };
}

/** The whole of it, step by step. */
export function storyboardDetail(one: BundledStoryboard) {
  const { storyboard } = one;
  const { id, version, title, category, track, summary, phases } = storyboard;
  return {
    ...{ id, version, title, category, track, summary },
    agent: { interaction_model: interactionOf(storyboard), examples: [] },
    applies_to: appliesTo(one),
    required_tools: storyboard.requiredTools,
    prerequisites: storyboard.prerequisites,
    phases: phases.map((phase) => ({
      ...{ id: phase.id, title: phase.title, optional: phase.optional },
      steps: phase.steps.map(stepBody),
    })),
  };
}

/** The step that an agent is asked first, with the request as the storyboard has it; null where there is none. */
export function firstStep({ storyboard }: BundledStoryboard) {
  const [phase] = storyboard.phases.filter(({ steps }) => steps.length > 0);
  const step = phase?.steps[0];
  return {
    storyboard: { id: storyboard.id, title: storyboard.title },
    step: phase === undefined || step === undefined ? null : preview(phase, step),
  };
}

function preview({ id }: Phase, step: Step) {
  return {
    ...{ step_id: step.id, phase_id: id, title: step.title, task: step.task },
    ...{ narrative: described(step), expected: expectedOf(step), sample_request: step.request },
  };
}

function stepBody(step: Step) {
  return {
    ...{ id: step.id, title: step.title, task: step.task },
    description: described(step),
    expected_output: expectedOf(step),
    checks: step.validations.map(({ check, path, description }) => ({
      check,
      path: path ?? null,
      description: description ?? null,
    })),
  };
}

function described({ task, requiresTool, stateful, expectsError }: Step): string {
  const needed = requiresTool.length === 1 && requiresTool[0] === task ? 'it' : requiresTool.join(' or ');
  const where = requiresTool.length > 0 ? `, if the agent offers ${needed}` : '';
  const kind = stateful
    ? ' This task changes data, so it is sent only to a sandbox or to an agent with a test controller.'
    : '';
  return `Calls ${task}${where}.${expectsError ? ' The agent must refuse the request.' : ''}${kind}`;
}

function expectedOf({ validations, expectsError }: Step): string {
  const said = validations.map(
    ({ description, check, path }) => description ?? `${check} ${path ?? ''}`.trim(),
  );
  return said.length > 0 ? said.join('; ') : expectsError ? 'a refusal' : 'an answer';
}

function interactionOf(storyboard: Storyboard): string {
  return allSteps(storyboard).some(({ stateful }) => stateful) ? 'stateful' : 'stateless';
}
