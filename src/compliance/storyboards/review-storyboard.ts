import type { Finding } from '../../domain/finding.ts';
import { isKnownCheck, KNOWN_CHECKS } from '../checks/table.ts';
import { parsePath } from '../json-path.ts';
import { TRACKS } from '../run-result.ts';
import { allSteps, INVARIANT_NAMES, type Phase, type Step, type Storyboard } from '../storyboard.ts';
import { conventionalNames } from './conventions.ts';
import { parseCondition, placeholdersIn } from './expressions.ts';
import { findCycle } from './needs.ts';

type Found = Omit<Finding, 'line' | 'column'>;

/** What the schema cannot say of a storyboard: names that are there twice or nowhere, ways in a circle, paths that are none. */
export function reviewStoryboard(storyboard: Storyboard): readonly Found[] {
  return [
    ...trackFindings(storyboard),
    ...twice(storyboard.phases, '/phases', 'phase'),
    ...storyboard.phases.flatMap(({ steps }, index) => twice(steps, `/phases/${index}/steps`, 'step')),
    ...dependenceFindings(storyboard.phases),
    ...contextFindings(storyboard),
    ...invariantFindings(storyboard),
    ...referenceFindings(storyboard),
    ...storyboard.phases.flatMap(phaseFindings),
  ];
}

function invariantFindings({ invariants }: Storyboard): readonly Found[] {
  return invariants
    .filter((name) => !INVARIANT_NAMES.includes(name))
    .map((name, index) =>
      warning(
        'invariant_unknown',
        `/invariants/${index}`,
        `unknown invariant ${name.slice(0, 80)}: it is not evaluated`,
        `known invariants: ${INVARIANT_NAMES.join(', ')}`,
      ),
    );
}

/** A step that waits for what another one does, or counts when that passed, says nothing when there is none. */
function referenceFindings(storyboard: Storyboard): readonly Found[] {
  const known = new Set<unknown>(allSteps(storyboard).map(({ id }) => id));
  const hint = 'use a step of this storyboard; write a condition as prior_step.ID.passed';
  const faults = ({ more, contributesIf, validations }: Step, pointer: string) =>
    [more.triggered_by, contributesIf, ...validations.map(({ step }) => step)]
      .filter((id) => id !== undefined && !known.has(id))
      .map((id) => error('step_unknown', pointer, `unknown step ${String(id).slice(0, 80)}`, hint));
  return storyboard.phases.flatMap(({ steps }, p) =>
    steps.flatMap((step, s) => faults(step, `/phases/${p}/steps/${s}`)),
  );
}

function trackFindings({ track }: Storyboard): readonly Found[] {
  if ((TRACKS as readonly string[]).includes(track)) return [];
  return [warning('track_unknown', '/track', `unknown track ${track}: its result counts for no track`)];
}

function twice(items: readonly { readonly id: string }[], pointer: string, what: string): readonly Found[] {
  const seen = new Set<string>();
  return items.flatMap(({ id }, index) =>
    seen.size < seen.add(id).size
      ? []
      : [error('duplicate_id', `${pointer}/${index}/id`, `duplicate ${what} id ${id}`, 'use a unique id')],
  );
}

function dependenceFindings(phases: readonly Phase[]): readonly Found[] {
  const ids = new Set(phases.map(({ id }) => id));
  const nowhere = phases.flatMap(({ dependsOn = [] }, index) =>
    dependsOn
      .filter((id) => !ids.has(id))
      .map((id) =>
        error(
          'phase_unknown',
          `/phases/${index}/depends_on`,
          `unknown phase ${id}`,
          'use a phase of this storyboard',
        ),
      ),
  );
  const cycle = findCycle(new Map(phases.map(({ id, dependsOn = [] }) => [id, dependsOn])));
  if (cycle === undefined) return nowhere;
  const index = phases.findIndex(({ id }) => id === cycle[0]);
  const told = `circular dependency of phases: ${cycle.join(' → ')}`;
  return [
    ...nowhere,
    error('dependence_cycle', `/phases/${index}/depends_on`, told, 'remove one of these dependencies'),
  ];
}

/** A name that nothing provides: the step that uses it is skipped when the storyboard is run. */
function contextFindings({ phases, context }: Storyboard): readonly Found[] {
  const known = new Set(Object.keys(context));
  const findings: Found[] = [];
  for (const [p, phase] of phases.entries()) {
    for (const [s, step] of phase.steps.entries()) {
      for (const { name, generate } of step.outputs) if (generate !== undefined) known.add(name);
      const own = new Set(step.outputs.map(({ name }) => name));
      const unknown = [
        ...namesIn([step.request, step.publicRequest]).filter((name) => !known.has(name)),
        ...checkedBy(step).filter((name) => !known.has(name) && !own.has(name)),
      ];
      for (const name of new Set(unknown))
        findings.push(
          warning(
            'context_unknown',
            `/phases/${p}/steps/${s}`,
            `step ${step.id} uses $context.${name}, which no earlier step provides`,
            'add it to context_outputs of an earlier step',
          ),
        );
      for (const name of [...step.outputs.map((output) => output.name), ...conventionalNames(step.task)])
        known.add(name);
    }
  }
  return findings;
}

function checkedBy({ validations }: Step): readonly string[] {
  return [
    ...validations.flatMap(({ context_key: key }) => (key === undefined ? [] : [key])),
    ...namesIn(validations),
  ];
}

function namesIn(value: unknown): readonly string[] {
  return placeholdersIn(value).flatMap(({ root, name }) => (root === 'context' ? [name] : []));
}

function phaseFindings({ skipIf, steps }: Phase, p: number): readonly Found[] {
  const condition =
    skipIf === undefined || parseCondition(skipIf) !== undefined
      ? []
      : [
          warning(
            'skip_if_unknown',
            `/phases/${p}/skip_if`,
            `unsupported condition ${skipIf.slice(0, 80)}: the phase is always skipped`,
            'compare paths and values with == != < <= > >=, and combine them with and, or, not and parentheses',
          ),
        ];
  return [...condition, ...steps.flatMap((step, s) => stepFindings(step, `/phases/${p}/steps/${s}`))];
}

function stepFindings({ validations, outputs }: Step, pointer: string): readonly Found[] {
  const checks = validations.flatMap(({ check, path, public_path: publicPath }, index) => [
    ...(isKnownCheck(check) ? [] : [unknownCheck(check, `${pointer}/validations/${index}/check`)]),
    ...badPath(path, `${pointer}/validations/${index}/path`),
    ...badPath(publicPath, `${pointer}/validations/${index}/public_path`),
  ]);
  return [
    ...checks,
    ...outputs.flatMap(({ path, publicPath, generate }, index) => [
      ...badPath(path, `${pointer}/context_outputs/${index}/path`),
      ...badPath(publicPath, `${pointer}/context_outputs/${index}/public_path`),
      ...(path === undefined && generate === undefined
        ? [
            error(
              'output_empty',
              `${pointer}/context_outputs/${index}`,
              'the output has no source',
              'set path or generate',
            ),
          ]
        : []),
    ]),
  ];
}

function unknownCheck(check: string, pointer: string): Found {
  const told = `unknown check ${check.slice(0, 80)}: it is recorded as not applicable`;
  return warning('check_unknown', pointer, told, `known checks: ${KNOWN_CHECKS.join(', ')}`);
}

function badPath(path: string | undefined, pointer: string): readonly Found[] {
  if (path === undefined || parsePath(path) !== undefined) return [];
  return [
    error(
      'path_invalid',
      pointer,
      `invalid path ${path.slice(0, 80)}`,
      'write a path such as products[0].pricing_options[*].price',
    ),
  ];
}

function error(code: string, pointer: string, message: string, hint: string): Found {
  return { severity: 'error', code, pointer, message, hint };
}

function warning(code: string, pointer: string, message: string, hint?: string): Found {
  return { severity: 'warning', code, pointer, message, ...(hint !== undefined && { hint }) };
}
