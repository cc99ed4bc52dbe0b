import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import { firstAt } from '../json-path.ts';
import type {
  CapabilityNeed,
  ContextInput,
  ContextOutput,
  Fixture,
  ParallelDispatch,
  Phase,
  Step,
  StepAuth,
  Storyboard,
  Validation,
} from '../storyboard.ts';

/** Checks that a success cannot pass. */
const REFUSAL_CHECKS: readonly string[] = ['error_code'];

/** From a document that follows schemas/storyboard.json, and the test kit that it names, to what is run; pure. */
export function normalise(document: JsonObject, testKit: JsonObject = {}): Storyboard {
  const prerequisites = document.prerequisites;
  return {
    id: String(document.id),
    version: text(document.version) ?? '0.0.0',
    title: String(document.title),
    category: text(document.category) ?? String(document.id),
    summary: text(document.summary) ?? '',
    track: text(document.track) ?? 'core',
    requiredTools: names(document.required_tools),
    requiredCapabilities: needsOf(document.requires_capability),
    requires: names(document.requires),
    requiredToolFamilies: elements(document.required_any_of_tools).map((family) =>
      names(member(family, 'tools')),
    ),
    prerequisites: names(Array.isArray(prerequisites) ? prerequisites : member(prerequisites, 'storyboards')),
    requiredScenarios: names(document.requires_scenarios),
    fixtures: member(prerequisites, 'controller_seeding') === true ? fixturesOf(document.fixtures) : [],
    context: isObject(document.context) ? document.context : {},
    testKit,
    invariants: names(document.invariants),
    phases: elements(document.phases).map((phase) => phaseOf(phase as JsonObject, testKit)),
  };
}

/** `products` are seeded with `seed_product`; kinds keep the order of the file, which is that of their dependence. */
function fixturesOf(fixtures: unknown): readonly Fixture[] {
  if (!isObject(fixtures)) return [];
  return Object.entries(fixtures).flatMap(([kind, items]) =>
    elements(items).map((params) => ({
      scenario: `seed_${kind.replace(/s$/, '')}`,
      params: params as JsonObject,
    })),
  );
}

function phaseOf(phase: JsonObject, kit: JsonObject): Phase {
  const branch = text(member(phase.branch_set, 'id'));
  const skipIf = text(phase.skip_if);
  return {
    id: String(phase.id),
    title: text(phase.title) ?? String(phase.id),
    optional: phase.optional === true,
    requiredCapabilities: needsOf(phase.requires_capability),
    ...(phase.depends_on !== undefined && { dependsOn: oneOrMore(phase.depends_on) }),
    ...(skipIf !== undefined && { skipIf }),
    ...(branch !== undefined && { branchSet: branch }),
    steps: elements(phase.steps).map((step) => stepOf(step as JsonObject, { ...phase, branch }, kit)),
  };
}

/** What a step has from its phase stands in `around`. */
function stepOf(step: JsonObject, around: JsonObject, kit: JsonObject): Step {
  const validations = elements(step.validations) as readonly Validation[];
  const contributesTo = step.contributes === true ? text(around.branch) : text(step.contributes_to);
  const adviceFor = text(step.advice_for ?? around.advice_for);
  const adviceBecause = text(step.advice_because ?? around.advice_because);
  // what is written in another way names no step, and is told by that
  const condition = text(step.contributes_if);
  const contributesIf = condition?.match(/^prior_step\.(.+)\.passed$/)?.[1] ?? condition;
  const { schema_ref: asked, response_schema_ref: schema } = step;
  const contract = text(step.requires_contract);
  const docRef = text(step.doc_ref);
  return {
    id: String(step.id),
    title: text(step.title) ?? String(step.id),
    task: taskOf(step, kit),
    stateful: step.stateful === true,
    requiresTool: oneOrMore(step.requires_tool),
    request: isObject(step.sample_request) ? step.sample_request : {},
    ...(isObject(step.public_request) && { publicRequest: step.public_request }),
    isTaskOfKit: text(step.task)?.startsWith('$test_kit.') === true,
    isPartial: text(step.task)?.startsWith('$test_kit.operations.') === true,
    inputs: elements(step.context_inputs).flatMap((input) => inputOf(input)),
    ...(typeof asked === 'string' && !asked.startsWith('$') && { requestSchema: asked }),
    ...(typeof schema === 'string' && !schema.startsWith('$') && { responseSchema: schema }),
    standsInFor: oneOrMore(step.provides_state_for ?? step.peer_substitutes_for),
    ...(contract !== undefined && { contract }),
    ...(contract === 'parallel_dispatch_runner' && { parallel: parallelOf(step.parallel_dispatch) }),
    more: Object.fromEntries(MORE.flatMap((key) => (Object.hasOwn(step, key) ? [[key, step[key]]] : []))),
    omitKey: step.omit_idempotency_key === true,
    auth: authOf(step.auth),
    ...(typeof step.timeout_seconds === 'number' && { timeoutMs: Math.ceil(step.timeout_seconds * 1_000) }),
    mayRefuse: step.sample_request_skip_schema === true && !expectsError(step, validations),
    expectsError: expectsError(step, validations),
    isAdvisory: step.severity === 'advisory' || step.permanent_advisory !== undefined,
    ...(docRef !== undefined && { docRef }),
    ...(adviceFor !== undefined && { adviceFor }),
    ...(adviceBecause !== undefined && { adviceBecause }),
    ...(contributesTo !== undefined && { contributesTo }),
    ...(contributesIf !== undefined && { contributesIf }),
    outputs: elements(step.context_outputs).map((output) => outputOf(output as JsonObject)),
    validations,
  };
}

function parallelOf(dispatch: unknown): ParallelDispatch {
  const count = member(dispatch, 'count');
  return {
    count: typeof count === 'number' ? count : 2,
    sameKey: member(dispatch, 'same_idempotency_key') !== false,
  };
}

/** Of steps that wait for a webhook, look at a preview, or send a signed vector. */
const MORE = [
  'triggered_by',
  'filter',
  'expect_idempotency_key',
  'expect_max_deliveries_per_logical_event',
  'expect_min_deliveries',
  'verify_signature_on_every_delivery',
  'retry_trigger',
  'require_tag',
  'webhook_payload_schema_ref',
  'source',
  'source_path',
  'macro_template',
  'catalog_bindings',
  'require_every_binding_observed',
  'vector',
];

/** A task may be named by the test kit; its default counts where that names none. */
function taskOf({ task, task_default: fallback }: JsonObject, kit: JsonObject): string {
  const named = String(task);
  if (!named.startsWith('$')) return named;
  const found = firstAt(kit, named.replace(/^\$test_kit\./, '')).value;
  return text(found) ?? text(fallback) ?? named;
}

function inputOf(input: unknown): readonly ContextInput[] {
  const name = text(member(input, 'key') ?? member(input, 'name'));
  const path = text(member(input, 'inject_at') ?? member(input, 'path'));
  return name === undefined || path === undefined ? [] : [{ name, path }];
}

function expectsError(step: JsonObject, validations: readonly Validation[]): boolean {
  if (typeof step.expect_error === 'boolean') return step.expect_error;
  if (step.negative_path !== undefined) return step.negative_path !== false;
  return validations.some(onlyRefusals);
}

function onlyRefusals({ check, value, allowed_values: allowed }: Validation): boolean {
  if (REFUSAL_CHECKS.includes(check)) return true;
  if (check !== 'http_status' && check !== 'http_status_in') return false;
  const statuses = allowed ?? [value].flat();
  return statuses.length > 0 && statuses.every((status) => Number(status) >= 400);
}

function authOf(auth: unknown): StepAuth {
  if (auth === 'none' || auth === 'invalid' || auth === 'unsigned') return auth;
  const strategy = member(auth, 'value_strategy');
  if (member(auth, 'type') === 'http_signature')
    return strategy === 'broken' || strategy === 'replayed' ? `${strategy}_signature` : 'signed';
  if (strategy === 'random_invalid_jwt') return 'invalid_jwt';
  if (strategy === 'random_invalid') return member(auth, 'type') === 'basic' ? 'invalid_basic' : 'invalid';
  const literal = text(member(auth, 'value'));
  return literal === undefined ? 'given' : { literal };
}

function outputOf(output: JsonObject): ContextOutput {
  const { name, key, path, public_path: publicPath, generate, default: fallback } = output;
  return {
    name: String(name ?? key),
    ...(typeof path === 'string' && { path }),
    ...(typeof publicPath === 'string' && { publicPath }),
    ...(typeof generate === 'string' && { generate }),
    ...(fallback !== undefined && { fallback: { value: fallback } }),
  };
}

function needsOf(value: unknown): readonly CapabilityNeed[] {
  return (Array.isArray(value) ? value : [value].filter(isObject)) as readonly CapabilityNeed[];
}

function names(value: unknown): readonly string[] {
  return elements(value).filter((item) => typeof item === 'string');
}

function oneOrMore(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : names(value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
