import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../../base/json.ts';
import { isMutating, TEST_CONTROLLER } from '../../protocol/tasks.ts';
import { inSandbox } from '../conversation/consent.ts';
import { firstAt, parsePath, putAt } from '../json-path.ts';
import type { Step } from '../storyboard.ts';
import { type Occasion, operatorsIn, suited } from '../storyboards/conventions.ts';
import {
  type Placeholder,
  placeholdersIn,
  replacePlaceholders,
  wholePlaceholder,
} from '../storyboards/expressions.ts';

/** The request of a step, or what it refers to and nobody provided. */
interface BuiltRequest {
  readonly payload: JsonObject;
  readonly missing: readonly Placeholder[];
}

/** What every storyboard of a run can refer to. */
export interface RunValues {
  /** Secret of the run: everything that is made up follows from it, so that a saved run can be repeated. */
  readonly seed: string;
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Of the bundle, where it says so. */
  readonly madeAt?: number;
  readonly agentUrl: string;
  /** `test_kit` of the public format: `auth.api_key` is the credential's presence, never the credential. */
  readonly testKit: JsonObject;
  /** Whom the token acts for, where whoever checks says so: accounts in samples name it then. */
  readonly operator?: string;
  /** The operators that act in the samples of the storyboard; empty where only steps that expect an error have one. */
  readonly callers?: readonly string[];
  /** Where the agent reaches this run's receiver of webhooks; absent where it cannot. */
  readonly webhookBase?: string;
}

/** The values of one storyboard; filled as its steps pass. */
export interface Context {
  readonly values: Map<string, unknown>;
  /** What answers are known by where no step names it (conventions.ts); the latest of each task counts. */
  readonly conventional: Map<string, unknown>;
  /** The payloads of steps that passed, by step id. */
  readonly prior: Map<string, JsonObject>;
  /** A UUID that is the same for the same label in this storyboard and run, and another in every other. */
  uuid(label: string): string;
}

/** A value with its placeholders filled in, and those for which there was nothing. */
interface Filled {
  readonly value: unknown;
  readonly missing: readonly Placeholder[];
}

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1_440 };

/** What a step kept of the agent may be put into a longer text this far. */
const MAX_INSERT = 2_000;

/** What is given for the run comes before what its kit has; a key that a kit publishes is none of ours. */
export function withKit(values: RunValues, kit: JsonObject): RunValues {
  const { auth: _, ...rest } = kit;
  return { ...values, testKit: { ...rest, ...values.testKit } };
}

export function createContext(run: RunValues, storyboard: string, initial: JsonObject): Context {
  return {
    values: new Map(Object.entries(initial)),
    conventional: new Map(),
    prior: new Map(),
    uuid: (label) => uuidFrom(`${run.seed} ${storyboard} ${label}`),
  };
}

/**
 * Fills the placeholders of a value. One that is a whole text becomes the value as it is, in its own type; inside a
 * longer text it becomes text. What an agent answered is never looked through for placeholders again.
 */
export function fill(template: unknown, context: Context, run: RunValues): Filled {
  const missing: Placeholder[] = [];
  const resolve = (placeholder: Placeholder): unknown => {
    const found = lookUp(placeholder, context, run);
    if (found === undefined) missing.push(placeholder);
    return found;
  };
  return { value: fillAll(template, resolve), missing };
}

function fillAll(template: unknown, resolve: (placeholder: Placeholder) => unknown): unknown {
  if (typeof template === 'string') {
    const whole = wholePlaceholder(template);
    return whole === undefined
      ? replacePlaceholders(template, (part) => asText(resolve(part)))
      : resolve(whole);
  }
  if (Array.isArray(template)) return template.map((item) => fillAll(item, resolve));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fillAll(item, resolve)]));
}

function asText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_INSERT);
}

function lookUp(placeholder: Placeholder, context: Context, run: RunValues): unknown {
  const { root, name, rest } = placeholder;
  switch (root) {
    case 'context':
      return inside(context.values.get(name) ?? context.conventional.get(name), rest);
    case 'prior_step':
      return inside(context.prior.get(name), rest);
    case 'test_kit':
      return inside(run.testKit, `.${name}${rest}`);
    case 'generate':
      return name.startsWith('uuid') ? context.uuid(`generate ${name}`) : undefined;
    case 'agent_url':
      return run.agentUrl;
    case 'run':
      return name === 'id' ? run.runId : undefined;
    case 'runner':
      return webhookAddress(placeholder, context, run);
    case 'now':
      return moment(run.startedAt, name).replace(/\.\d{3}Z$/, 'Z');
    case 'today':
      return moment(run.startedAt, name).slice(0, 10);
    default:
      return undefined;
  }
}

/** `{{runner.webhook_url:step}}`: the step's own address, the last part of which is the id of its operation. */
function webhookAddress({ name, rest }: Placeholder, { uuid }: Context, { webhookBase: base }: RunValues) {
  if (base === undefined || name === 'webhook_base') return base;
  const step = /^:([\w-]{1,128})$/.exec(rest)?.[1];
  return name !== 'webhook_url' || step === undefined
    ? undefined
    : `${base}/${step}/${uuid(`webhook ${step}`)}`;
}

function inside(value: unknown, path: string): unknown {
  if (path === '' || value === undefined) return value;
  const found = firstAt(value, path.replace(/^\./, ''));
  return found.present ? found.value : undefined;
}

function moment(startedAt: number, offset: string): string {
  const match = /^([+-])(\d+)([mhd])$/.exec(offset);
  const minutes = match === null ? 0 : Number(`${match[1]}${match[2]}`) * (MINUTES[match[3] ?? ''] ?? 0);
  return new Date(startedAt + minutes * 60_000).toISOString();
}

/** The form of a random UUID (RFC 9562, version 4), from a hash. */
function uuidFrom(text: string): string {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * The request of a step: placeholders filled, a fresh idempotency key, and the sandbox named wherever a task that
 * changes something names an account.
 */
export function fillRequest(step: Step, label: string, context: Context, run: RunValues): BuiltRequest {
  const sample = suited(step.request, step.expectsError ? inError(step, run) : run);
  const { value, missing } = fill(sample, context, run);
  const filled = withInputs(step, value as JsonObject, context);
  const keyed = withKey(step, filled, label, context);
  return { payload: isMutating(step.task) ? inSandbox(keyed, run.testKit.account) : keyed, missing };
}

/** A sample that has to be refused keeps its dates, and names the run's operator only where it does not play another one. */
function inError({ request }: Step, { startedAt, operator, callers = [] }: RunValues): Occasion {
  const named = operatorsIn(request);
  const isCaller = callers.length === 0 || named.every((one) => callers.includes(one));
  return { startedAt, ...(operator !== undefined && isCaller && { operator }) };
}

/** What an earlier step kept, put where the step wants it; nothing where nothing was kept. */
function withInputs({ inputs }: Step, payload: JsonObject, { values, conventional }: Context): JsonObject {
  return inputs.reduce((whole, { name, path }) => {
    const kept = values.get(name) ?? conventional.get(name);
    const steps = parsePath(path) ?? [];
    return kept === undefined || steps.length === 0 ? whole : (putAt(whole, steps, kept) as JsonObject);
  }, payload);
}

/**
 * A key that stands in the file is the same in every run, and the second run would be a replay of the first: it becomes
 * another one, the same for the same text, so that a storyboard can repeat a request on purpose.
 */
function withKey(step: Step, payload: JsonObject, label: string, context: Context): JsonObject {
  if (step.omitKey) {
    const { idempotency_key: _, ...rest } = payload;
    return rest;
  }
  const written = step.request.idempotency_key;
  if (written === undefined)
    return isMutating(step.task) && step.task !== TEST_CONTROLLER
      ? { ...payload, idempotency_key: context.uuid(`step ${label}`) }
      : payload;
  const fixed = typeof written === 'string' && written !== '' && placeholdersIn(written).length === 0;
  return fixed ? { ...payload, idempotency_key: context.uuid(`key ${written}`) } : payload;
}
