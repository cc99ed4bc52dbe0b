import { isObject, type JsonObject, withNamesOf } from '@agent-registry/surface/agent-kit';
import type { AgentSpec } from '../agents/agent.ts';
import type { OutgoingWebhooks } from '../reference/handler.ts';
import { REPORTED } from '../reference/media-buys/reports.ts';
import { publicAccount } from './accounts.ts';
import { licenceAnswer } from './brands.ts';
import { publicReport, publicTotal } from './media-buys.ts';
import { deploymentOf } from './signals.ts';
import { withItems } from './wire.ts';

/** The task whose outcome an event is, by the first word of the event. */
const TASKS: Readonly<Record<string, { readonly task: string; readonly protocol: string }>> = {
  media_buy: { task: 'create_media_buy', protocol: 'media-buy' },
  account: { task: 'sync_accounts', protocol: 'media-buy' },
  signal: { task: 'activate_signal', protocol: 'signals' },
  rights: { task: 'acquire_rights', protocol: 'brand' },
};

/** Webhooks in the envelope of the public protocol; what happened stands whole under `result`, and beside it as ours. */
export function publicWebhooks(queue: OutgoingWebhooks, spec: AgentSpec): OutgoingWebhooks {
  return {
    add: (webhook) => queue.add({ ...webhook, payload: publicWebhook(webhook.url, webhook.payload, spec) }),
  };
}

function publicWebhook(url: string, payload: JsonObject, spec: AgentSpec): JsonObject {
  if (payload.event === REPORTED) return reportWebhook(url, payload);
  const { event, status, occurred_at: at, media_buy: buy, ...rest } = payload;
  const { task, protocol } =
    TASKS[String(event).split('.')[0] ?? ''] ?? (TASKS.media_buy as (typeof TASKS)[string]);
  return {
    ...payload,
    operation_id: payload.operation_id ?? operationIn(url),
    // a receiver takes one outcome of a task: each event is a task of its own, and `result` says of what
    task_id: String(payload.idempotency_key),
    task_type: task,
    protocol,
    timestamp: at,
    status: 'completed',
    result: {
      ...(isObject(buy) && { ...buy, ...publicTotal(buy) }),
      ...answerOf(rest, spec),
      ...resultOf(rest),
      ...(status !== undefined && { status }),
    },
  };
}

/**
 * The text of 3.0 has a report as the answer of get_media_buy_delivery with members for webhooks alone: that stands at the
 * root. Its envelope is for the address of `push_notification_config`, and names no task for a report. The field's clients
 * read reports in the envelope all the same, under a name of their own: so its members stand beside the report.
 */
function reportWebhook(
  url: string,
  { idempotency_key: key, operation_id: operation, token, occurred_at: at, ...report }: JsonObject,
): JsonObject {
  const told = publicReport(report);
  return {
    ...told,
    idempotency_key: key,
    operation_id: operation ?? operationIn(url),
    task_id: String(key),
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    timestamp: at,
    status: 'completed',
    ...(token !== undefined && { token }),
    result: told,
  };
}

/** What happened to an account, an activation or a licence as the answer of its task says it. */
function answerOf({ account, activation, acquisition }: JsonObject, spec: AgentSpec): JsonObject {
  if (isObject(account)) {
    const answer = { accounts: [{ ...account, action: 'updated' }] };
    return withItems(withNamesOf('adcp', 'sync_accounts', answer), 'accounts', publicAccount);
  }
  if (isObject(acquisition)) return licenceAnswer(acquisition, {}, { agent: { spec } });
  return isObject(activation) ? { deployments: [deploymentOf(activation)] } : {};
}

const ENVELOPE = ['idempotency_key', 'operation_id', 'token', 'agent_url', 'sequence', 'context', 'ext'];

function resultOf(rest: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !ENVELOPE.includes(name)));
}

/** Line 3.0 has no member for the buyer's own id of the operation: its clients put it last in the address. */
function operationIn(url: string): string {
  return (
    URL.parse(url)
      ?.pathname.split('/')
      .findLast((step) => step !== '') ?? 'webhook'
  );
}
