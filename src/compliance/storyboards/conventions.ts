import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import { firstAt } from '../json-path.ts';

/**
 * Names that storyboards of the public bundle refer to and no step of theirs provides: what the answer of each task is
 * known by, and where it stands. A value that a step keeps by its own `context_outputs` comes before them.
 */
const BY_TASK: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sync_accounts: { account_id: 'accounts[0].account_id', account_status: 'accounts[0].status' },
  list_accounts: { account_id: 'accounts[0].account_id' },
  get_products: {
    products: 'products',
    product_id: 'products[0].product_id',
    pricing_option_id: 'products[0].pricing_options[0].pricing_option_id',
    proposal_id: 'proposals[0].proposal_id',
  },
  create_media_buy: { media_buy_id: 'media_buy_id', media_buy_status: 'status' },
  update_media_buy: { media_buy_id: 'media_buy_id', media_buy_status: 'status' },
  get_media_buys: { media_buy_id: 'media_buys[0].media_buy_id', media_buy_status: 'media_buys[0].status' },
  list_creative_formats: { formats: 'formats', format_id: 'formats[0].format_id' },
  build_creative: { creative_manifest: 'creative_manifest', format_id: 'creative_manifest.format_id' },
  sync_creatives: { creative_results: 'creatives' },
  list_creatives: { creatives: 'creatives', creative_id: 'creatives[0].creative_id' },
  preview_creative: { previews: 'previews' },
  get_signals: { signals: 'signals', signal_id: 'signals[0].signal_id' },
  activate_signal: { deployments: 'deployments', activation_key: 'deployments[0].activation_key' },
  sync_catalogs: { catalogs: 'catalogs', catalog_id: 'catalogs[0].catalog_id' },
  sync_audiences: { audiences: 'audiences', audience_id: 'audiences[0].audience_id' },
  sync_event_sources: { event_source_id: 'event_sources[0].event_source_id' },
  si_initiate_session: { session_id: 'session_id' },
  si_get_offering: { offering_id: 'offerings[0].offering_id' },
  sync_plans: { plan_id: 'plans[0].plan_id' },
  create_property_list: { property_list_id: 'list.list_id', property_list_name: 'list.name' },
  create_content_standards: { content_standards_id: 'standards_id' },
  get_rights: { rights_id: 'rights[0].rights_id' },
  acquire_rights: { rights_grant_id: 'rights_grant_id', rights_id: 'rights_id' },
  check_governance: {
    governance_context: 'governance_context',
    check_id: 'check_id',
    plan_id: 'plan_id',
    governance_status: 'status',
  },
  report_plan_outcome: { outcome_id: 'outcome_id', outcome_status: 'status' },
};

/** The names that an answer of this task provides. */
export function conventionalNames(task: string): readonly string[] {
  return Object.keys(BY_TASK[task] ?? {});
}

/** Where an answer of this task has the value of that name; undefined when it provides none. */
export function conventionalPath(task: string, name: string): string | undefined {
  return BY_TASK[task]?.[name];
}

/** Those of them that stand in this answer. */
export function conventionalValues(task: string, payload: JsonObject): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, path] of Object.entries(BY_TASK[task] ?? {})) {
    const { present, value } = firstAt(payload, path);
    if (present && value !== null) found.set(name, value);
  }
  return found;
}

const DAY_MS = 86_400_000;
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/;

/** The run that a sample is sent in. */
export interface Occasion {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Of the bundle, where it says so. */
  readonly madeAt?: number;
  /** Whom the token acts for, where whoever checks says so. */
  readonly operator?: string;
}

/** A sample as this run can send it: its dates still lie ahead, and its accounts name whom the token acts for. */
export function suited(request: JsonObject, { startedAt, madeAt, operator }: Occasion): JsonObject {
  const timely = madeAt === undefined ? request : renewed(request, madeAt, startedAt);
  if (operator === undefined) return timely;
  const named = (account: unknown) =>
    isObject(account) && typeof account.operator === 'string' ? { ...account, operator } : account;
  const { account, accounts } = timely;
  return {
    ...timely,
    ...(account !== undefined && { account: named(account) }),
    ...(Array.isArray(accounts) && { accounts: accounts.map(named) }),
  };
}

/** Whom the accounts of a sample name as operators. */
export function operatorsIn({ account, accounts }: JsonObject): readonly string[] {
  const operators = [account, ...elements(accounts)].map((one) => member(one, 'operator'));
  return operators.filter((operator) => typeof operator === 'string');
}

/**
 * The same request with its dates as far ahead as they were when the bundle was made, by whole days: all that lay ahead
 * then, where one of them is past by now. What was past then is meant to be.
 */
function renewed(request: JsonObject, madeAt: number, now: number): JsonObject {
  const ahead: number[] = [];
  const look = (value: unknown): void => {
    const at = momentOf(value);
    if (at !== undefined && at > madeAt) ahead.push(at);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(look);
  };
  look(request);
  if (!ahead.some((at) => at < now)) return request;
  const shift = Math.ceil((now - madeAt) / DAY_MS) * DAY_MS;
  const move = (value: unknown): unknown => {
    const at = momentOf(value);
    if (at !== undefined && at > madeAt)
      return new Date(at + shift)
        .toISOString()
        .replace('.000Z', 'Z')
        .slice(0, String(value).length === 10 ? 10 : 24);
    if (Array.isArray(value)) return value.map(move);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, move(item)]));
  };
  return move(request) as JsonObject;
}

function momentOf(value: unknown): number | undefined {
  const at = typeof value === 'string' && MOMENT.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
