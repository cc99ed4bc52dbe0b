import { InvalidArgumentError } from 'commander';
import { JOB_KINDS, type JobKind } from '../../ports/job-queue.ts';
import { type DefineCommand, examples } from '../command.ts';
import {
  type HttpFlags,
  type LogFlags,
  type NetworkFlags,
  type StoreFlags,
  wholeNumber,
  withHttp,
  withLog,
  withNetwork,
  withStore,
} from '../options.ts';

export interface WorkFlags extends StoreFlags, NetworkFlags, LogFlags, HttpFlags {
  readonly kinds: readonly JobKind[];
  readonly concurrency?: number;
}

/** `registry work`. */
export const defineWork: DefineCommand = (program, done) => {
  const command = program
    .command('work')
    .description('Do jobs from the queue in PostgreSQL; SIGTERM finishes or gives back what is under way.')
    .option('--kinds <list>', `of ${JOB_KINDS.join(', ')}; comma-separated`, jobKinds, JOB_KINDS)
    .option(
      '--concurrency <n>',
      'domains visited at the same time (REGISTRY_CONCURRENCY)',
      wholeNumber(1, 2_000),
    );
  withLog(withHttp(withNetwork(withStore(command))));
  examples(
    command,
    'registry work --store postgres://registry@127.0.0.1/registry',
    'registry work --kinds crawl,probe --port 9102',
    'registry work --kinds heartbeat',
  );
  command.action(async (flags: WorkFlags) => {
    const { workCommand } = await import('../run/work.ts');
    done(await workCommand(flags));
  });
};

function jobKinds(text: string): readonly JobKind[] {
  const names = text.split(',').map((name) => name.trim());
  const kinds = JOB_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length > 0 && kinds.length === new Set(names).size) return kinds;
  throw new InvalidArgumentError(`a list of ${JOB_KINDS.join(', ')} is expected.`);
}
