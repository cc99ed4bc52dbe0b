import { type ChildProcess, execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RegistryError } from '../../../src/errors.ts';
import { createDatabase, runStatement } from './databases.ts';
import { freePort } from './free-port.ts';
import { type Keeper, startKeeper } from './keeper.ts';
import { findPostgres, type PostgresBinaries, unprivilegedUser } from './postgres-binaries.ts';
import {
  ended,
  endProcess,
  freezeFamily,
  isAlive,
  isRunning,
  killFamily,
  type SystemUser,
  startProcess,
  thawFamily,
  waitUntil,
} from './processes.ts';

const START_MS = 60_000;
const STOP_MS = 10_000;
const PORT_ATTEMPTS = 5;
const DATABASE = 'registry';
/** The role whose members are asked for their passwords. In the server's file from the start: a file that tests change is one's that was last. */
export const ASKED_FOR_PASSWORD = 'asked_for_password';

export interface PostgresOptions {
  /** Whether commits reach the disk (fsync). Default false: tests lose nothing that they need. */
  readonly durable?: boolean;
  /** More settings as in postgresql.conf, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresEngine {
  /** `postgres://…` of an empty database. */
  readonly url: string;
  /** The postmaster's process id; another one after a restart. */
  readonly pid: number;
  /** An orderly shutdown; the data is removed. */
  readonly stop: () => Promise<void>;
  /** SIGKILL for the postmaster and its children; the data stays and `restart` recovers it. */
  readonly kill: () => Promise<void>;
  /** Shuts down if it runs, then starts on the same data and port. */
  readonly restart: () => Promise<void>;
  /** SIGSTOP for the postmaster and its children: connections hang. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Creates an empty database and returns its URL. */
  readonly createDatabase: (name?: string) => Promise<string>;
}

/**
 * Starts a PostgreSQL of its own on a free port of 127.0.0.1, with its data in a temporary folder, and
 * returns when it answers. Anybody on this machine may connect (`trust`), but for the members of one role. Where it can, text sorts by a
 * language's rules, as in most installations, so that code which needs byte order has to say so.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresEngine> {
  const home = await initialise();
  try {
    const port = await startOnFreePort(home, options);
    const url = await createDatabase(`postgres://${DATABASE}@127.0.0.1:${port}/postgres`, DATABASE);
    await runStatement(url, `CREATE ROLE ${ASKED_FOR_PASSWORD}`);
    return engine(home, url, () => start(home, port, options));
  } catch (error) {
    await home.keeper.release();
    throw error;
  }
}

interface Home {
  readonly folder: string;
  readonly data: string;
  readonly logFile: string;
  readonly keeper: Keeper;
  readonly binaries: PostgresBinaries;
  readonly user: SystemUser | undefined;
  process?: ChildProcess;
}

function engine(home: Home, url: string, startAgain: () => Promise<void>): PostgresEngine {
  const pid = () => home.process!.pid!;
  const shutDown = () => endProcess(home.process!, 'SIGINT', STOP_MS); // "fast": does not wait for clients
  return {
    url,
    get pid() {
      return pid();
    },
    stop: async () => {
      await shutDown();
      await home.keeper.release();
    },
    kill: async () => {
      const family = isRunning(home.process!) ? killFamily(pid()) : [];
      await ended(home.process!);
      // a backend that is still ending holds the shared memory, and the next server refuses to start
      await waitUntil(() => !family.some(isAlive), STOP_MS);
    },
    restart: async () => {
      await shutDown();
      await startAgain();
    },
    freeze: () => freezeFamily(pid()),
    thaw: () => thawFamily(pid()),
    createDatabase: (name) => createDatabase(url, name),
  };
}

async function initialise(): Promise<Home> {
  const binaries = findPostgres();
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'registry-postgres-'));
  const keeper = startKeeper(folder);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  try {
    await promisify(execFile)(binaries.initdb, initArguments(data, binaries.major), { cwd: folder, ...user });
  } catch (error) {
    await keeper.release();
    throw notStarted('initdb failed', String((error as { stderr?: string }).stderr ?? error));
  }
  const access = join(data, 'pg_hba.conf');
  const asked = `host all +${ASKED_FOR_PASSWORD} 127.0.0.1/32 scram-sha-256\n`;
  writeFileSync(access, asked + readFileSync(access, 'utf8'));
  return { folder, data, logFile: join(folder, 'log'), keeper, binaries, user };
}

function initArguments(data: string, major: number): string[] {
  // The ICU provider is there from version 15 on, and the same everywhere; locales of libc may be missing.
  const locale = major >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US'] : [];
  const access = ['--username', DATABASE, '--auth=trust'];
  return ['--pgdata', data, '--encoding=UTF8', '--locale=C', ...locale, ...access, '--no-sync'];
}

async function startOnFreePort(home: Home, options: PostgresOptions): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      await start(home, port, options);
      return port;
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !lastWords(home.logFile).includes('Address already in use'))
        throw error;
    }
  }
}

async function start(home: Home, port: number, options: PostgresOptions): Promise<void> {
  const args = serverArguments(home.data, port, options);
  const { logFile, user, folder: cwd } = home;
  const child = await startProcess({ command: home.binaries.postgres, args, cwd, logFile, user });
  const pid = child.pid!;
  home.process = child;
  home.keeper.watch(pid, 'SIGQUIT'); // "immediate": also gives back the shared memory
  child.once('exit', () => home.keeper.forget(pid));
  const settled = await waitUntil(() => !isRunning(child) || isReady(home.data, pid), START_MS);
  if (settled && isRunning(child)) return;
  killFamily(pid);
  throw notStarted(`PostgreSQL did not start on port ${port}`, lastWords(logFile));
}

function serverArguments(data: string, port: number, options: PostgresOptions): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap', // files in the data folder, gone with it
    max_connections: '200',
    ...(options.durable !== true && { fsync: 'off', full_page_writes: 'off' }),
    ...options.settings,
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The last line of `postmaster.pid` says it; asking the port could be answered by somebody else's server. */
function isReady(data: string, pid: number): boolean {
  const lines = textOf(join(data, 'postmaster.pid')).split('\n');
  return lines[0]?.trim() === String(pid) && lines[7]?.trim() === 'ready';
}

/** Empty where there is none: after a kill the old one is removed at any moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function lastWords(logFile: string): string {
  return existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n') : '';
}

function notStarted(what: string, log: string): RegistryError {
  return new RegistryError('store_unavailable', `${what}: ${log}`, {
    hint: 'what the server said is in the message; free what it needs (disk, memory, port) and start again',
  });
}
