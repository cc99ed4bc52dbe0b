import { cursorSecretOf, listAgents } from '../../api/operations/list-agents.ts';
import { HttpProblem } from '../../api/problem.ts';
import { systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import { LIST_PARAMETERS } from '../../query/list-parameters.ts';
import { readListQuery } from '../../query/list-query.ts';
import type { SearchFlags } from '../commands/search.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printAgents } from '../output/print-agents.ts';
import { READ, withStore } from '../with-store.ts';

/** `registry search`: the answer of the list operation, its very bytes with --json. */
export function searchCommand(flags: SearchFlags): Promise<ExitCode> {
  const query = readListQuery(parametersOf(flags));
  if (!query.ok) throw new RegistryError('usage', query.problem.detail, hintOf(query.problem.validValues));
  return withStore(flags, READ, async ({ records, index }) => {
    const cursorSecret = await cursorSecretOf(records);
    const answer = await asUsage(
      listAgents({ records, index, cursorSecret }, query.query, systemClock.now()),
    );
    if (flags.json) process.stdout.write(`${answer.body}\n`);
    else printAgents(JSON.parse(answer.body));
    return EXIT.ok;
  });
}

function parametersOf(flags: SearchFlags): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const { name } of LIST_PARAMETERS) {
    const value = flags[name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) parameters.append(name, String(item));
    }
  }
  return parameters;
}

async function asUsage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof HttpProblem ? new RegistryError('usage', error.message, { cause: error }) : error;
  }
}

function hintOf(validValues: readonly string[] | undefined) {
  return {
    hint:
      validValues === undefined
        ? '"registry search --help" lists the filters and what they take'
        : `valid values: ${validValues.join(', ')}`,
  };
}
