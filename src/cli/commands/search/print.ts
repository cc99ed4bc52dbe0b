import { cursorSecretOf, renderAgentList } from '../../../api/operations/list-agents.ts';
import { answerSearch } from '../../../api/operations/search-agents.ts';
import type { ListSources } from '../../../api/render/agent-list.ts';
import type { MatchedMetric } from '../../../api/render/matched-metrics.ts';
import type { FacetCount, NearestValues } from '../../../domain/agent-search.ts';
import type { AgentIndex } from '../../../ports/agent-index.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { ListQuery } from '../../../query/list-query.ts';
import type { AskedSearch } from '../../../query/search-query.ts';
import { matchLines, nearestLines } from '../../output/accreditations.ts';
import { counted, listTable, paint, printLine } from '../../output/print.ts';

interface SearchStore {
  readonly records: Pick<Records, 'agents' | 'secret'>;
  readonly index: Pick<AgentIndex, 'find'>;
  readonly clock: Clock;
}

/** The search over a store: its body, and how people see it. */
export function searchStore(query: AskedSearch) {
  return async ({ records, index, clock }: SearchStore) => {
    const cursorSecret = await cursorSecretOf(records);
    const body = JSON.stringify(await answerSearch({ records, index, cursorSecret }, query, clock.now()));
    return { body, show: () => printFound(JSON.parse(body)) };
  };
}

/** The members of a result that a table shows. */
interface ShownResult {
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly protocol: string | null;
  readonly matched_metrics?: readonly MatchedMetric[];
  readonly match: {
    readonly score: number;
    readonly factors: Readonly<Record<string, number>>;
    readonly highlights: readonly { readonly field: string; readonly text: string }[];
  };
}

interface SearchBody {
  readonly results: readonly ShownResult[];
  readonly cursor: string | null;
  readonly total: { readonly count: number; readonly exact: boolean };
  readonly corrected?: Readonly<Record<string, readonly string[]>>;
  readonly nearest?: readonly NearestValues[];
  readonly without_filters?: SearchBody['total'];
  readonly without_words?: SearchBody['total'] & { readonly q: string };
  readonly facets?: Readonly<Record<string, readonly FacetCount[]>>;
  readonly facets_counted?: number;
}

function printFound({ results, cursor, total, corrected = {}, nearest = [], ...rest }: SearchBody): void {
  for (const [word, meant] of Object.entries(corrected))
    printLine(`no agent has the word ${word}; searched for: ${meant.join(', ')}`);
  const [head, ...rows] = listTable(
    ['score', 'type', 'protocol', 'agent', 'name, and why it is here'],
    results.map(resultRow),
  );
  if (results.length > 0) printLine(head);
  for (const [at, line] of rows.entries())
    for (const each of [line, ...matchLines(results[at]?.matched_metrics ?? [])]) printLine(each);
  printLine(paint('bold', amount(total)));
  for (const line of nearestLines(nearest)) printLine(line);
  if (rest.without_filters !== undefined) printLine(`without the filters: ${amount(rest.without_filters)}`);
  if (rest.without_words !== undefined)
    printLine(`with ${rest.without_words.q} alone: ${amount(rest.without_words)}`);
  for (const [parameter, counts] of Object.entries(rest.facets ?? {}))
    printLine(`${parameter}: ${counts.map(({ value, count }) => `${value} ${count}`).join(', ')}`);
  if (rest.facets_counted !== undefined && (!total.exact || rest.facets_counted < total.count))
    printLine(`the counts are of the first ${counted(rest.facets_counted, 'agent')}`);
  if (cursor !== null) printLine(`more with --cursor ${cursor}`);
}

function amount({ count, exact }: SearchBody['total']): string {
  return `${exact ? '' : 'more than '}${counted(count, 'agent')}`;
}

function resultRow({ type, protocol, url, name, match, matched_metrics = [] }: ShownResult): string[] {
  const { score, factors, highlights } = match;
  const changed = Object.entries(factors).flatMap(([what, factor]) =>
    factor === 1 ? [] : [`${what} ×${factor}`],
  );
  // what is matched has lines of its own
  const told = ['name', 'url', ...(matched_metrics.length > 0 ? ['metrics', 'accreditations'] : [])];
  const found = highlights.filter(({ field }) => !told.includes(field));
  const texts = found.slice(0, 2).map(({ field, text }) => `${field}: ${text.slice(0, 60).toWellFormed()}`);
  return [score.toFixed(2), type, protocol ?? '-', url, [name, ...changed, ...texts].join('  ')];
}

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
  const asked = Object.entries(EXTRAS).filter(([, of]) => agents.some((agent) => of(agent) !== undefined));
  const [head, ...rows] = listTable(
    ['type', 'protocol', 'agent', ...asked.map(([heading]) => heading), 'name'],
    agents.map((agent) => [
      ...[agent.type, agent.protocol ?? '-', agent.url],
      ...asked.map(([, of]) => of(agent) ?? '-'),
      agent.name,
    ]),
  );
  if (agents.length > 0) printLine(head);
  for (const [at, line] of rows.entries())
    for (const each of [line, ...matchLines(agents[at]?.matched_metrics ?? [])]) printLine(each);
  const of = total === undefined ? '' : ` of ${total}`;
  printLine(paint('bold', of === '' ? counted(count, 'agent') : `${count}${of} agents`));
  for (const line of nearestLines(nearest)) printLine(line);
  if (next_cursor !== undefined) printLine(`more with --cursor ${next_cursor}`);
}

/** Columns of what was asked for beside the list. */
const EXTRAS: Readonly<Record<string, (agent: ShownAgent) => string | undefined>> = {
  health: ({ health }) => health && (health.online ? 'online' : 'offline'),
  sells: ({ stats }) => stats && `for ${counted(stats.publisher_count, 'publisher')}`,
  tests: ({ compliance }) => compliance?.status,
};
