import { cursorSecretOf, renderAgentList } from '../../../api/operations/list-agents.ts';
import { answerSearch } from '../../../api/operations/search-agents.ts';
import type { ListSources } from '../../../api/render/agent-list.ts';
import { type MatchedMetric, shownMatches } from '../../../api/render/matched-metrics.ts';
import type { FacetCount, NearestValues } from '../../../domain/agent-search.ts';
import type { ListQuery } from '../../../index/query/list-query.ts';
import type { AskedSearch } from '../../../index/query/search-query.ts';
import type { AgentIndex } from '../../../ports/agent-index.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import { matchLines, nearestLines } from '../../output/accreditations.ts';
import { counted, listTable, paint, printLine } from '../../output/print.ts';

interface SearchStore {
  readonly records: Pick<Records, 'agents' | 'secret'>;
  readonly index: Pick<AgentIndex, 'find'>;
  readonly clock: Clock;
}

/** The search over a store: its body, and its output for people. */
export function searchStore(query: AskedSearch) {
  return async ({ records, index, clock }: SearchStore) => {
    const cursorSecret = await cursorSecretOf(records);
    const body = JSON.stringify(await answerSearch({ records, index, cursorSecret }, query, clock.now()));
    return { body, show: () => printFound(JSON.parse(body)) };
  };
}

/** The fields of a result that a table shows. */
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
  readonly without_words?: { readonly q: string };
  readonly ignored_words?: readonly string[];
  readonly facets?: Readonly<Record<string, readonly FacetCount[]>>;
  readonly facets_counted?: number;
  readonly facets_exact?: boolean;
}

function printFound({ results, cursor, total, corrected = {}, nearest = [], ...rest }: SearchBody): void {
  if (rest.ignored_words !== undefined)
    printLine(
      `No results for ${rest.ignored_words.map((word) => `“${word}”`).join(', ')}; showing “${rest.without_words?.q}”`,
    );
  for (const [word, meant] of Object.entries(corrected))
    printLine(`No agent mentions “${word}”; showing results for ${meant.join(', ')}`);
  const [head, ...rows] = listTable(
    ['score', 'type', 'protocol', 'agent', 'name and matches'],
    results.map(resultRow),
  );
  if (results.length > 0) printLine(head);
  for (const [at, line] of rows.entries())
    for (const each of [line, ...matchLines(results[at]?.matched_metrics ?? [])]) printLine(each);
  printLine(paint('bold', amount(total)));
  for (const line of nearestLines(nearest)) printLine(line);
  if (rest.without_filters !== undefined) printLine(`without filters: ${amount(rest.without_filters)}`);
  for (const [parameter, counts] of Object.entries(rest.facets ?? {}))
    printLine(`${parameter}: ${counts.map(({ value, count }) => `${value} ${count}`).join(', ')}`);
  if (rest.facets_counted !== undefined && rest.facets_exact === false)
    printLine(`counts are estimates from the first ${counted(rest.facets_counted, 'agent')}`);
  if (cursor !== null) printLine(`next page: --cursor ${cursor}`);
}

function amount({ count, exact }: SearchBody['total']): string {
  return `${exact ? '' : 'more than '}${counted(count, 'agent')}`;
}

function resultRow({ type, protocol, url, name, match, matched_metrics = [] }: ShownResult): string[] {
  const { score, factors, highlights } = match;
  const changed = Object.entries(factors).flatMap(([what, factor]) =>
    factor === 1 ? [] : [`${what} ×${factor}`],
  );
  // matched metrics have lines of their own
  const told = ['name', 'url', ...(matched_metrics.length > 0 ? ['metrics', 'accreditations'] : [])];
  const found = highlights.filter(({ field }) => !told.includes(field));
  const texts = found.slice(0, 2).map(({ field, text }) => `${field}: ${text.slice(0, 60).toWellFormed()}`);
  return [
    score < 0.01 ? score.toPrecision(2) : score.toFixed(2),
    type,
    protocol ?? '-',
    url,
    [name, ...changed, ...texts].join('  '),
  ];
}

/** The store that a list is read from. */
interface ListStore extends ListSources {
  readonly records: Pick<Records, 'agents' | 'secret'>;
  readonly clock: Clock;
}

/** The list operation over a store: its body, and its output for people. */
export function listStore(query: ListQuery) {
  return async ({ clock, ...sources }: ListStore) => {
    const cursorSecret = await cursorSecretOf(sources.records);
    const answer = await renderAgentList({ ...sources, cursorSecret }, query, clock.now());
    const body = String(answer.body);
    return { body, show: () => printAgents(JSON.parse(body)) };
  };
}

/** The fields of an agent record that a table shows; the body is that of the list operation. */
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
  for (const line of strictHints(agents)) printLine(line);
  if (next_cursor !== undefined) printLine(`next page: --cursor ${next_cursor}`);
}

/** The flags that exclude agents which match only in part. */
function strictHints(agents: readonly ShownAgent[]): readonly string[] {
  const told = agents.map(({ matched_metrics: matched = [] }) => shownMatches(matched));
  const isExpired = told.flat().some(({ valid }) => valid === false);
  const isSplit = told.some(
    (matches) => matches.length > 1 && matches.every(({ part }) => part !== undefined),
  );
  return [
    ...(isExpired ? ['hide expired accreditations with --accreditation-valid'] : []),
    ...(isSplit ? ['require all conditions of the same metric with --same-metric'] : []),
  ];
}

/** Columns of the groups that were requested. */
const EXTRAS: Readonly<Record<string, (agent: ShownAgent) => string | undefined>> = {
  health: ({ health }) => health && (health.online ? 'online' : 'offline'),
  sells: ({ stats }) => stats && `for ${counted(stats.publisher_count, 'publisher')}`,
  tests: ({ compliance }) => compliance?.status,
};
