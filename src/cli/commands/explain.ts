import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, wholeNumber, withJson, withStore } from '../options.ts';

export interface ExplainFlags extends StoreFlags, JsonFlag {
  readonly limit: number;
}

/** `registry explain`. */
export const defineExplain: DefineCommand = (program, done) => {
  const command = program
    .command('explain')
    .description(
      'Tell the whole story of a domain or an agent: what was fetched, found, derived and by which rule, and when we come back.',
    )
    .argument('<domain-or-url>', 'a domain name or an agent URL')
    .option('--limit <n>', 'rows of each history', wholeNumber(1, 1_000), 10);
  withJson(withStore(command));
  examples(command, 'registry explain news.example', 'registry explain https://sales.agents.example/mcp');
  command.action(async (subject: string, flags: ExplainFlags) => {
    const { explainCommand } = await import('../run/explain.ts');
    done(await explainCommand(subject, flags));
  });
};
