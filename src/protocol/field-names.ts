import { elements, isObject, type JsonObject } from '../base/json.ts';
import { type TaskName, taskNamed } from './tasks.ts';
import { VOCABULARY_NAMES, type VocabularyName } from './vocabulary.ts';

/** One member that the two vocabularies call differently, or say with other values. */
interface FieldName {
  /** The member whose object, or whose list's objects, have it; `''` for the request or the answer itself. */
  readonly of: string;
  readonly proto: string;
  readonly adcp: string;
  /** Tasks in which it is so; default: all. */
  readonly tasks?: readonly TaskName[];
  /** Our values by the public ones that they are said as; of several the first is meant when it is read. */
  readonly values?: Readonly<Record<string, string>>;
}

const { proto, adcp } = VOCABULARY_NAMES;

/** Both have many channels in common; these are ours alone. */
const CHANNELS = { audio: 'streaming_audio', display: 'display', native: 'display' } as const;

/** Which names mean the same, down to the fields. What the two say in different shapes is the dialect's of whoever speaks. */
// biome-ignore format: one name a line
const FIELD_NAMES: readonly FieldName[] = [
  { of: '', proto: proto.section, adcp: adcp.section, tasks: ['get_proto_capabilities'] },
  { of: '', proto: proto.versionKey, adcp: adcp.versionKey },
  { of: '', proto: proto.majorVersionKey, adcp: adcp.majorVersionKey },
  { of: 'creative', proto: 'supported_formats', adcp: 'formats_supported', tasks: ['get_proto_capabilities'] },
  { of: 'account', proto: 'supported_billing', adcp: 'supported_billing', tasks: ['get_proto_capabilities'], values: { brand: 'advertiser' } },
  { of: 'portfolio', proto: 'primary_channels', adcp: 'primary_channels', values: CHANNELS },
  { of: 'accounts', proto: 'billing', adcp: 'billing', values: { brand: 'advertiser' } },
  { of: 'accounts', proto: 'status', adcp: 'status', values: { pending_review: 'pending_approval', information_needed: 'pending_approval' } },
  { of: 'accounts', proto: 'spend_limit', adcp: 'credit_limit' },
  { of: '', proto: 'status', adcp: 'status', tasks: ['list_accounts'], values: { pending_review: 'pending_approval' } },
  { of: 'products', proto: 'channels', adcp: 'channels', values: CHANNELS },
  { of: 'filters', proto: 'channels', adcp: 'channels', tasks: ['get_products'], values: CHANNELS },
  { of: 'pricing_options', proto: 'model', adcp: 'pricing_model', tasks: ['get_products'] },
  { of: 'pricing_options', proto: 'price', adcp: 'fixed_price', tasks: ['get_products'] },
  { of: 'pricing_options', proto: 'min_spend', adcp: 'min_spend_per_package', tasks: ['get_products'] },
  { of: 'refinement_applied', proto: 'note', adcp: 'notes' },
  { of: 'refinement_applied', proto: 'status', adcp: 'status', values: { not_applied: 'unable' } },
  { of: '', proto: 'creative', adcp: 'creative_manifest', tasks: ['preview_creative'] },
  { of: '', proto: 'governance_approval', adcp: 'governance_context' },
  { of: '', proto: 'decision', adcp: 'status', tasks: ['check_governance'], values: { approved: 'approved', approved_with_conditions: 'conditions', denied: 'denied', escalated: 'denied' } },
  { of: '', proto: 'reason', adcp: 'explanation', tasks: ['check_governance'] },
  { of: 'findings', proto: 'message', adcp: 'explanation', tasks: ['check_governance'] },
  { of: 'findings', proto: 'severity', adcp: 'severity', tasks: ['check_governance'], values: { error: 'critical' } },
  { of: 'plans', proto: 'action', adcp: 'status', tasks: ['sync_plans'], values: { created: 'active', updated: 'active', unchanged: 'active', failed: 'error' } },
  { of: '', proto: 'accepted', adcp: 'success', tasks: ['provide_performance_feedback'] },
  { of: 'filters', proto: 'signal_types', adcp: 'catalog_types', tasks: ['get_signals'] },
  { of: 'filters', proto: 'max_price', adcp: 'max_cpm', tasks: ['get_signals'] },
  { of: 'pricing_options', proto: 'model', adcp: 'model', tasks: ['get_signals'], values: { flat_monthly: 'flat_fee' } },
  { of: 'pricing_options', proto: 'model', adcp: 'model', tasks: ['get_rights'], values: { flat_monthly: 'flat_rate' } },
  { of: '', proto: 'brand', adcp: 'buyer_brand', tasks: ['get_rights'] },
  { of: '', proto: 'brand', adcp: 'buyer', tasks: ['acquire_rights'] },
  { of: 'rights', proto: 'rights_type', adcp: 'right_type', values: { talent: 'talent', voice: 'talent', artwork: 'stock_media' } },
  { of: 'campaign', proto: 'impressions', adcp: 'estimated_impressions' },
];

/** Not looked into: they are their sender's own, or another request. */
const OPAQUE: ReadonlySet<string> = new Set(['context', 'ext', 'payload', 'details']);

/**
 * A request or an answer of a task with what it says in the other vocabulary said in this one too. A member that
 * stands there already is kept as it is; values of members that both call the same are those of `to`.
 */
export function withNamesOf(to: VocabularyName, task: TaskName, payload: JsonObject): JsonObject {
  return named(to, Map.groupBy(namesIn(task), placeOf), '', payload) as JsonObject;
}

/** A request as the public protocol names its own members. One that stands there under a public name goes first. */
export function inPublicNames(task: TaskName, request: JsonObject): JsonObject {
  const said: Record<string, unknown> = { ...request };
  for (const { of, proto: own, adcp: other } of namesIn(task)) {
    if (of !== '' || own === other || said[own] === undefined) continue;
    // A check has no approval there: the same name means what an earlier check gave.
    if (task === 'check_governance') continue;
    said[other] ??= said[own];
    delete said[own];
  }
  return said;
}

type Names = ReadonlyMap<string, readonly FieldName[]>;
const placeOf = ({ of }: FieldName): string => of;

function namesIn(task: TaskName): readonly FieldName[] {
  return FIELD_NAMES.filter(({ tasks }) => tasks === undefined || tasks.includes(task));
}

function named(to: VocabularyName, names: Names, of: string, value: unknown, levels = 256): unknown {
  const below = (name: string, item: unknown) =>
    OPAQUE.has(name) ? item : named(to, names, name, item, levels - 1);
  if (Array.isArray(value) && levels > 0) return value.map((item: unknown) => below(of, item));
  if (!isObject(value) || levels === 0) return value; // no answer is deeper (calling/limits.ts)
  const own = Object.entries(value).map(([name, item]) => [name, below(name, item)] as const);
  const from = to === 'proto' ? 'adcp' : 'proto';
  const said: Record<string, unknown> = Object.fromEntries(own);
  for (const name of names.get(of) ?? []) {
    const [source, target] = [name[from], name[to]];
    const kept = source !== target && said[target] !== undefined;
    if (said[source] !== undefined && !kept) said[target] = valueIn(to, name, said[source]);
  }
  return said;
}

function valueIn(to: VocabularyName, { values = {} }: FieldName, value: unknown): unknown {
  if (Array.isArray(value))
    return [...new Set(value.map((item: unknown) => valueIn(to, { values } as FieldName, item)))];
  if (typeof value !== 'string') return value;
  if (to === 'adcp') return Object.hasOwn(values, value) ? values[value] : value;
  return Object.entries(values).find(([, said]) => said === value)?.[0] ?? value;
}

/**
 * An answer as our schemas and types have it, whichever vocabulary its agent speaks: what it says in the public one is
 * said in ours. Where both have one name for different things, it is what ours means.
 */
export function inOwnNames(task: TaskName, answer: JsonObject): JsonObject {
  const own = withNamesOf('proto', task, answer);
  return { ...own, ...ADDED[task]?.(own), ...CHANGED[task]?.(own) };
}

/** An answer whose members can be asked for by the names of either vocabulary: nothing that it says is changed. */
export function inEitherName(name: string, answer: JsonObject): JsonObject {
  const task = taskNamed(name);
  if (task === undefined) return answer;
  const names = namesIn(task).filter((one) => one.proto !== one.adcp);
  const own = named('proto', Map.groupBy(names, placeOf), '', answer) as JsonObject;
  return { ...own, ...ADDED[task]?.(own) };
}

type Shapes = Partial<Record<TaskName, (answer: JsonObject) => JsonObject>>;

/** What the public protocol says in another shape under another name. */
const ADDED: Shapes = {
  build_creative: ({ creative_manifest: one, creative_manifests: several }) =>
    several === undefined && one !== undefined ? { creative_manifests: [one] } : {},
  activate_signal: ({ activations, deployments }) =>
    activations === undefined && deployments !== undefined
      ? { activations: elements(deployments).filter(isObject).map(activationOf) }
      : {},
};

/** What it says in another shape under the same name. */
const CHANGED: Shapes = {
  create_media_buy: withTotal,
  update_media_buy: withTotal,
  check_governance: withConditions,
  get_plan_audit_logs: withAudit,
};

/** The total is an amount there, and its currency stands beside it; changed packages are told whole. */
function withTotal({ total_budget: total, currency, affected_packages: affected }: JsonObject): JsonObject {
  return {
    ...(typeof total === 'number' && { total_budget: { amount: total, currency } }),
    ...(Array.isArray(affected) && {
      affected_packages: affected.map((one: unknown) => (isObject(one) ? one.package_id : one)),
    }),
  };
}

/** A condition there is an object with its reason; here it is the sentence. */
function withConditions({ conditions }: JsonObject): JsonObject {
  if (!Array.isArray(conditions)) return {};
  return { conditions: conditions.map((one: unknown) => (isObject(one) ? one.reason : one)) };
}

/** Plans there say what was spent and hold their entries; here the log is one, and plans say whether it is whole. */
function withAudit({ plans, entries }: JsonObject): JsonObject {
  const told = elements(plans).filter(isObject);
  if (told.length === 0 || told.some(({ intact }) => intact !== undefined)) return {};
  const own = told.flatMap((plan) => elements(plan.entries).filter(isObject));
  return {
    plans: undefined,
    ...(entries === undefined && {
      entries: own.map(({ caller, status, type, ...entry }) => ({
        actor: caller ?? '',
        action: status ?? type,
        ...entry,
      })),
    }),
  };
}

function activationOf({
  is_live: live,
  activation_key: key,
  estimated_activation_duration_minutes: minutes,
  deployed_at: at,
  ...place
}: JsonObject): JsonObject {
  return {
    ...place,
    status: live === true ? 'active' : 'pending',
    ...(isObject(key) && { activation_key: key.segment_id ?? key.value }),
    ...(minutes !== undefined && { estimated_minutes: minutes }),
    ...(at !== undefined && { activated_at: at }),
  };
}
