import { shortText } from '../../../domain/text.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import { counted, listTable, printJson, printLine } from '../../output/print.ts';

/** A webhook with the agent that sends it. */
export interface OutboxRow {
  readonly agent: string;
  readonly delivery: Delivery;
}

const HEADINGS = ['webhook', 'state', 'tries', 'about', 'from and to', 'why'];

/** The JSON follows schemas/cli/webhooks.json. */
export function printOutbox(json: boolean, rows: readonly OutboxRow[]): void {
  if (json) printJson({ webhooks: rows.map(rowJson) });
  else if (rows.length === 0) printLine('there are none');
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
