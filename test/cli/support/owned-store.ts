import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { run, tempFolder } from './cli.ts';
import { follows } from './schemas.ts';
import { prove } from './served.ts';

/** The agent of nova, who can earn badges; orbit is another member. */
export const AGENT = 'https://sales.nova.example/mcp';
export const NOVA = ['--member', 'nova'];
export const MINUTE = 60_000;

/** What `runs show` and `runs start` print. */
export interface Shown {
  readonly run: Readonly<Record<string, unknown>> & { readonly run_id: string };
  readonly failed_steps: readonly Readonly<Record<string, unknown>>[];
  readonly unread: object | null;
  readonly blocked_by: object | null;
}

export interface OwnedStore {
  /** The flag with its address. */
  readonly store: readonly string[];
  /** Runs a command that has to succeed; its stdout. */
  good(...args: string[]): Promise<string>;
  /** The records, as another process has them. */
  elsewhere(): Promise<SqliteRecords>;
  started(...args: string[]): Promise<Shown>;
  shown(id: string, ...args: string[]): Promise<Shown>;
}

/** A store in a folder of its own, in which the agent is owned. */
export async function ownedStore(): Promise<OwnedStore> {
  const path = join(tempFolder(), 'store.sqlite');
  const store = ['--store', `sqlite:${path}`];
  await fill(path);
  await prove(store, AGENT, 'nova');
  const good = async (...args: string[]) => {
    const ran = await run(...args, ...store);
    expect(ran.code, ran.stderr).toBe(0);
    return ran.stdout;
  };
  const json = async (...args: string[]) =>
    follows<Shown>(await good(...args, '--json'), 'cli/runs-show.json');
  return {
    store,
    good,
    async elsewhere() {
      const records = await openSqliteRecords({ path });
      onTestFinished(() => records.close());
      return records;
    },
    started: (...args) => json('runs', 'start', AGENT, ...args),
    shown: (id, ...args) => json('runs', 'show', AGENT, id, ...args),
  };
}

async function fill(path: string): Promise<void> {
  const records = await openSqliteRecords({ path });
  const orbit = { slug: 'orbit', displayName: 'Orbit', foundingMember: false };
  const nova = { ...orbit, slug: 'nova', tier: 'builder', subscriptionStatus: 'active' };
  await records.members.import([nova, orbit], 1);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'nova' }, 1);
  await records.close();
}
