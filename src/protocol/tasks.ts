import { member } from '../base/json.ts';
import type { TaskRequests } from './generated/types.ts';
import { CAPABILITIES_TASKS, VOCABULARY_NAMES } from './vocabulary.ts';

/** The folders of schemas/protocol (specification, 4.3; brand and protocol for the tasks that belong there). */
export const AREAS = [
  'account',
  'media-buy',
  'creative',
  'signals',
  'governance',
  'brand',
  'protocol',
] as const;
export type Area = (typeof AREAS)[number];

export type TaskName = keyof TaskRequests;

/** Which of a task's two schemas. */
export type SchemaKind = 'request' | 'response';

export interface ProtocolTask {
  readonly area: Area;
  /** True for a task that changes something and therefore needs an idempotency_key. */
  readonly mutating: boolean;
  /** True for a task that is not in the specification's list. */
  readonly extension: boolean;
}

/**
 * Every task of the protocol. The test controller changes things as well, but is a tool of tests: it needs no
 * idempotency_key and gives every call its effect.
 */
export const PROTOCOL_TASKS: Readonly<Record<TaskName, ProtocolTask>> = {
  get_proto_capabilities: reads('protocol'),
  sync_accounts: changes('account'),
  list_accounts: reads('account'),
  get_products: reads('media-buy'),
  list_creative_formats: reads('creative'),
  build_creative: changes('creative'),
  sync_creatives: changes('creative'),
  create_media_buy: changes('media-buy'),
  update_media_buy: changes('media-buy'),
  sync_audiences: changes('media-buy'),
  get_signals: reads('signals'),
  activate_signal: changes('signals'),
  check_governance: reads('governance'),
  get_plan_audit_logs: reads('governance'),
  get_media_buy_delivery: reads('media-buy'),
  log_event: changes('media-buy'),
  provide_performance_feedback: changes('media-buy'),
  sync_catalogs: changes('media-buy'),
  get_brand_identity: reads('brand'),
  get_rights: extension(reads('brand')),
  acquire_rights: extension(changes('brand')),
  sync_plans: extension(changes('governance')),
  list_authorized_properties: extension(reads('media-buy')),
  preview_creative: extension(reads('creative')),
  validate_creative: extension(reads('creative')),
  comply_test_controller: extension(reads('protocol')),
};

export const TASK_NAMES = Object.keys(PROTOCOL_TASKS) as readonly TaskName[];

/** The task of this name, in either vocabulary and with hyphens or underscores; undefined when there is none. */
export function taskNamed(name: string): TaskName | undefined {
  const plain = name.replaceAll('-', '_');
  const canonical = CAPABILITIES_TASKS.includes(plain) ? VOCABULARY_NAMES.proto.capabilitiesTask : plain;
  return Object.hasOwn(PROTOCOL_TASKS, canonical) ? (canonical as TaskName) : undefined;
}

/** The path of a task's schema inside a bundle, `media-buy/get_products-request.json` for example. */
export function schemaPath(task: TaskName, kind: SchemaKind): string {
  return `${PROTOCOL_TASKS[task].area}/${task}-${kind}.json`;
}

/**
 * The path of a schema as it is shipped, for one that may be spelt as the public protocol does:
 * `media-buy/get-products-request.json`, `core/format-id.json`.
 */
export function shippedPath(path: string): string {
  const match = /^([^/]+)\/(.+?)(-(?:request|response))?\.json$/.exec(path);
  if (match === null) return path;
  const [, area = '', name = '', kind = ''] = match;
  return `${area}/${(kind === '' ? undefined : taskNamed(name)) ?? name.replaceAll('-', '_')}${kind}.json`;
}

/** The tool by which a test puts an agent's sandbox into a state. */
export const TEST_CONTROLLER = 'comply_test_controller';

/** Names of tasks that only read: every such task of the public protocol begins like this. */
const READS = /^(?:(?:si_)?(?:get|list|check|validate|preview)_|tasks_(?:get|list)$)/;

/** Whether a task may change anything. An unknown task counts as mutating unless its name says that it reads. */
export function isMutating(task: string): boolean {
  const known = taskNamed(task);
  if (known === TEST_CONTROLLER) return true;
  if (known !== undefined) return PROTOCOL_TASKS[known].mutating;
  return !READS.test(task);
}

/**
 * Whether the same call may be sent twice: the task only reads, the payload carries an idempotency key, or the test
 * controller is to put its sandbox into a state, which a simulation does not.
 */
export function isRepeatable(task: string, payload: unknown): boolean {
  if (task === TEST_CONTROLLER) return !String(member(payload, 'scenario')).startsWith('simulate_');
  return !isMutating(task) || typeof member(payload, 'idempotency_key') === 'string';
}

function reads(area: Area): ProtocolTask {
  return { area, mutating: false, extension: false };
}

function changes(area: Area): ProtocolTask {
  return { area, mutating: true, extension: false };
}

function extension(task: ProtocolTask): ProtocolTask {
  return { ...task, extension: true };
}
