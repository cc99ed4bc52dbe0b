import { shortText } from '../../domain/text.ts';
import type { Arrival } from '../../webhooks/inbox.ts';
import type { Refusal } from '../../webhooks/receiver.ts';
import { note, printLine } from './print.ts';

/** One webhook as a line: for people, or as schemas/cli/webhooks-listen.json says. */
export function printArrival(arrival: Arrival, json: boolean): void {
  printLine(json ? JSON.stringify(arrivalJson(arrival)) : arrivalLine(arrival));
}

/** One refusal as a line on stderr. */
export function printRefusal({ status, code, detail }: Refusal): void {
  note(`refused with ${status}: ${code}: ${shortText(detail, 500) ?? ''}`);
}

function arrivalLine({ webhook, duplicate }: Arrival): string {
  const { payload, keyid, outOfOrder } = webhook;
  const { event, media_buy_id: mediaBuy, previous_status: previous, status, sequence } = payload;
  const change = previous === undefined ? text(status) : `${text(previous)} → ${text(status)}`;
  const marks = [duplicate ? 'duplicate' : '', outOfOrder ? 'out of order' : ''].filter(
    (mark) => mark !== '',
  );
  return [
    `verified by ${text(keyid)}: ${text(event)} of ${text(mediaBuy)}, ${change}, sequence ${text(sequence)}`,
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
    media_buy_id: payload.media_buy_id,
    previous_status: payload.previous_status ?? null,
    status: payload.status,
    sequence: payload.sequence,
    payload,
  };
}

/** A stranger's text must not move the cursor. */
function text(value: unknown): string {
  return shortText(String(value), 100) ?? '?';
}
