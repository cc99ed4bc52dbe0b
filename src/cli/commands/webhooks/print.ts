import { member } from '../../../base/json.ts';
import { shortText } from '../../../domain/text.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import { subjectOf, type WebhookPayload } from '../../../webhooks/delivery.ts';
import type { Arrival } from '../../../webhooks/inbox.ts';
import type { WebhookRefusal } from '../../../webhooks/receiver.ts';
import { isWakeUp } from '../../../webhooks/wake-up.ts';
import { counted, listTable, note, printJson, printLine } from '../../output/print.ts';

/** One webhook as a line: for people, or as schemas/cli/webhooks-listen.json says. */
export function printArrival(arrival: Arrival, json: boolean): void {
  printLine(json ? JSON.stringify(arrivalJson(arrival)) : arrivalLine(arrival));
}

/** A subscription whose wake-ups come here from now on, as a line on stderr. */
export function printAgreement(subscriptionId: string): void {
  note(`accepted subscription ${text(subscriptionId)}`);
}

/** One refusal as a line on stderr. */
export function printRefusal({ status, code, detail }: WebhookRefusal): void {
  note(`refused with ${status}: ${code}: ${shortText(detail, 500) ?? ''}`);
}

function arrivalLine({ webhook, duplicate }: Arrival): string {
  const { payload, keyid, outOfOrder } = webhook;
  const marks = [duplicate ? 'duplicate' : '', outOfOrder ? 'out of order' : ''].filter(
    (mark) => mark !== '',
  );
  return [
    `verified by ${text(keyid)}: ${isWakeUp(payload) ? wakeUpText(payload) : newsText(payload)}`,
    ...(marks.length > 0 ? [`(${marks.join(', ')})`] : []),
  ].join(' ');
}

/** With the whole address of the feed, to be copied. */
function wakeUpText({ subscription_id: id, first_change_at: since, feed_url: feed }: WebhookPayload): string {
  return `notification of ${text(id)}, changes since ${text(since)}: ${clean(String(feed))}`;
}

function newsText(payload: WebhookPayload): string {
  const { previous_status: previous, sequence } = payload;
  const status = statusIn(payload);
  const change = previous === undefined ? text(status) : `${text(previous)} → ${text(status)}`;
  const numbered = sequence === undefined ? '' : `, sequence ${text(sequence)}`;
  return `${text(eventIn(payload))} of ${text(mediaBuyIn(payload) ?? subjectOf(payload))}, ${change}${numbered}`;
}

function arrivalJson({ webhook, duplicate }: Arrival) {
  const { sender, keyid, receivedAt, outOfOrder, payload } = webhook;
  return {
    received_at: new Date(receivedAt).toISOString(),
    sender,
    key_id: keyid,
    duplicate,
    out_of_order: outOfOrder,
    event: eventIn(payload),
    subject: subjectOf(payload),
    media_buy_id: mediaBuyIn(payload) ?? null,
    previous_status: payload.previous_status ?? null,
    status: resultIn(payload, 'status') ?? payload.status ?? null,
    sequence: payload.sequence ?? null,
    payload,
  };
}

function eventIn(payload: WebhookPayload): unknown {
  const { event, task_type: task } = payload;
  return isWakeUp(payload) ? 'wake_up' : (event ?? task);
}

function mediaBuyIn(payload: WebhookPayload): unknown {
  return payload.media_buy_id ?? resultIn(payload, 'media_buy_id');
}

/** In the envelope of the public protocol, the event is in `result`, and `status` is that of the task. */
function resultIn({ result }: WebhookPayload, name: string): unknown {
  const found = member(result, name);
  return typeof found === 'string' ? found : undefined;
}

/** The status of whatever it is about. */
function statusIn(payload: WebhookPayload): unknown {
  const { account, activation, acquisition } = payload;
  const status = resultIn(payload, 'status') ?? payload.status;
  const about = account ?? activation ?? acquisition;
  if (status !== undefined || typeof about !== 'object' || about === null) return status;
  return 'status' in about ? about.status : undefined;
}

/** A stranger's text must not move the cursor. */
function text(value: unknown): string {
  return shortText(String(value), 100) ?? '?';
}

/** A webhook with the agent that sends it. */
export interface OutboxRow {
  readonly agent: string;
  readonly delivery: Delivery;
}

const HEADINGS = ['webhook', 'state', 'tries', 'about', 'from and to', 'why'];

/** The JSON follows schemas/cli/webhooks.json. */
export function printOutbox(json: boolean, rows: readonly OutboxRow[]): void {
  if (json) printJson({ webhooks: rows.map(rowJson) });
  else if (rows.length === 0) printLine('no webhooks');
  else for (const line of listTable(HEADINGS, rows.map(rowCells))) printLine(line);
}

function rowCells({ agent, delivery }: OutboxRow): readonly string[] {
  return [
    delivery.id,
    delivery.state,
    counted(delivery.attempts, 'try'),
    clean(delivery.subject),
    `${agent} → ${shownUrl(delivery.url)}`,
    clean(reasonOf(delivery)),
  ];
}

function reasonOf({ state, lastError, dueAt }: Delivery): string {
  const next = state === 'pending' && dueAt !== undefined ? `next try ${iso(dueAt)}` : '';
  return [lastError ?? '', next].filter((part) => part !== '').join('; ');
}

function rowJson({ agent, delivery }: OutboxRow) {
  const time = (at: number | undefined) => (at === undefined ? null : iso(at));
  return {
    agent,
    id: delivery.id,
    state: delivery.state,
    url: shownUrl(delivery.url),
    subject: delivery.subject,
    attempts: delivery.attempts,
    replays: delivery.replays,
    added_at: iso(delivery.addedAt),
    first_attempt_at: time(delivery.firstAttemptAt),
    last_attempt_at: time(delivery.lastAttemptAt),
    next_attempt_at: time(delivery.dueAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
  };
}

/** Without a user name or a password, as the guard never sends to such a URL. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return clean(text);
  url.username = '';
  url.password = '';
  return url.href;
}

function clean(text: string): string {
  return shortText(text, 300) ?? '';
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
