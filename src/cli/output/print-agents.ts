import { counted, paint, printLine, table } from './print.ts';

/** The members of an agent record that a table shows; the body is the list operation's. */
interface ShownAgent {
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly protocol: string | null;
  readonly health?: { readonly online: boolean };
  readonly stats?: { readonly publisher_count: number };
  readonly compliance?: { readonly status: string };
}

export interface ListBody {
  readonly agents: readonly ShownAgent[];
  readonly count: number;
  readonly total?: number;
  readonly next_cursor?: string;
}

/** Prints a list answer as a table for people. */
export function printAgents({ agents, count, total, next_cursor }: ListBody): void {
  if (agents.length > 0) printLine(table(agents.map(row)));
  const of = total === undefined ? '' : ` of ${total}`;
  printLine(paint('bold', of === '' ? counted(count, 'agent') : `${count}${of} agents`));
  if (next_cursor !== undefined) printLine(`more with --cursor ${next_cursor}`);
}

function row(agent: ShownAgent): string[] {
  const extras = [
    agent.health && (agent.health.online ? 'online' : 'offline'),
    agent.stats && counted(agent.stats.publisher_count, 'publisher'),
    agent.compliance?.status,
  ];
  return [
    agent.type,
    agent.protocol ?? '-',
    agent.url,
    [agent.name, ...extras.filter((extra) => extra !== undefined)].join('  '),
  ];
}
