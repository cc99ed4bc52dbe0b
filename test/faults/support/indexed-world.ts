import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../../src/compose/clock.ts';
import { openStore, type Store } from '../../../src/compose/engines.ts';
import { stitchDirty } from '../../../src/index/generations/stitch-and-index.ts';
import type { AgentIndex, Generation } from '../../../src/ports/agent-index.ts';
import type { Checks } from './fault.ts';
import {
  type Command,
  type Ended,
  type Environment,
  patientConfig,
  runCommand,
  startCommand,
} from './registry.ts';

/** Records in a SQLite file with an index in it or in an OpenSearch, and the commands that work on them. */
export interface IndexedWorld {
  /** What every command is started with. */
  readonly env: Environment;
  /** Opened in this process too, for what no command does. */
  readonly store: Store;
  /** Agents numbered so, in the records and the change log and not yet in the index. */
  stitched(from: number, to: number): Promise<void>;
  /** Starts `agent-registry serve`; resolves when it listens. */
  serve(): Promise<Serving>;
  /** Runs a command to its end, which is to be 0. */
  run(args: readonly string[], checks: Checks): Promise<Ended>;
  close(): Promise<void>;
}

export interface Serving {
  readonly command: Command;
  /** Of the list of agents. */
  readonly listUrl: string;
  /** SIGTERM; it is to have lived until now and to end in order. */
  stop(checks: Checks): Promise<void>;
}

export interface WorldOptions {
  /** `records`, or addresses of an OpenSearch with commas between. */
  readonly index: string;
  readonly folder: string;
  readonly env?: Environment;
}

export const agentUrl = (number: number) => `https://a${String(number).padStart(6, '0')}.example/`;

/** A world of its own: a new file, and names in the OpenSearch that nobody else uses. */
export async function openIndexedWorld({ index, folder, env: more }: WorldOptions): Promise<IndexedWorld> {
  const name = `faults-${randomBytes(4).toString('hex')}`;
  const env: Environment = {
    REGISTRY_STORE: `sqlite:${join(folder, `${name}.sqlite`)}`,
    REGISTRY_INDEX: index,
    REGISTRY_INDEX_PREFIX: name,
    REGISTRY_RATE_LIMIT: '10000000',
    ...more,
  };
  const store = await openStore(patientConfig(env), { create: true });
  return {
    env,
    store,
    stitched: (from, to) => addStitched(store, from, to),
    serve: () => serve(env),
    async run(args, checks) {
      const ended = await runCommand(args, env);
      checks.that(`'registry ${args.join(' ')}' ends with 0`, ended.code === 0, ended.stderr.slice(-1_000));
      return ended;
    },
    close: () => store.close(),
  };
}

async function addStitched({ records }: Store, from: number, to: number): Promise<void> {
  const visits = Array.from(
    { length: to - from },
    (_, at) => ({ kind: 'agent', key: agentUrl(from + at), foundVia: 'operator' }) as const,
  );
  await records.sources.add(visits, systemClock.now());
  await stitchDirty(records, () => systemClock.now());
}

async function serve(env: Environment): Promise<Serving> {
  const command = startCommand(['serve', '--port', '0'], { ...env, REGISTRY_LOG_LEVEL: 'warn' });
  const text = await command.until('stdout', /listening on \S+\n/).catch(() => {
    throw new Error(`the API did not start: ${command.stderr()}`);
  });
  const origin = /listening on (\S+)/.exec(text)?.[1] ?? '';
  return {
    command,
    listUrl: `${origin}/api/registry/agents`,
    async stop(checks) {
      checks.that('the API was never started again', command.isRunning(), command.stderr().slice(-1_000));
      const { code } = await command.end('SIGTERM');
      checks.that('the API stops in order', code === 0, command.stderr().slice(-1_000));
    },
  };
}

export async function liveOf({ generations }: AgentIndex): Promise<Generation | undefined> {
  return (await generations.list()).find(({ state }) => state === 'live');
}

/** Makes searches find everything that was written into the live generation. */
export async function settleLive(index: AgentIndex): Promise<void> {
  const live = await liveOf(index);
  if (live !== undefined) await index.settle(live.id);
}
