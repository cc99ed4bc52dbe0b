import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { pino } from 'pino';
import { crawl, openRun } from '../../../pipelines/crawl.ts';
import { startSandbox } from '../../../reference-agents/src/start-sandbox.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { openStore } from '../../../src/compose/engines.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { composeCrawl } from '../../../src/compose/visits.ts';
import { readConfig } from '../../../src/config.ts';
import type { SourceKey } from '../../../src/domain/source.ts';
import type { Records } from '../../../src/ports/records.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { run, tempFolder } from '../../cli/support/cli.ts';

/** More than any list here has. */
const ALL = 100_000;

/** A store made by a real crawl of a small sandbox, with members; the sources that it holds. */
export async function crawledStore(folder: string): Promise<{ path: string; sources: readonly SourceKey[] }> {
  const path = join(folder, 'crawled.sqlite');
  const sandbox = await startSandbox({ seed: 11, publishers: 20, managed: 10 });
  const config = {
    ...readConfig({}),
    store: `sqlite:${path}`,
    // on a busy machine a good site takes seconds; those of the sandbox that hang take all of it, together
    visitDeadlineMs: 20_000,
    probeDeadlineMs: 20_000,
  };
  const store = await openStore(config, { create: true });
  const fetcher = composeFetcher(config, { connectTo: sandbox.connectTo }, systemClock, store.records.robots);
  try {
    await addMembers(store.records, sandbox.expectations.agents[0]?.url ?? '');
    const log = pino({ level: 'silent' });
    const signal = new AbortController().signal;
    const context = composeCrawl({ config, store, fetcher, clock: systemClock, log, signal });
    const seeds = sandbox.domains.all.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    await crawl(await openRun({ seeds, fingerprint: 'sandbox', maxDepth: 1 }, context));
  } finally {
    await fetcher.close();
    await store.close();
    await sandbox.close();
  }
  const domains = sandbox.domains.all.flatMap((key): SourceKey[] => [
    { kind: 'adagents', key },
    { kind: 'brand', key },
  ]);
  const agents = sandbox.expectations.agents.map(({ url }): SourceKey => ({ kind: 'agent', key: url }));
  return { path, sources: [...domains, ...agents] };
}

async function addMembers(records: Records, agent: string): Promise<void> {
  const members = ['nova', 'orbit'].map((slug) => ({
    slug,
    displayName: slug,
    foundingMember: slug === 'nova',
  }));
  await records.members.import(members, systemClock.now());
  await records.members.register({ agent, url: agent, member: 'nova', name: 'Nova' }, systemClock.now());
}

/** What the records answer to everything that can be asked of them without changing them. */
export async function answersOf(records: Records, sources: readonly SourceKey[], now: number) {
  const listed = await records.agents.listed(undefined, ALL);
  const agents = listed.map(({ agent }) => agent);
  const journeys = await Promise.all(sources.map((source) => records.sources.journey(source, ALL)));
  const captures = journeys.flatMap((journey) => journey?.captures ?? []);
  const hashes = new Set(captures.flatMap(({ bodyHash }) => bodyHash ?? []));
  return {
    id: await records.id(),
    secret: hex(await records.secret('cursor', 32)),
    badgeSecret: hex(await records.secret('badge', 32)),
    listed,
    facts: await records.agents.facts(agents),
    live: await records.agents.live(agents),
    observations: await Promise.all(agents.map((agent) => records.agents.observations(agent, ALL))),
    authorisations: await Promise.all(agents.map((agent) => records.agents.authorisations(agent, ALL))),
    mentions: await Promise.all(agents.map((agent) => records.agents.mentions(agent, ALL))),
    changes: await records.agents.changes(0, ALL),
    lastSeq: await records.agents.lastSeq(),
    members: await records.members.list(),
    journeys,
    declarations: await Promise.all(sources.map((source) => records.sources.declaration(source))),
    bodies: await Promise.all([...hashes].map(async (hash) => hex(await records.sources.body(hash)))),
    countDue: await records.sources.countDue(now),
    due: await Promise.all((['domain', 'agent'] as const).map((kind) => records.sources.due(kind, ALL, now))),
  };
}

const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

/** Asks the database itself. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** `agent-registry migrate` of a file. */
export function migrate(path: string, url: string, ...flags: readonly string[]) {
  return run('migrate', '--from', `sqlite:${path}`, '--to', url, ...flags);
}

export function sha256(path: string): string {
  return hash('sha256', readFileSync(path));
}

/** A SQLite file of a store, filled by hand. */
export async function madeStore(fill: (database: DatabaseSync) => void): Promise<string> {
  const path = join(tempFolder(), 'made.sqlite');
  await (await openSqliteRecords({ path })).close();
  const database = new DatabaseSync(path);
  fill(database);
  database.close();
  return path;
}

/** A store with nothing in it. */
export const emptyStore = (): Promise<string> => madeStore(() => {});
