import { existsSync } from 'node:fs';
import { openAgentStates, sqlitePath, systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentStates } from '../../ports/agent-state.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import { createWebhookQueue, type WebhookQueue } from '../../webhooks/queue.ts';
import type { OutboxFlags, ReplayFlags } from '../commands/webhooks.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { counted, note } from '../output/print.ts';
import { type OutboxRow, printOutbox } from '../output/print-outbox.ts';

interface Outbox {
  readonly agent: string;
  readonly queue: WebhookQueue;
}

/** `registry webhooks list`. */
export async function listCommand(flags: OutboxFlags): Promise<ExitCode> {
  return withOutboxes(flags, (outboxes) =>
    printOutbox(
      flags.json === true,
      rowsOf(outboxes, ({ queue }) => queue.list()),
    ),
  );
}

/** `registry webhooks dead`: 0, whether there are any or not. */
export async function deadCommand(flags: OutboxFlags): Promise<ExitCode> {
  return withOutboxes(flags, (outboxes) =>
    printOutbox(
      flags.json === true,
      rowsOf(outboxes, ({ queue }) => queue.deadLetters()),
    ),
  );
}

/** `registry webhooks replay`. */
export async function replayCommand(id: string | undefined, flags: ReplayFlags): Promise<ExitCode> {
  if ((id === undefined) === (flags.all === undefined))
    throw new RegistryError('usage', 'what is to be replayed is not clear', {
      hint: 'give one id of `registry webhooks dead`, or --all',
    });
  return withOutboxes(flags, (outboxes) => {
    const chosen = id === undefined ? outboxes : [holderOf(id, outboxes)];
    const rows = rowsOf(chosen, ({ queue }) => queue.replay(id ?? 'all'));
    if (!flags.json) note(`${counted(rows.length, 'webhook')} will be sent once more`);
    printOutbox(flags.json === true, rows);
  });
}

function withOutboxes(flags: OutboxFlags, work: (outboxes: readonly Outbox[]) => void): ExitCode {
  const states = openState(sqlitePath(flags.state));
  try {
    work(agentsOf(states, flags).map((agent) => outboxOf(states, agent)));
    return EXIT.ok;
  } finally {
    states.close();
  }
}

function openState(path: string): AgentStates {
  if (existsSync(path)) return openAgentStates(path, { create: false });
  throw new RegistryError('store_missing', `there is no state of agents at ${path}`, {
    hint: 'check --state: it is the file that the agents keep their state in',
  });
}

function agentsOf(states: AgentStates, { agent, state }: OutboxFlags): readonly string[] {
  const known = states.agents();
  if (agent === undefined) return known;
  if (known.includes(agent)) return [agent];
  throw new RegistryError('not_found', `${state} has no agent ${agent}`, {
    hint: known.length === 0 ? 'it has none at all' : `it has ${known.slice(0, 20).join(', ')}`,
  });
}

function outboxOf(states: AgentStates, agent: string): Outbox {
  return { agent, queue: createWebhookQueue(states.of(agent), { clock: systemClock }) };
}

/** Each agent counts its own webhooks, so that two may have one of the same id. */
function holderOf(id: string, outboxes: readonly Outbox[]): Outbox {
  const [holder, other] = outboxes.filter(({ queue }) => queue.deadLetters().some((one) => one.id === id));
  if (holder === undefined)
    throw new RegistryError('not_found', `there is no dead letter ${id.slice(0, 100)}`, {
      hint: 'see which there are with `registry webhooks dead`',
    });
  if (other === undefined) return holder;
  throw new RegistryError('usage', `${holder.agent} and ${other.agent} both have a dead letter ${id}`, {
    hint: 'name one of them with --agent',
  });
}

function rowsOf(
  outboxes: readonly Outbox[],
  of: (outbox: Outbox) => readonly Delivery[],
): readonly OutboxRow[] {
  return outboxes.flatMap((outbox) => of(outbox).map((delivery) => ({ agent: outbox.agent, delivery })));
}
