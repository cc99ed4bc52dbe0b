import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;

/** A command of the registry that runs until it is told to stop. */
export interface Running {
  readonly child: ChildProcess;
  /** Its log lines so far. */
  readonly log: readonly LogLine[];
  /** Resolves with the first log line that has this message, or that came before. */
  said(message: string): Promise<LogLine>;
  /** Sends a signal; resolves with the exit code, null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface LogLine {
  readonly msg: string;
  readonly level: number;
  readonly [field: string]: unknown;
}

export interface Machine {
  readonly address: string;
  readonly connectTo: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function scheduler({ address, env }: Machine): Running {
  return run(['schedule', '--store', address], 'queueing due work', env);
}

/** A worker whose requests carry its name. */
export function worker(
  { address, connectTo, env }: Machine,
  name: string,
  ...flags: readonly string[]
): Running {
  const args = ['work', '--kinds', 'crawl', '--store', address, '--connect-to', connectTo, ...flags];
  return run(args, 'working', { ...env, REGISTRY_CONTACT: `https://${name}.worker.example/` });
}

/** `started` is logged when the command handles signals. */
function run(args: readonly string[], started: string, env: Machine['env'] = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, REGISTRY_WORKER_TIMEOUT_MS: '10000', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const log: LogLine[] = [];
  const lines = createInterface(child.stderr as NodeJS.ReadableStream);
  lines.on('line', (line) => log.push(parsed(line)));
  return {
    child,
    log,
    async said(message) {
      const isIt = (line: LogLine) => line.msg.includes(message);
      while (!log.some(isIt)) {
        if (child.exitCode !== null) throw new Error(`ended without "${message}": ${JSON.stringify(log)}`);
        await Promise.race([once(lines, 'line'), once(child, 'exit')]);
      }
      return log.find(isIt) as LogLine;
    },
    async end(signal) {
      if (signal === 'SIGTERM') await this.said(started); // before, it would end by the signal
      if (child.exitCode !== null)
        throw new Error(`ended by itself with ${child.exitCode}: ${JSON.stringify(log)}`);
      const exited = once(child, 'exit');
      child.kill(signal);
      return (await exited)[0] as number | null;
    },
  };
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { msg: line, level: 0 };
  }
}

/** The records as this test sees them, with these domains due. */
export async function recordsWith(address: string, domains: readonly string[]): Promise<Records> {
  const records = await openPostgresRecords({ url: address, connections: 2 });
  onTestFinished(() => records.close());
  await records.sources.add(
    domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' })),
    Date.now(),
  );
  return records;
}

/** Asks every tenth of a second until it is true. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Whether nothing is due any more. */
export async function allVisited({ sources }: Records): Promise<boolean> {
  return (await sources.countDue(Date.now())).domains === 0;
}
