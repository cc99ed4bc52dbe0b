import { cursorSecretOf, renderAgentList } from '../../../api/operations/list-agents.ts';
import type { ListSources } from '../../../api/render/agent-list.ts';
import type { MatchedMetric } from '../../../api/render/matched-metrics.ts';
import type { NearestValues } from '../../../domain/agent-search.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { ListQuery } from '../../../query/list-query.ts';
import { matchLines, nearestLines } from '../../output/accreditations.ts';
import { counted, listTable, paint, printLine } from '../../output/print.ts';

/** The open store that a list is read from. */
interface ListStore extends ListSources {
  readonly records: Pick<Records, 'agents' | 'secret'>;
  readonly clock: Clock;
}

/** The list operation over a store: its body, and how people see it. */
export function listStore(query: ListQuery) {
  return async ({ clock, ...sources }: ListStore) => {
    const cursorSecret = await cursorSecretOf(sources.records);
    const answer = await renderAgentList({ ...sources, cursorSecret }, query, clock.now());
    const body = String(answer.body);
    return { body, show: () => printAgents(JSON.parse(body)) };
  };
}

/** The members of an agent record that a table shows; the body is the list operation's. */
interface ShownAgent {
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly protocol: string | null;
  readonly health?: { readonly online: boolean };
  readonly stats?: { readonly publisher_count: number };
  readonly compliance?: { readonly status: string };
  readonly matched_metrics?: readonly MatchedMetric[];
}

interface ListBody {
  readonly agents: readonly ShownAgent[];
  readonly count: number;
  readonly total?: number;
  readonly next_cursor?: string;
  readonly nearest?: readonly NearestValues[];
}

/** Prints a list answer as a table for people. */
function printAgents({ agents, count, total, next_cursor, nearest = [] }: ListBody): void {
  const [head, ...rows] = listTable(['type', 'protocol', 'agent', 'name'], agents.map(row));
  if (agents.length > 0) printLine(head);
  for (const [at, line] of rows.entries())
    for (const each of [line, ...matchLines(agents[at]?.matched_metrics ?? [])]) printLine(each);
  const of = total === undefined ? '' : ` of ${total}`;
  printLine(paint('bold', of === '' ? counted(count, 'agent') : `${count}${of} agents`));
  for (const line of nearestLines(nearest)) printLine(line);
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
