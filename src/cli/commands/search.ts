import { Option } from 'commander';
import { LIST_PARAMETERS } from '../../query/list-parameters.ts';
import { type DefineCommand, examples } from '../command.ts';
import { collect, type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

/** The parameters of the list operation under their own names with hyphens, beside --store and --json. */
export type SearchFlags = StoreFlags & JsonFlag & Readonly<Record<string, unknown>>;

/** `registry search`: the list operation on the command line. */
export const defineSearch: DefineCommand = (program, done) => {
  const command = program
    .command('search')
    .description(
      'Search the agents with the same filters, and with --json the same answer, as GET /api/registry/agents.',
    );
  for (const parameter of LIST_PARAMETERS) command.addOption(optionOf(parameter));
  withJson(withStore(command));
  examples(
    command,
    'registry search --type sales --health',
    'registry search --metric-id viewable_rate --capabilities --json',
  );
  command.action(async (flags: SearchFlags) => {
    const { searchCommand } = await import('../run/search.ts');
    done(await searchCommand(flags));
  });
};

function optionOf(parameter: (typeof LIST_PARAMETERS)[number]): Option {
  const flag = `--${parameter.name.replaceAll('_', '-')}`;
  if (parameter.kind === 'boolean') return new Option(flag, parameter.description);
  // a single-valued one given twice is collected too, so that it is refused as the API refuses it
  return new Option(`${flag} <value>`, parameter.description).argParser(collect);
}
