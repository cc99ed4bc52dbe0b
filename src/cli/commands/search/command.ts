import { Option } from 'commander';
import { RegistryError } from '../../../errors.ts';
import type { ListParameter } from '../../../index/query/filters.ts';
import { LIST_PARAMETERS } from '../../../index/query/list-parameters.ts';
import type { QueryProblem } from '../../../index/query/query-problem.ts';
import { SEARCH_PARAMETERS } from '../../../index/query/search-filters.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { collect, type Flag } from '../../flags.ts';
import { printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const LISTED = new Set(LIST_PARAMETERS.map(({ name }) => name));
/** Parameters of the list keep their own descriptions. */
const SEARCH_ONLY = SEARCH_PARAMETERS.filter(({ name }) => !LISTED.has(name));

/** The parameters of both operations under their own names with hyphens. */
const PARAMETERS: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries(
  [...LIST_PARAMETERS, ...SEARCH_ONLY].map((parameter) => {
    const option = optionOf(parameter);
    return [option.attributeName(), { option }];
  }),
);

/** The list operation on the command line, or with words the search. --json prints the answer of the API, byte for byte. */
export default command({
  name: 'search',
  description:
    'Search agents by words, or list them with the filters of GET /api/registry/agents. --json prints the answer of the API.',
  arguments: [['[words...]', 'words of the name, description, tools, metrics, domains or tags of an agent']],
  flags: { ...PARAMETERS, ...STORE_FLAGS, ...JSON_FLAG },
  examples: [
    'agent-registry search viewability mrc --verified',
    'agent-registry search news --channels ctv,display --min-properties 100 --facets',
    'agent-registry search --type sales --health',
    'agent-registry search --metric-id viewable_rate --capabilities --json',
  ],
  async run(flags, words) {
    const isSearch =
      words.length > 0 || SEARCH_ONLY.some((parameter) => valuesOf(flags, parameter).length > 0);
    const print = isSearch ? await searchFor(flags, words) : await listBy(flags);
    return withStore(flags, READ, async (store, config) => {
      const { HttpProblem } = await import('../../../api/problem.ts');
      const tiers = await tiersOf(config);
      const answer = await print({ ...store, tiers }).catch((cause: unknown) => {
        throw cause instanceof HttpProblem ? new RegistryError('usage', cause.message, { cause }) : cause;
      });
      if (flags.json) printLine(answer.body);
      else answer.show();
      return EXIT.ok;
    });
  },
});

type Flags = Readonly<Record<string, unknown>>;

async function searchFor(flags: Flags, words: readonly string[]) {
  const { readSearchQuery } = await import('../../../index/query/search-query.ts');
  const { searchStore } = await import('./print.ts');
  const parameters = parametersOf(flags, [...SEARCH_ONLY, ...LIST_PARAMETERS]);
  if (words.length > 0) parameters.append('q', words.join(' '));
  const read = readSearchQuery(parameters, Date.now());
  if (!read.ok) throw wrongUsage(read.problem, rankedBy(flags, words));
  return searchStore(read.query);
}

async function listBy(flags: Flags) {
  const { readListQuery } = await import('../../../index/query/list-query.ts');
  const { listStore } = await import('./print.ts');
  const read = readListQuery(parametersOf(flags, LIST_PARAMETERS), Date.now());
  if (!read.ok) throw wrongUsage(read.problem);
  return listStore(read.query);
}

/** The words, or the flag that makes the command a search. */
function rankedBy(flags: Flags, words: readonly string[]): string {
  const ranking = SEARCH_ONLY.find((parameter) => valuesOf(flags, parameter).length > 0);
  return words.length > 0 || ranking === undefined ? 'words' : flagOf(ranking.name);
}

function flagOf(parameter: string): string {
  return `--${parameter.replaceAll('_', '-')}`;
}

function optionOf({ name, kind, description, values }: ListParameter): Option {
  const flag = flagOf(name);
  if (kind === 'boolean') return new Option(flag, description);
  // a single-valued parameter is collected, too, so that repeating it is refused as in the API
  const option = new Option(`${flag} <value>`, description).argParser(collect);
  // for help and completion; other values are refused by the table
  return values === undefined ? option : Object.assign(option, { argChoices: [...values] });
}

function parametersOf(flags: Flags, table: readonly ListParameter[]): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const parameter of table)
    for (const value of valuesOf(flags, parameter)) parameters.append(parameter.name, value);
  return parameters;
}

function valuesOf(flags: Flags, parameter: ListParameter): readonly string[] {
  const value = flags[optionOf(parameter).attributeName()];
  return (Array.isArray(value) ? value : [value]).filter((item) => item !== undefined).map(String);
}

/** `ranking`: why a parameter of the list is not one of the search. */
function wrongUsage(
  { code, parameter, detail, validValues = [] }: QueryProblem,
  ranking = 'words',
): RegistryError {
  if (code === 'unknown_parameter') {
    const flag = flagOf(parameter);
    return new RegistryError('usage', `${flag} cannot be combined with ${ranking}`, {
      hint: `remove ${flag} to search, or remove ${ranking === 'words' ? 'the words' : ranking} to list agents`,
    });
  }
  // the message lists the values of a closed list
  const isListed = validValues.length === 0 || code === 'invalid_value';
  return new RegistryError('usage', detail, {
    hint: isListed
      ? 'run "agent-registry search --help" for the filters and their values'
      : `valid values: ${validValues.join(', ')}`,
  });
}
