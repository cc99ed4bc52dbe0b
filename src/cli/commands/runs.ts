import type { Command } from 'commander';
import { type DefineCommand, type Done, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, wholeNumber, withJson, withStore } from '../options.ts';

export type RunsFlags = StoreFlags & JsonFlag;

export interface RunsListFlags extends RunsFlags {
  readonly limit: number;
  readonly cursor?: string;
}

export interface RunsStartFlags extends RunsFlags {
  readonly member?: string;
  readonly wait?: true;
}

export interface RunsShowFlags extends RunsFlags {
  readonly evidence?: true;
}

/** `registry runs import | list | show | start`. */
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
  defineShow(runs, done);
  defineStart(runs, done);
  examples(
    runs,
    'registry runs import runs.jsonl',
    'registry runs list https://sales.agents.example/mcp',
    'registry runs start https://sales.agents.example/mcp --member nova --wait',
    'registry runs show https://sales.agents.example/mcp RUN_ID --evidence',
  );
};

function defineShow(runs: Command, done: Done): void {
  const show = runs
    .command('show')
    .description(
      'Show one run: which step failed, what was expected, what came, and the command that shows it again.',
    )
    .argument('<url>', 'the agent')
    .argument('<run-id>', 'from `runs list` or `runs start`')
    .option('--evidence', 'with what went to and fro where a step failed');
  withJson(withStore(show)).action(async (url: string, id: string, flags: RunsShowFlags) => {
    const { showRun } = await import('../run/runs-show.ts');
    done(await showRun(url, id, flags));
  });
}

function defineStart(runs: Command, done: Done): void {
  const start = runs
    .command('start')
    .description(
      'Ask for a run of an owned agent now; a worker or `registry heartbeat` makes it. While one is open, it is that one.',
    )
    .argument('<url>', 'the agent')
    .option('--member <slug>', 'for this member, who must be the proven owner; without it, as the operator')
    .option(
      '--wait',
      'until it is over: 0 passing, 1 not, 4 when the agent cannot be spoken to, 130 interrupted (the run goes on)',
    );
  withJson(withStore(start)).action(async (url: string, flags: RunsStartFlags) => {
    const { startRun } = await import('../run/runs-start.ts');
    done(await startRun(url, flags));
  });
}
