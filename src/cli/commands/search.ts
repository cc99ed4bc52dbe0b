import { Option } from 'commander';
import type { MatchedMetric } from '../../api/render/matched-metrics.ts';
import { RegistryError } from '../../errors.ts';
import { LIST_PARAMETERS } from '../../query/list-parameters.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { collect, type Flag } from '../flags.ts';
import { matchLines } from '../output/accreditations.ts';
import { counted, paint, printLine, table } from '../output/print.ts';
import { tiersOf } from '../setup/settings.ts';
import { READ, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

/** The parameters of the list operation under their own names with hyphens. */
const PARAMETERS: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries(
  LIST_PARAMETERS.map((parameter) => {
    const option = optionOf(parameter);
    return [option.attributeName(), { option }];
  }),
);

/** The list operation on the command line: its very bytes with --json. */
export default command({
  name: 'search',
  description:
    'Search the agents with the filters of GET /api/registry/agents. --json prints the same answer.',
  flags: { ...PARAMETERS, ...STORE_FLAGS, ...JSON_FLAG },
  examples: [
    'agent-registry search --type sales --health',
    'agent-registry search --metric-id viewable_rate --capabilities --json',
  ],
  async run(flags) {
    const { cursorSecretOf, renderAgentList } = await import('../../api/operations/list-agents.ts');
    const { HttpProblem } = await import('../../api/problem.ts');
    const { readListQuery } = await import('../../query/list-query.ts');
    const query = readListQuery(parametersOf(flags), Date.now());
    if (!query.ok) throw new RegistryError('usage', query.problem.detail, hintOf(query.problem.validValues));
    return withStore(flags, READ, async ({ records, index, clock }, config) => {
      const cursorSecret = await cursorSecretOf(records);
      const sources = { records, index, cursorSecret, tiers: await tiersOf(config) };
      const answer = await renderAgentList(sources, query.query, clock.now()).catch((cause) => {
        throw cause instanceof HttpProblem ? new RegistryError('usage', cause.message, { cause }) : cause;
      });
      if (flags.json) printLine(answer.body);
      else printAgents(JSON.parse(answer.body));
      return EXIT.ok;
    });
  },
});

function optionOf({ name, kind, description: what, values }: (typeof LIST_PARAMETERS)[number]): Option {
  const flag = `--${name.replaceAll('_', '-')}`;
  const description = values === undefined ? what : `${what} One of ${values.join(', ')}.`;
  if (kind === 'boolean') return new Option(flag, description);
  // a single-valued one given twice is collected too, so that it is refused as the API refuses it
  return new Option(`${flag} <value>`, description).argParser(collect);
}

function parametersOf(flags: Readonly<Record<string, unknown>>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const parameter of LIST_PARAMETERS) {
    const value = flags[optionOf(parameter).attributeName()];
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) parameters.append(parameter.name, String(item));
    }
  }
  return parameters;
}

function hintOf(validValues: readonly string[] | undefined) {
  return {
    hint:
      validValues === undefined
        ? '"agent-registry search --help" lists the filters and what they take'
        : `valid values: ${validValues.join(', ')}`,
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
}

/** Prints a list answer as a table for people. */
function printAgents({ agents, count, total, next_cursor }: ListBody): void {
  const rows = agents.length === 0 ? [] : table(agents.map(row)).split('\n');
  for (const [at, line] of rows.entries())
    for (const each of [line, ...matchLines(agents[at]?.matched_metrics ?? [])]) printLine(each);
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
