import { isObject, problem } from '@agent-registry/surface/agent-kit';
import type { AgentSpec } from '../agents/agent.ts';
import { BROKEN_DOMAIN } from './broken-domain.ts';
import { type AgentFault, accepts, answers, inTask } from './fault.ts';
import * as task from './task-faults.ts';
import {
  ACCEPTS_ANY_SIGNATURE,
  HALF_A_DOCUMENT,
  insteadOf,
  SERVER_ERROR,
  TO_PRIVATE_ADDRESS,
  UNSIGNED_ACCEPTED,
} from './wire-faults.ts';

/** A reference agent with exactly one fault, and where a run of our storyboards has to see it. */
export interface BrokenAgent {
  /** The first label of its host: `no-replay` lives at `https://no-replay.broken.example/mcp`. */
  readonly name: string;
  readonly type: AgentSpec['type'];
  /** What is wrong with it, in a clause. */
  readonly does: string;
  readonly fault: AgentFault;
  /** `storyboard/phase/step check` for each step that has to fail, with its first check that does; everything else has to pass. */
  readonly fails: readonly string[];
  /** Storyboards that can only be skipped, as a coverage gap. */
  readonly gaps?: readonly string[];
  /** It says that it takes orders only when they are signed. */
  readonly signed?: true;
}

const CAPABILITIES = 'get_proto_capabilities';

/** A new one is its line here and its row in reference-agents/docs/broken-agents.md. */
// biome-ignore format: one agent a block
export const BROKEN_AGENTS: readonly BrokenAgent[] = [
  { name: 'no-replay', type: 'sales', does: 'does not mark an answer as a replay', fault: task.NO_REPLAY,
    fails: ['media_buy_idempotency/replay/same_order_again field_value'] },
  { name: 'second-effect', type: 'sales', does: 'creates a second media buy on a retry', fault: task.SECOND_EFFECT,
    fails: ['media_buy_idempotency/replay/same_order_again replay_equals'] },
  { name: 'changed-replay', type: 'sales', does: 'answers a retry with a different budget', fault: task.CHANGED_REPLAY,
    fails: ['media_buy_idempotency/replay/same_order_again replay_equals'] },
  { name: 'accepts-conflict', type: 'sales', does: 'accepts another order with a used idempotency key', fault: task.ACCEPTS_CONFLICT,
    fails: ['media_buy_idempotency/replay/other_order_same_key expect_error'] },
  { name: 'past-flight', type: 'sales', does: 'accepts flights in the past', fault: task.ACCEPTS_PAST_FLIGHT,
    fails: ['media_buy/refused/past_flight expect_error'] },
  { name: 'negative-budget', type: 'sales', does: 'accepts negative budgets', fault: task.ACCEPTS_NEGATIVE_BUDGET,
    fails: ['media_buy/refused/negative_budget expect_error'] },
  { name: 'zero-budget', type: 'sales', does: 'accepts budgets of 0', fault: task.ACCEPTS_ZERO_BUDGET,
    fails: ['media_buy/refused/zero_budget expect_error', 'sales_guaranteed/order/order_of_nothing expect_error', 'sales_non_guaranteed/order/order_of_nothing expect_error'] },
  { name: 'wrong-schema', type: 'sales', does: 'returns a string where the schema requires a list',
    fault: answers('list_authorized_properties', (data) => ({ ...data, publisher_domains: 'all of them' })),
    fails: ['media_buy_properties/properties/publishers response_schema'] },
  { name: 'error-without-code', type: 'sales', does: 'refuses without an error code', fault: task.ERROR_WITHOUT_CODE,
    fails: ['media_buy_products/refused/unknown_product error_code'] },
  { name: 'error-500', type: 'sales', does: 'answers HTTP 500 where it should refuse',
    fault: insteadOf('list_creative_formats', ({ type }) => typeof type === 'number', SERVER_ERROR),
    fails: ['media_buy_creatives/refused/formats_of_wrong_type expect_error'] },
  { name: 'garbage', type: 'sales', does: 'returns a truncated JSON document',
    fault: insteadOf('get_media_buy_delivery', ({ media_buy_ids: ids }) => String(ids).startsWith('mb_'), HALF_A_DOCUMENT),
    fails: ['media_buy_reporting/delivery/delivery_of_one expect_success'] },
  { name: 'hangs', type: 'sales', does: 'never answers one task', fault: task.HANGS,
    fails: ['media_buy_properties/properties/publishers expect_success'] },
  { name: 'ten-megabytes', type: 'sales', does: 'returns ten megabytes', fault: task.TEN_MEGABYTES,
    fails: ['media_buy_accounts/list/list_accounts expect_success'] },
  { name: 'bottomless', type: 'sales', does: 'returns deeply nested lists', fault: task.BOTTOMLESS,
    fails: ['media_buy_properties/properties/publishers expect_success'] },
  { name: 'leads-inside', type: 'sales', does: 'redirects to a private address',
    fault: insteadOf('list_authorized_properties', ({ tags }) => tags === undefined, TO_PRIVATE_ADDRESS),
    fails: ['media_buy_properties/properties/publishers expect_success'] },
  { name: 'changing-products', type: 'sales', does: 'returns different products for the same brief', fault: task.CHANGING_PRODUCTS,
    fails: ['media_buy_products/brief/same_brief_again field_equals_context'] },
  { name: 'wrong-sums', type: 'sales', does: 'reports more spend than the sum of its packages', fault: task.WRONG_SUMS,
    fails: ['media_buy_reporting/delivery/delivery_of_one adds_up', 'media_buy_reporting/delivery/sums adds_up'] },
  { name: 'foreign-accounts', type: 'sales', does: 'lists the account of another buyer', fault: task.FOREIGN_ACCOUNTS,
    fails: ['media_buy_accounts/list/list_accounts own_account'] },
  { name: 'frozen-creatives', type: 'sales', does: 'never changes the status of a creative', fault: task.FROZEN_CREATIVES,
    fails: ['media_buy_creatives/review/approve field_value'] },
  { name: 'missing-task', type: 'sales', does: 'lists a task that it does not implement',
    fault: inTask('list_authorized_properties', async () => ({ ok: false, error: problem('UNKNOWN_TASK', 'this agent does not offer this task') })),
    fails: ['media_buy_properties/properties/publishers expect_success', 'media_buy_properties/properties/tags_of_wrong_type error_code'] },
  { name: 'open-accounts', type: 'sales', does: 'shows accounts to anonymous callers', fault: task.OPEN_ACCOUNTS,
    fails: ['authentication/no_credentials/accounts_without expect_error'] },
  { name: 'unsigned-webhooks', type: 'sales', does: 'declares that it posts unsigned webhooks',
    fault: answers(CAPABILITIES, (data) => ({ ...data, webhook_signing: { supported: false } })),
    fails: ['media_buy_webhooks/declared/signing field_value'] },
  { name: 'unsigned-accepted', type: 'sales', does: 'accepts unsigned orders although it requires signatures', fault: UNSIGNED_ACCEPTED, signed: true,
    fails: ['signed_requests/signatures/unsigned expect_error'] },
  { name: 'any-signature', type: 'sales', does: 'accepts any signature as valid', fault: ACCEPTS_ANY_SIGNATURE, signed: true,
    fails: ['signed_requests/signatures/changed expect_error', 'signed_requests/signatures/used_before expect_error'] },
  { name: 'script', type: 'sales', does: 'returns scripts and control characters in its messages',
    fault: answers('get_products', (data) => ({ ...data, message: '<script>alert(1)</script>\u001b[2J<img src=x onerror=alert(2)>' })),
    fails: [] },
  { name: 'any-version', type: 'creative', does: 'accepts every requested version',
    fault: accepts(CAPABILITIES, 'VERSION_UNSUPPORTED', () => ({})),
    fails: ['version_negotiation/refused/unknown_version expect_error'] },
  { name: 'forgets-context', type: 'creative', does: 'does not return the context',
    fault: answers(CAPABILITIES, ({ context: _context, ...data }) => data),
    fails: ['capability_discovery/capabilities/full_answer field_value'] },
  { name: 'always-valid', type: 'creative', does: 'accepts every creative as valid',
    fault: answers('validate_creative', () => ({ valid: true, problems: [] })),
    fails: ['creative/validation/without_assets field_value'] },
  { name: 'any-platform', type: 'signals', does: 'activates segments on unknown platforms', fault: task.ANY_PLATFORM,
    fails: ['signal_marketplace/activation/unknown_platform field_value', 'signal_owned/activation/unknown_platform field_value'] },
  { name: 'lenient-judge', type: 'governance', does: 'approves purchases over budget', fault: task.LENIENT_JUDGE,
    fails: ['governance/check/over_budget field_value', 'governance_spend_authority/authority/above field_value', 'governance_spend_authority/authority/beyond field_value'] },
  { name: 'any-brand', type: 'brand', does: 'returns another brand for an unknown one',
    fault: accepts('get_brand_identity', 'REFERENCE_NOT_FOUND', () => ({ brand: { domain: 'tidewater-kayaks.example' } })),
    fails: ['brand/refused/unknown_brand expect_error'] },
  { name: 'hollow-specialism', type: 'brand', does: 'declares a specialism without offering its tasks',
    fault: answers(CAPABILITIES, (data) => ({ ...data, specialisms: ['brand-rights'] })),
    fails: ['capability_discovery/declaration/declaration declared_tasks_offered'], gaps: ['brand_rights'] },
  { name: 'hollow-protocol', type: 'brand', does: 'declares a protocol without offering its tasks',
    fault: answers(CAPABILITIES, (data) => ({ ...data, supported_protocols: ['brand', 'signals'] })),
    fails: ['capability_discovery/declaration/declaration declared_tasks_offered'] },
  { name: 'no-idempotency', type: 'brand', does: 'does not declare whether it deduplicates retries',
    fault: answers(CAPABILITIES, ({ proto, ...data }) => ({ ...data, proto: withoutIdempotency(proto) })),
    fails: ['capability_discovery/declaration/declaration field_present'] },
  { name: 'real-money', type: 'signals', does: 'has no sandbox',
    fault: answers(CAPABILITIES, ({ account: _account, ...data }) => data),
    fails: [], gaps: ['authentication_changes', 'signals_accounts', 'signals_audiences', 'signal_marketplace', 'signal_owned'] },
  { name: 'unitless', type: 'measurement', does: 'declares a metric without a unit',
    fault: answers(CAPABILITIES, (data) => ({ ...data, measurement: { metrics: metricsIn(data.measurement).map(({ unit: _unit, ...metric }) => metric) } })),
    fails: ['measurement/metrics/metrics field_present'] },
];

/** Where a broken agent answers, over MCP. */
export function brokenUrl({ name }: Pick<BrokenAgent, 'name'>): string {
  return `https://${name}.${BROKEN_DOMAIN}/mcp`;
}

function withoutIdempotency(section: unknown): unknown {
  const { idempotency: _, ...rest } = isObject(section) ? section : {};
  return rest;
}

function metricsIn(section: unknown): readonly Record<string, unknown>[] {
  return isObject(section) && Array.isArray(section.metrics) ? section.metrics.filter(isObject) : [];
}
