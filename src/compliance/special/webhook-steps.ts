import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type { HeardWebhook } from '../../ports/webhook-listener.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import type { CheckResult, Skip } from '../step-result.ts';
import type { Step } from '../storyboard.ts';
import { matching, owesWebhook, type WebhookExpectation } from './webhook-expectation.ts';

/** Of a key (core/mcp-webhook-payload.json). */
const KEY = /^[A-Za-z0-9_.:-]{16,255}$/;
const SIGNED = ['verified', 'refused'];

/**
 * Holds what came against a step. `trigger` is the answer of the step that asked for webhooks: one that was final owes
 * none, so silence says nothing then.
 */
export function judgeWebhooks(
  step: Step,
  expectation: WebhookExpectation,
  came: readonly HeardWebhook[],
  trigger: JsonObject,
  schemas?: SchemaSet,
): readonly CheckResult[] | Skip {
  const deliveries = matching(expectation, came);
  if (deliveries.length === 0) {
    if (!owesWebhook(trigger) && came.length === 0)
      return {
        reason: 'not_applicable',
        detail: 'the operation completed synchronously, so no webhook is required',
        coverage_gap: false,
      };
    const told = came.length === 0 ? 'no webhook received' : 'no webhook received that matches the filter';
    return [fail('webhook_received', told, 'a webhook', came.length === 0 ? undefined : came[0]?.body)];
  }
  const received = pass('webhook_received', `${deliveries.length} deliveries received`);
  const isOfSignature = expectation.task === 'expect_webhook_signature_valid';
  const wantsAll = isOfSignature || step.more.verify_signature_on_every_delivery === true;
  if (wantsAll && deliveries.some(({ signature }) => signature.state === 'unknown'))
    return keysUnknown(deliveries);
  if (isOfSignature) return [received, ...deliveries.map(signatureCheck)];
  if (expectation.task === 'expect_webhook_retry_keys_stable')
    return [received, ...stability(step, deliveries), ...signedRetries(step, deliveries)];
  return [
    received,
    ...(step.more.expect_idempotency_key === false ? [] : [keyCheck(deliveries)]),
    ...payloadChecks(step, deliveries, schemas),
    ...mostEvents(step, deliveries),
  ];
}

function keysUnknown(deliveries: readonly HeardWebhook[]): Skip {
  const why = deliveries.find(({ signature }) => signature.state === 'unknown')?.signature.detail;
  return {
    reason: 'requirement_unmet',
    detail: `the webhook keys of the agent could not be loaded: ${why ?? 'no key set is known'}`.slice(
      0,
      300,
    ),
    coverage_gap: true,
  };
}

function keyOf({ body }: HeardWebhook): unknown {
  return member(body, 'idempotency_key');
}

function keyCheck(deliveries: readonly HeardWebhook[]): CheckResult {
  const wrong = deliveries.find((one) => !KEY.test(String(keyOf(one) ?? '')));
  if (wrong === undefined) return pass('idempotency_key', 'each webhook has an idempotency_key');
  const key = keyOf(wrong);
  const told = key === undefined ? 'a webhook has no idempotency_key' : 'an idempotency_key is malformed';
  return { ...fail('idempotency_key', told, String(KEY), key), pointer: '/idempotency_key' };
}

function payloadChecks(
  { more: { webhook_payload_schema_ref: named } }: Step,
  deliveries: readonly HeardWebhook[],
  schemas?: SchemaSet,
): readonly CheckResult[] {
  if (typeof named !== 'string') return [];
  const path = schemas?.find(named);
  if (path === undefined || schemas === undefined)
    return [{ check: 'webhook_schema', result: 'not_applicable', message: `no schema for ${named}` }];
  const bodies = deliveries.map(({ body }) => (isObject(body) ? body : {}));
  const issue = bodies.flatMap(
    (body) => elements(schemas.check(path, body)) as { pointer: string; message: string }[],
  )[0];
  if (issue === undefined) return [pass('webhook_schema', `each webhook matches ${path}`)];
  const told = `${issue.pointer || 'the webhook'} ${issue.message}`;
  return [{ ...fail('webhook_schema', told, path, bodies[0]), pointer: issue.pointer }];
}

/** A repetition of one event has its key; another key is another event. */
function mostEvents({ more }: Step, deliveries: readonly HeardWebhook[]): readonly CheckResult[] {
  const most = Number(more.expect_max_deliveries_per_logical_event);
  if (!Number.isInteger(most)) return [];
  const events = new Set(deliveries.map((one) => JSON.stringify(keyOf(one)))).size;
  if (events <= most) return [pass('webhook_events', `${events} event reported, at most ${most} expected`)];
  return [fail('webhook_events', 'more events were reported than occurred', most, events)];
}

function stability({ more }: Step, deliveries: readonly HeardWebhook[]): readonly CheckResult[] {
  const least = Number(more.expect_min_deliveries ?? 2);
  const first = deliveries[0];
  const again = deliveries.filter((one) => first !== undefined && isSameEvent(one, first));
  const keys = new Set(again.map((one) => JSON.stringify(keyOf(one) ?? null)));
  return [
    again.length >= least
      ? pass('webhook_retries', `delivered ${again.length} times`)
      : fail('webhook_retries', 'a rejected delivery was not retried', `${least} deliveries`, again.length),
    keyCheck(again),
    keys.size === 1
      ? pass('webhook_key_stable', 'all retries have the same idempotency_key')
      : fail('webhook_key_stable', 'a retry has a different idempotency_key', 'one key', [...keys]),
  ];
}

/** Two deliveries of what is otherwise the same: whoever makes a new key for a repetition must not get away with it. */
function isSameEvent({ body: one }: HeardWebhook, { body: other }: HeardWebhook): boolean {
  if (member(one, 'idempotency_key') === member(other, 'idempotency_key')) return true;
  const told = ['event', 'status', 'sequence', 'task_id'].filter((name) => member(one, name) !== undefined);
  return told.length > 0 && told.every((name) => member(one, name) === member(other, name));
}

/**
 * A nonce of a repetition that was used before is a fault too, whatever the key says. An agent may declare that it signs
 * none; one that signs has to sign each, and where the storyboard says so every agent.
 */
function signedRetries({ more }: Step, deliveries: readonly HeardWebhook[]): readonly CheckResult[] {
  const wanted = more.verify_signature_on_every_delivery;
  if (wanted === false) return [];
  const signs = wanted === true || deliveries.some(({ signature: { state } }) => SIGNED.includes(state));
  const known = deliveries.filter(({ signature: { state } }) => wanted === true || state !== 'unknown');
  return signs ? known.map(signatureCheck) : [];
}

function signatureCheck({ signature }: HeardWebhook): CheckResult {
  const { state, code, detail, keyid } = signature;
  if (state === 'verified')
    return pass('webhook_signature', `the signature by ${keyid ?? 'the key'} is valid`);
  if (state === 'legacy')
    return {
      check: 'webhook_signature',
      result: 'not_applicable',
      message: 'signed with a shared secret',
    };
  const told = state === 'none' ? 'the webhook is not signed' : `invalid signature: ${detail ?? ''}`;
  return fail('webhook_signature', told, 'an RFC 9421 signature', code);
}

function pass(check: string, message: string): CheckResult {
  return { check, result: 'pass', message };
}

function fail(check: string, message: string, expected: unknown, actual?: unknown): CheckResult {
  return { check, result: 'fail', message, expected, ...(actual !== undefined && { actual }) };
}
