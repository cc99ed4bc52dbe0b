import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, wholeNumber, withJson, withStore } from '../options.ts';

export type RunsFlags = StoreFlags & JsonFlag;

export interface RunsListFlags extends RunsFlags {
  readonly limit: number;
  readonly cursor?: string;
}

/** `registry runs import | list`. */
export const defineRuns: DefineCommand = (program, done) => {
  const runs = program.command('runs').description('Compliance runs of agents, and what they came to.');
  const imports = runs
    .command('import')
    .description(
      'Bring in runs that were recorded elsewhere. Bad rows are refused with line and reason, the others are taken; the same file again changes nothing.',
    )
    .argument('<file>', 'JSON lines or a JSON array; - for stdin; see schemas/registry/run-import.json');
  withJson(withStore(imports)).action(async (file: string, flags: RunsFlags) => {
    const { importRuns } = await import('../run/runs.ts');
    done(await importRuns(file, flags));
  });
  const list = runs
    .command('list')
    .description('Show the runs of an agent, newest first.')
    .argument('<url>', 'the agent')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 20)
    .option('--cursor <text>', 'the next_cursor of the page before');
  withJson(withStore(list)).action(async (url: string, flags: RunsListFlags) => {
    const { listRuns } = await import('../run/runs.ts');
    done(await listRuns(url, flags));
  });
  examples(runs, 'registry runs import runs.jsonl', 'registry runs list https://sales.agents.example/mcp');
};
