import { existsSync } from 'node:fs';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import type { AgentStates } from '../../../records/sqlite/agent-state.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import type { WebhookQueue } from '../../../webhooks/queue.ts';
import { command } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type FlagValues, textFlag, toggle } from '../../flags.ts';
import { counted, nextCommands, note } from '../../output/print.ts';
import { AGENT_STATE_FLAG, JSON_FLAG } from '../../shared-flags.ts';
import { type OutboxRow, printOutbox } from './print.ts';

const FLAGS = {
  ...AGENT_STATE_FLAG,
  agent: textFlag('--agent <url>', 'only webhooks of this agent (default: all agents in the file)'),
  ...JSON_FLAG,
};
type OutboxFlags = FlagValues<typeof FLAGS>;

interface Outbox {
  readonly agent: string;
  readonly queue: WebhookQueue;
}

const list = command({
  name: 'list',
  description: 'List the webhooks of an outbox with their state.',
  flags: FLAGS,
  run: (flags) =>
    withOutboxes(flags, (outboxes) => {
      const rows = rowsOf(outboxes, ({ queue }) => queue.list());
      printOutbox(flags.json === true, rows);
    }),
});

/** 0, whether there are any or not. */
const dead = command({
  name: 'dead',
  description: 'List webhooks that could not be delivered, with the reason.',
  flags: FLAGS,
  run: (flags) =>
    withOutboxes(flags, (outboxes) => {
      const rows = rowsOf(outboxes, ({ queue }) => queue.deadLetters());
      printOutbox(flags.json === true, rows);
    }),
});

const replay = command({
  name: 'replay',
  description:
    'Send undelivered webhooks again with a full set of retries. A running deliverer sends them immediately.',
  arguments: [['[id]', 'id from `webhooks dead`']],
  flags: { all: toggle('--all', 'all undelivered webhooks'), ...FLAGS },
  run(flags, id) {
    if ((id === undefined) === (flags.all === undefined))
      throw new RegistryError('usage', 'nothing selected to replay', {
        hint: 'give an id from `agent-registry webhooks dead`, or --all',
      });
    return withOutboxes(flags, (outboxes) => {
      const chosen = id === undefined ? outboxes : [holderOf(id, outboxes)];
      const rows = rowsOf(chosen, ({ queue }) => queue.replay(id ?? 'all'));
      if (!flags.json) note(`${counted(rows.length, 'webhook')} will be sent once more`);
      printOutbox(flags.json === true, rows);
      if (!flags.json) nextCommands([`webhooks list --state ${shellWord(flags.state)}`]);
    });
  },
});

export default [list, dead, replay];

async function withOutboxes(
  flags: OutboxFlags,
  work: (outboxes: readonly Outbox[]) => void,
): Promise<ExitCode> {
  const { createWebhookQueue } = await import('../../../webhooks/queue.ts');
  const { systemClock: clock } = await import('../../../compose/clock.ts');
  const states = await openState(flags.state);
  try {
    work(
      agentsOf(states, flags).map((agent) => ({
        agent,
        queue: createWebhookQueue(states.of(agent), { clock }),
      })),
    );
    return EXIT.ok;
  } finally {
    states.close();
  }
}

async function openState(address: string): Promise<AgentStates> {
  const { openAgentStates } = await import('../../../compose/agent-stores.ts');
  const { sqlitePath } = await import('../../../compose/engines.ts');
  const path = sqlitePath(address);
  if (existsSync(path)) return openAgentStates(path, { create: false });
  throw new RegistryError('store_missing', `no agent state at ${path}`, {
    hint: 'check --state: it must be the state file of the agents',
  });
}

function agentsOf(states: AgentStates, { agent, state }: OutboxFlags): readonly string[] {
  const known = states.agents();
  if (agent === undefined) return known;
  if (known.includes(agent)) return [agent];
  throw new RegistryError('not_found', `no agent ${agent} in ${state}`, {
    hint:
      known.length === 0
        ? 'the file contains no agents'
        : `agents in the file: ${known.slice(0, 20).join(', ')}`,
  });
}

/** Each agent counts its own webhooks, so that two may have one of the same id. */
function holderOf(id: string, outboxes: readonly Outbox[]): Outbox {
  const [holder, other] = outboxes.filter(({ queue }) => queue.deadLetters().some((one) => one.id === id));
  if (holder === undefined)
    throw new RegistryError('not_found', `no undelivered webhook ${id.slice(0, 100)}`, {
      hint: 'list them with `agent-registry webhooks dead`',
    });
  if (other === undefined) return holder;
  throw new RegistryError(
    'usage',
    `${holder.agent} and ${other.agent} both have an undelivered webhook ${id}`,
    {
      hint: 'choose one with --agent',
    },
  );
}

function rowsOf(
  outboxes: readonly Outbox[],
  of: (outbox: Outbox) => readonly Delivery[],
): readonly OutboxRow[] {
  return outboxes.flatMap((outbox) => of(outbox).map((delivery) => ({ agent: outbox.agent, delivery })));
}
