import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type {
  CapabilityNeed,
  ContextOutput,
  Fixture,
  Phase,
  Step,
  StepAuth,
  Storyboard,
  Validation,
} from '../storyboard.ts';

/** Checks that a success cannot pass. */
const REFUSAL_CHECKS: readonly string[] = ['error_code'];

/** From a document that follows schemas/storyboard.json to what is run; pure. */
export function normalise(document: JsonObject): Storyboard {
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
    prerequisites: names(Array.isArray(prerequisites) ? prerequisites : member(prerequisites, 'storyboards')),
    requiredScenarios: names(document.requires_scenarios),
    fixtures: member(prerequisites, 'controller_seeding') === true ? fixturesOf(document.fixtures) : [],
    context: isObject(document.context) ? document.context : {},
    phases: elements(document.phases).map((phase) => phaseOf(phase as JsonObject)),
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

function phaseOf(phase: JsonObject): Phase {
  const branch = text(member(phase.branch_set, 'id'));
  const skipIf = text(phase.skip_if);
  return {
    id: String(phase.id),
    title: text(phase.title) ?? String(phase.id),
    optional: phase.optional === true,
    dependsOn: oneOrMore(phase.depends_on),
    requiredCapabilities: needsOf(phase.requires_capability),
    ...(skipIf !== undefined && { skipIf }),
    steps: elements(phase.steps).map((step) => stepOf(step as JsonObject, branch)),
  };
}

function stepOf(step: JsonObject, branch: string | undefined): Step {
  const validations = elements(step.validations) as readonly Validation[];
  const contributesTo = step.contributes === true ? branch : text(step.contributes_to);
  const contributesIf = text(step.contributes_if)?.match(/^prior_step\.(.+)\.passed$/)?.[1];
  return {
    id: String(step.id),
    title: text(step.title) ?? String(step.id),
    task: taskOf(step),
    stateful: step.stateful === true,
    requiresTool: oneOrMore(step.requires_tool),
    request: isObject(step.sample_request) ? step.sample_request : {},
    omitKey: step.omit_idempotency_key === true,
    auth: authOf(step.auth),
    ...(typeof step.timeout_seconds === 'number' && { timeoutMs: Math.ceil(step.timeout_seconds * 1_000) }),
    expectsError: expectsError(step, validations),
    ...(contributesTo !== undefined && { contributesTo }),
    ...(contributesIf !== undefined && { contributesIf }),
    outputs: elements(step.context_outputs).map((output) => outputOf(output as JsonObject)),
    validations,
  };
}

/** A task may be named by a test kit, which we have none of; then its default counts. */
function taskOf({ task, task_default: fallback }: JsonObject): string {
  const named = String(task);
  return named.startsWith('$') && typeof fallback === 'string' ? fallback : named;
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
  if (strategy === 'random_invalid') return 'invalid';
  const literal = text(member(auth, 'value'));
  return literal === undefined ? 'given' : { literal };
}

function outputOf({ name, key, path, generate, default: fallback, ...rest }: JsonObject): ContextOutput {
  void rest;
  return {
    name: String(name ?? key),
    ...(typeof path === 'string' && { path }),
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
