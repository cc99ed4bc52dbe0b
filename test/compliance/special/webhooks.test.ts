import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import { expectationOf, windowOf } from '../../../src/compliance/special/webhook-expectation.ts';
import { judgeWebhooks } from '../../../src/compliance/special/webhook-steps.ts';
import type { CheckResult, Skip } from '../../../src/compliance/step-result.ts';
import { allSteps } from '../../../src/compliance/storyboard.ts';
import type { DeliverySignature, HeardWebhook } from '../../../src/ports/webhook-listener.ts';
import { createSignatureGate } from '../../../src/signing/gate.ts';
import { fixedKeys } from '../../../src/signing/key-source.ts';
import { signMessage } from '../../../src/signing/sign.ts';
import { openRunReceiver } from '../../../src/webhooks/run-receiver.ts';
import { makeKey, replayMemory } from '../../signing/support.ts';
import { answered, resultsOf, runAt, startAgent, stepOf, withPhases } from '../support/runs.ts';

const clock = { now: () => Date.now() };
const KEY = 'key-0123456789abcdef';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listener() {
  const key = await makeKey('hooks', 'webhook-signing');
  const gate = createSignatureGate({
    ...({
      kind: 'webhook',
      keys: fixedKeys([key.public]),
      replays: replayMemory(),
      clock,
    } as const),
  });
  const receiver = await openRunReceiver({ port: 0, clock });
  closing.push(receiver.close);
  return { listener: receiver.open(gate).listener, key: key.signer };
}

interface Posted {
  readonly body: object;
  readonly signed?: boolean;
}

/** Runs one storyboard against an agent that posts these webhooks to the address of its order, one after the other. */
async function runWith(step: string, posts: readonly Posted[], status = 'submitted'): Promise<ComplianceRun> {
  const { listener: open, key } = await listener();
  const { url } = await startAgent({
    answer: (_task, { push_notification_config: config }) => {
      void post(String((config as { url: string }).url));
      return answered({ status, task_id: 't-1' });
    },
  });
  async function post(to: string): Promise<void> {
    for (const { body, signed } of posts) {
      const message = {
        method: 'POST',
        url: to,
        headers: [['content-type', 'application/json']] as const,
        body: new TextEncoder().encode(JSON.stringify(body)),
      };
      const now = Math.floor(Date.now() / 1_000);
      const sent =
        signed === true ? await signMessage(message, { kind: 'webhook', profile: '3.2', key, now }) : message;
      await fetch(to, {
        method: 'POST',
        headers: sent.headers.map(([a, b]) => [a, b] as [string, string]),
        body: Uint8Array.from(sent.body ?? []),
      });
    }
  }
  return runAt(url, [withPhases(ORDER + step)], { listener: open });
}

const ORDER = `  - id: p
    steps:
      - {id: order, task: create_media_buy, sample_request: {push_notification_config: {url: "{{runner.webhook_url:order}}"}}}
`;
const HOOK = `      - {id: hook, task: expect_webhook, triggered_by: order, timeout_seconds: 30}
`;
const event = (more: object = {}) => ({ idempotency_key: KEY, task_id: 't-1', status: 'completed', ...more });
const came = (body: object, signature: DeliverySignature = { state: 'none' }): HeardWebhook => ({
  ...{ at: 0, status: 200, body, signature },
});
const VERIFIED: DeliverySignature = { state: 'verified' };
const REFUSED: DeliverySignature = {
  state: 'refused',
  code: 'webhook_signature_replayed',
  detail: 'used before',
};

/** What a step of these members says of what came after an order with this status. */
function judged(members: string, deliveries: readonly HeardWebhook[], status = 'submitted'): string {
  const order = '{id: order, task: create_media_buy}';
  const steps = `  - id: p\n    steps: [{id: hook, triggered_by: order, ${members}}, ${order}]`;
  const [step] = allSteps(withPhases(steps));
  if (step === undefined) throw new Error('no step');
  const expectation = expectationOf(step, (step.more.filter ?? {}) as JsonObject);
  const verdict = judgeWebhooks(step, expectation, deliveries, { status });
  if (!Array.isArray(verdict)) return (verdict as Skip).reason;
  const failed = (verdict as CheckResult[]).filter(({ result }) => result === 'fail');
  return [...new Set(failed.map(({ check }) => check))].join(' ') || 'pass';
}

const EXPECT = 'task: expect_webhook';
const ONCE = `${EXPECT}, expect_max_deliveries_per_logical_event: 1`;
const RETRY = 'task: expect_webhook_retry_keys_stable, retry_trigger: {count: 1, http_status: 503}';
const EVERY = 'verify_signature_on_every_delivery';
const SIGNED = 'task: expect_webhook_signature_valid';
const other = { idempotency_key: randomUUID() };
const told = event({ result: { ids: ['a'] } });

describe('a step about webhooks', () => {
  it.each<[string, string, readonly HeardWebhook[], string]>([
    ['one that came', EXPECT, [came(event())], 'pass'],
    ['none where one is owed', EXPECT, [], 'webhook_received'],
    ['no key', EXPECT, [came({ status: 'completed' })], 'idempotency_key'],
    ['a key of another form', EXPECT, [came(event({ idempotency_key: 'short' }))], 'idempotency_key'],
    [
      'what its filter leaves out',
      `${EXPECT}, filter: {status: failed}`,
      [came(event())],
      'webhook_received',
    ],
    [
      'one that its filter finds',
      `${EXPECT}, filter: {status: completed, result.ids: [a]}`,
      [came(told)],
      'pass',
    ],
    ['one by the filter of the field', `${EXPECT}, filter: {body: {result.ids: [a]}}`, [came(told)], 'pass'],
    ['another one by it', `${EXPECT}, filter: {body: {result.ids: [b]}}`, [came(told)], 'webhook_received'],
    ['two events where one happened', ONCE, [came(event()), came(event(other))], 'webhook_events'],
    ['a repetition of one event', ONCE, [came(event()), came(event())], 'pass'],
    ['a repetition after a refusal', RETRY, [came(event()), came(event())], 'pass'],
    ['no repetition after a refusal', RETRY, [came(event())], 'webhook_retries'],
    ['a repetition with a new key', RETRY, [came(event()), came(event(other))], 'webhook_key_stable'],
    ['a repetition with an old nonce', RETRY, [came(event()), came(event(), REFUSED)], 'webhook_signature'],
    ['a repetition without a signature', RETRY, [came(event()), came(event())], 'pass'],
    ['one whose first was signed', RETRY, [came(event(), VERIFIED), came(event())], 'webhook_signature'],
    [
      'one that has to have it',
      `${RETRY}, ${EVERY}: true`,
      [came(event()), came(event())],
      'webhook_signature',
    ],
    [
      'one whose keys nobody has',
      `${RETRY}, ${EVERY}: true`,
      [came(event(), { state: 'unknown' })],
      'requirement_unmet',
    ],
    ['one that need not hold', `${RETRY}, ${EVERY}: false`, [came(event()), came(event(), REFUSED)], 'pass'],
    ['a good signature', SIGNED, [came(event(), VERIFIED)], 'pass'],
    ['no signature', SIGNED, [came(event())], 'webhook_signature'],
    ['keys that nobody has', SIGNED, [came(event(), { state: 'unknown' })], 'requirement_unmet'],
    ['a body that is no object', EXPECT, [came([] as object)], 'idempotency_key'],
  ])('judges %s', (_, members, deliveries, wanted) => {
    expect(judged(members, deliveries)).toBe(wanted);
  });

  it.each([
    ['expect_webhook', undefined, 30_000],
    ['expect_webhook_retry_keys_stable', undefined, 90_000],
    ['expect_webhook_retry_keys_stable', 5_000, 5_000],
    ['expect_webhook', 86_400_000, 300_000],
  ])('waits for %s, told %s ms, as long as the contract of the field does', (task, timeoutMs, wanted) => {
    expect(windowOf({ task, ...(timeoutMs !== undefined && { timeoutMs }) })).toBe(wanted);
  });

  it('says nothing where the operation was done at once, as no webhook is owed then', () => {
    expect(judged(EXPECT, [], 'completed')).toBe('not_applicable');
  });

  it.each<[string, string, readonly Posted[]]>([
    ['what came', HOOK, [{ body: event() }]],
    [
      'what came again',
      HOOK.replace('expect_webhook,', `${RETRY.slice(6)},`),
      [{ body: event() }, { body: event() }],
    ],
    [
      'who signed',
      HOOK.replace('expect_webhook,', 'expect_webhook_signature_valid,'),
      [{ body: event(), signed: true }],
    ],
  ])('hears from a real agent %s', async (_, yaml, posts) => {
    const hook = stepOf(await runWith(yaml, posts), 'hook');
    expect(hook).toMatchObject({ result: 'pass' });
  });

  it('is a gap that says so where no webhook receiver, and the order is not sent with an empty address', async () => {
    const { url, calls } = await startAgent({});
    const run = await runAt(url, [withPhases(ORDER + HOOK)]);
    expect(resultsOf(run)).toEqual(['order: requirement_unmet', 'hook: prerequisite_failed']);
    expect(stepOf(run, 'order')).toMatchObject({
      coverage_gap: true,
      skip_detail: expect.stringContaining('--webhooks'),
    });
    expect(calls.map(([task]) => task)).not.toContain('create_media_buy');
  });
});

describe('the receiver of a run', () => {
  it('takes nothing from whoever does not know its address, and keeps to its bounds', async () => {
    const { listener: open } = await listener();
    const { origin } = new URL(open.base);
    const id = randomUUID();
    const post = async (url: string, body = '{}') => (await fetch(url, { method: 'POST', body })).status;
    expect(await post(`${origin}/order/${id}`)).toBe(404);
    expect(await post(`${open.base}/order/${id}`, 'x'.repeat(300_000))).toBe(413);
    expect((await fetch(`${open.base}/order/${id}`)).status).toBe(405);
    const statuses = [];
    for (let count = 0; count < 41; count += 1)
      statuses.push(await post(`${open.base}/order/${id}`, '['.repeat(5_000)));
    expect(statuses.at(-1)).toBe(429);
    const all = await open.heard(id, () => true, 0);
    expect(all).toHaveLength(40);
    expect(typeof all[0]?.body).toBe('string');
  });

  it('keeps the webhooks of each run apart, on one port, and forgets a run that has ended', async () => {
    const receiver = await openRunReceiver({ port: 0, clock });
    closing.push(receiver.close);
    const [one, other] = [receiver.open(), receiver.open()];
    const id = randomUUID();
    const post = async (base: string) =>
      (await fetch(`${base}/order/${id}`, { method: 'POST', body: '1' })).status;
    expect(new URL(one.listener.base).origin).toBe(new URL(other.listener.base).origin);
    expect(await post(one.listener.base)).toBe(200);
    expect(await one.listener.heard(id, () => true, 0)).toMatchObject([{ body: 1 }]);
    expect(await other.listener.heard(id, () => true, 0)).toEqual([]);
    one.close();
    expect([await post(one.listener.base), await post(other.listener.base)]).toEqual([404, 200]);
  });

  it('names the port that it cannot have', async () => {
    const receiver = await openRunReceiver({ port: 0, clock });
    closing.push(receiver.close);
    const port = Number(new URL(receiver.open().listener.base).port);
    await expect(openRunReceiver({ port, clock })).rejects.toMatchObject({
      ...{ code: 'port_in_use', message: `port ${port} of 127.0.0.1 for webhooks is already in use` },
    });
  });
});
