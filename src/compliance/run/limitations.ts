import type { RunNotice } from '../../domain/judged-run.ts';
import { CONTRIBUTION_CHECK, isKnownCheck } from '../checks/table.ts';
import { ASSERT_CONTRIBUTION, isSpecial } from '../conversation/consent.ts';
import type { RunnerLimitation } from '../run-result.ts';
import { allSteps, INVARIANT_NAMES, type Storyboard, type Validation } from '../storyboard.ts';
import { parseCondition } from '../storyboards/expressions.ts';

/*
 * What this runner cannot evaluate of a bundle is our limitation and never the agent's gap
 * (docs/reference/storyboards.md, What this runner cannot evaluate).
 */

/** What the public bundle calls the abilities of a runner that this one has. */
const CONTRACTS: readonly string[] = [
  'webhook_receiver_runner',
  'substitution_observer_runner',
  'signed_requests_runner',
];

/** Requirements of `requires` that this runner never meets. */
const UNMET_REQUIREMENTS: readonly string[] = ['multi_agent', 'seeded_state'];

/** Tasks of the public format that are not calls, and belong to other kinds of runners. */
const OF_OTHER_RUNNERS = /^(?:expect|assert)_/;

/** True for a step that needs an ability of the runner that this one does not have. */
export function isForeignContract(contract: string | undefined): boolean {
  return contract !== undefined && !CONTRACTS.includes(contract);
}

/** True for a step that is neither a call nor a special step of this runner. */
export function isForeignTask(task: string): boolean {
  return OF_OTHER_RUNNERS.test(task) && !isSpecial(task) && task !== ASSERT_CONTRIBUTION;
}

/** True for a check that decides a step: not one that its author calls advisory. */
export function isRequired({ severity, permanent_advisory: permanent }: Validation): boolean {
  return severity !== 'advisory' && permanent === undefined;
}

type Limitation = Pick<RunnerLimitation, 'kind' | 'name'> & { readonly decides: boolean };

function limitationsIn(storyboard: Storyboard): readonly Limitation[] {
  const { phases, unknownGates = [], notEvaluated = [], invariants, requires } = storyboard;
  const of = (kind: Limitation['kind'], names: readonly string[], decides = true) =>
    names.map((name) => ({ kind, name: name.slice(0, 120), decides }));
  const steps = allSteps(storyboard);
  const checks = steps.flatMap((step) => step.validations.map((validation) => ({ step, validation })));
  const unknown = checks.flatMap(({ step, validation }) => {
    const { check, notEvaluated: name = isKnownCheck(check) ? undefined : check } = validation;
    if (name === undefined || check === CONTRIBUTION_CHECK) return [];
    return of(
      'check',
      [name === check ? name : `${check}: ${name}`],
      isRequired(validation) && !step.isAdvisory,
    );
  });
  return [
    ...of('gate', unknownGates),
    ...of(
      'gate',
      requires.filter((one) => UNMET_REQUIREMENTS.includes(one)).map((one) => `requires: ${one}`),
    ),
    ...of('member', notEvaluated),
    ...of(
      'invariant',
      invariants.filter((name) => !INVARIANT_NAMES.includes(name)),
    ),
    ...phases.flatMap((phase) => [
      ...of('gate', phase.unknownGates ?? []),
      ...of('gate', isUnparsed(phase.skipIf) ? [`skip_if: ${phase.skipIf}`] : []),
      ...of('member', phase.notEvaluated ?? []),
    ]),
    ...steps.flatMap((step) => [
      ...of('gate', step.unknownGates ?? []),
      ...of('member', step.notEvaluated ?? []),
      ...of(
        'contract',
        step.contract !== undefined && isForeignContract(step.contract) ? [step.contract] : [],
      ),
      ...of('task', isForeignTask(step.task) ? [step.task] : []),
    ]),
    ...unknown,
  ];
}

function isUnparsed(condition: string | undefined): boolean {
  return condition !== undefined && parseCondition(condition) === undefined;
}

/** Whether a pass of the storyboard leaves open a part of it that decides. */
export function isLimited(storyboard: Storyboard): boolean {
  return limitationsIn(storyboard).some(({ decides }) => decides);
}

/** At most so many are listed. */
const MAX_LISTED = 200;

/** What this runner cannot evaluate of these storyboards, each once, with the storyboards that have it. */
export function limitationsOf(storyboards: readonly Storyboard[]): readonly RunnerLimitation[] {
  const found = new Map<string, { kind: RunnerLimitation['kind']; name: string; storyboards: Set<string> }>();
  for (const storyboard of storyboards)
    for (const { kind, name } of limitationsIn(storyboard)) {
      const one = found.get(`${kind} ${name}`) ?? { kind, name, storyboards: new Set() };
      one.storyboards.add(storyboard.id);
      found.set(`${kind} ${name}`, one);
    }
  return [...found.values()]
    .slice(0, MAX_LISTED)
    .map((one) => ({ ...one, storyboards: [...one.storyboards].toSorted() }));
}

/** One notice, however many there are: the run lists them. */
export function limitationNotice({ length }: readonly RunnerLimitation[]): readonly RunNotice[] {
  if (length === 0) return [];
  const parts = length === 1 ? '1 part' : `${length} parts`;
  const message = `this runner cannot evaluate ${parts} of the bundle, which does not count against the agent`;
  return [{ code: 'runner_limitations', severity: 'info', message }];
}
