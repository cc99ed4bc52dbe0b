import type { RunNotice } from '../../domain/judged-run.ts';
import { CONTRIBUTION_CHECK, isKnownCheck } from '../checks/table.ts';
import { ASSERT_CONTRIBUTION, isSpecial } from '../conversation/consent.ts';
import type { RunnerLimitation } from '../run-result.ts';
import { allSteps, INVARIANT_NAMES, type Step, type Storyboard, type Validation } from '../storyboard.ts';
import { isKnownPlaceholder, parseCondition, placeholdersIn } from '../storyboards/expressions.ts';

/*
 * What this runner cannot evaluate of a bundle is our limitation and never the agent's gap
 * (docs/reference/storyboards.md, What this runner cannot evaluate).
 */

/** What the public bundle calls the abilities of a runner that this one has. */
const CONTRACTS: readonly string[] = [
  'webhook_receiver_runner',
  'substitution_observer_runner',
  'signed_requests_runner',
  'parallel_dispatch_runner',
];

/** Requirements of `requires` that this runner never meets. */
const UNMET_REQUIREMENTS: readonly string[] = ['multi_agent', 'seeded_state'];

/** Tasks of the public format that are not calls, and belong to other kinds of runners. */
const OF_OTHER_RUNNERS = /^(?:(?:expect|assert)_\w+|fetch_brand_jwks|replay_webhook_vector)$/;

const FLOOD = 'sends up to 500 orders in a row until the agent limits them; this runner floods no agent';
const UPSTREAM =
  'reads the record that an agent keeps of its own calls to other systems; this runner judges only requests and answers of the run';
const RECEIVER = 'tests a receiver of webhooks, and this runner tests agents';
const BRAND_KEYS =
  'reads documents of the brand, and a run sends requests to the origin of the agent only; expect_webhook_signature_valid checks the keys';

/** Parts of the public format that this runner knows and does not evaluate, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  upstream_traffic: UPSTREAM,
  canonical_format_satisfaction: 'needs the registry of canonical formats, which bundles do not contain',
  a2a_submitted_artifact: 'needs the A2A task around the answer, which a run does not keep',
  a2a_context_continuity: 'needs the A2A task around the answer, which a run does not keep',
  replay_not_cached_rate_limit: FLOOD,
  expect_rate_limit_not_replayed: FLOOD,
  rate_limit_trip_runner: FLOOD,
  distributed_brand_runner: `needs brand documents under the domains of the bundle, and ${UPSTREAM}`,
  single_side_trust_runner: `needs brand documents under the domains of the bundle, and ${UPSTREAM}`,
  replay_webhook_vector: RECEIVER,
  'storyboard.prerequisites.vectors': RECEIVER,
  fetch_brand_jwks: BRAND_KEYS,
  assert_jwks_purpose: BRAND_KEYS,
  'requires: multi_agent': 'a run tests one agent',
  'requires: seeded_state': 'this runner cannot verify how the agent was seeded before the run',
  $build_assets_from_format: 'this runner makes no creatives for a format',
};

const UNKNOWN: Readonly<Record<RunnerLimitation['kind'], string>> = {
  gate: 'an unknown requirement counts as not met',
  check: 'an unknown kind of check',
  member: 'an unknown field or value',
  placeholder: 'an unknown placeholder',
  invariant: 'an unknown invariant',
  contract: 'this runner does not have the ability',
  task: 'no task of the protocol',
};

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

function limitationsNamed(
  kind: Limitation['kind'],
  names: readonly string[],
  decides = true,
): readonly Limitation[] {
  return names.map((name) => ({ kind, name: name.slice(0, 120), decides }));
}

function limitationsIn(storyboard: Storyboard): readonly Limitation[] {
  const { phases, unknownGates = [], notEvaluated = [], invariants, requires } = storyboard;
  const own = [
    ...limitationsNamed('gate', unknownGates),
    ...limitationsNamed(
      'gate',
      requires.filter((one) => UNMET_REQUIREMENTS.includes(one)).map((one) => `requires: ${one}`),
    ),
  ];
  // a storyboard that never runs has no other limitation
  if (own.length > 0) return own;
  return [
    ...limitationsNamed('member', notEvaluated),
    ...limitationsNamed(
      'invariant',
      invariants.filter((name) => !INVARIANT_NAMES.includes(name)),
    ),
    ...phases.flatMap((phase) => [
      ...limitationsNamed('gate', phase.unknownGates ?? []),
      ...limitationsNamed('gate', isUnparsed(phase.skipIf) ? [`skip_if: ${phase.skipIf}`] : []),
      ...limitationsNamed('member', phase.notEvaluated ?? []),
    ]),
    ...allSteps(storyboard).flatMap(limitationsOfStep),
  ];
}

function limitationsOfStep(step: Step): readonly Limitation[] {
  const { contract, task, validations, unknownGates = [], notEvaluated = [], isAdvisory } = step;
  // a step for another kind of runner never runs: its contract or task says it all
  if (contract !== undefined && isForeignContract(contract)) return limitationsNamed('contract', [contract]);
  if (isForeignTask(task)) return limitationsNamed('task', [task]);
  return [
    ...limitationsNamed('gate', unknownGates),
    ...limitationsNamed('member', notEvaluated),
    ...limitationsNamed('placeholder', unknownPlaceholders(step)),
    ...validations.flatMap((validation) => {
      const name = limitationOfCheck(validation);
      const decides = isRequired(validation) && !isAdvisory;
      return name === undefined ? [] : limitationsNamed('check', [name], decides);
    }),
  ];
}

/** The kind of a check that is not known, or a known one with the field that is not. */
function limitationOfCheck({ check, notEvaluated }: Validation): string | undefined {
  if (check === CONTRIBUTION_CHECK) return undefined;
  if (!isKnownCheck(check)) return check;
  return notEvaluated === undefined ? undefined : `${check}: ${notEvaluated}`;
}

/** The reserved field of the public format by which a runner makes the assets of a creative. */
const BUILD_ASSETS = '$build_assets_from_format';

/** Placeholders of the request that nothing fills in. */
export function unknownPlaceholders({ request }: Step): readonly string[] {
  const unknown = placeholdersIn(request).filter((one) => !isKnownPlaceholder(one));
  const fields = hasField(request, BUILD_ASSETS) ? [BUILD_ASSETS] : [];
  return [...new Set([...fields, ...unknown.map(({ text }) => text)])];
}

function hasField(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((one) => hasField(one, name));
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

/** What this runner cannot evaluate of these storyboards: each part once, with the reason, its count and the storyboards that have it. */
export function limitationsOf(storyboards: readonly Storyboard[]): readonly RunnerLimitation[] {
  const all = storyboards.flatMap((storyboard) =>
    limitationsIn(storyboard).map((one) => ({ ...one, storyboard: storyboard.id })),
  );
  const groups = Map.groupBy(all, ({ kind, name }) => `${kind} ${name}`);
  return [...groups.values()].slice(0, MAX_LISTED).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, name } = first;
    const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
    return {
      kind,
      name,
      reason: reason ?? (kind === 'check' && name.includes(': ') ? UNKNOWN.member : UNKNOWN[kind]),
      count: group.length,
      storyboards: [...new Set(group.map(({ storyboard }) => storyboard))].toSorted(),
    };
  });
}

/** One notice, however many there are: the run lists them. */
export function limitationNotice({ length }: readonly RunnerLimitation[]): readonly RunNotice[] {
  if (length === 0) return [];
  const parts = length === 1 ? '1 part' : `${length} parts`;
  const message = `this runner cannot evaluate ${parts} of the bundle, which does not count against the agent`;
  return [{ code: 'runner_limitations', severity: 'info', message }];
}
