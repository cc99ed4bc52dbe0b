import { shortText } from '../../../domain/text.ts';
import { subjectOf, type WebhookPayload } from '../../../webhooks/delivery.ts';
import type { Arrival } from '../../../webhooks/inbox.ts';
import type { WebhookRefusal } from '../../../webhooks/receiver.ts';
import { note, printLine } from '../../output/print.ts';

/** One webhook as a line: for people, or as schemas/cli/webhooks-listen.json says. */
export function printArrival(arrival: Arrival, json: boolean): void {
  printLine(json ? JSON.stringify(arrivalJson(arrival)) : arrivalLine(arrival));
}

/** One refusal as a line on stderr. */
export function printRefusal({ status, code, detail }: WebhookRefusal): void {
  note(`refused with ${status}: ${code}: ${shortText(detail, 500) ?? ''}`);
}

function arrivalLine({ webhook, duplicate }: Arrival): string {
  const { payload, keyid, outOfOrder } = webhook;
  const { event, previous_status: previous, sequence } = payload;
  const status = statusIn(payload);
  const change = previous === undefined ? text(status) : `${text(previous)} → ${text(status)}`;
  const marks = [duplicate ? 'duplicate' : '', outOfOrder ? 'out of order' : ''].filter(
    (mark) => mark !== '',
  );
  return [
    `verified by ${text(keyid)}: ${text(event)} of ${text(payload.media_buy_id ?? subjectOf(payload))}, ${change}, sequence ${text(sequence)}`,
    ...(marks.length > 0 ? [`(${marks.join(', ')})`] : []),
  ].join(' ');
}

function arrivalJson({ webhook, duplicate }: Arrival) {
  const { sender, keyid, receivedAt, outOfOrder, payload } = webhook;
  return {
    received_at: new Date(receivedAt).toISOString(),
    sender,
    key_id: keyid,
    duplicate,
    out_of_order: outOfOrder,
    event: payload.event,
    subject: subjectOf(payload),
    media_buy_id: payload.media_buy_id ?? null,
    previous_status: payload.previous_status ?? null,
    status: payload.status ?? null,
    sequence: payload.sequence ?? null,
    payload,
  };
}

/** The status of whatever it is about. */
function statusIn({ status, account, activation, acquisition }: WebhookPayload): unknown {
  const about = account ?? activation ?? acquisition;
  if (status !== undefined || typeof about !== 'object' || about === null) return status;
  return 'status' in about ? about.status : undefined;
}

/** A stranger's text must not move the cursor. */
function text(value: unknown): string {
  return shortText(String(value), 100) ?? '?';
}
