import { DatabaseSync } from 'node:sqlite';
import type { OpenSearchEngine } from '../engines/start/opensearch.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import { agentUrl, type IndexedWorld, openIndexedWorld, type Serving } from './support/indexed-world.ts';
import { sameAgents, startListReader, wholeOr503 } from './support/list-reader.ts';
import { runCommand } from './support/registry.ts';

const AGENTS = 1_000;
const SOON_MS = 60_000;

export default {
  name: 'index-parts-removed',
  sentence:
    '503 and not ready by the name index_missing, never a part; one command brings all back from the records',
  run: removeParts,
} satisfies Fault;

interface Part {
  readonly name: string;
  readonly remove: (world: IndexedWorld) => Promise<void>;
}

const ON_SQLITE: readonly Part[] = [
  {
    name: 'the mark of the live generation (SQLite)',
    remove: inFile(() => [
      "DELETE FROM index_generation WHERE state = 'previous'",
      "UPDATE index_generation SET state = 'previous'",
    ]),
  },
  {
    name: 'the live generation (SQLite)',
    remove: inFile((tables) => [
      "DELETE FROM index_generation WHERE state = 'live'",
      ...tables.map((table) => `DROP TABLE ${table}`),
    ]),
  },
];

const onOpenSearch = (engine: OpenSearchEngine): readonly Part[] => [
  {
    name: 'all aliases (OpenSearch)',
    async remove({ env }) {
      const all = await ask(engine, 'GET', `/${env.REGISTRY_INDEX_PREFIX}*/_alias`);
      const actions = Object.entries(all as Record<string, { aliases: object }>).flatMap(
        ([index, { aliases }]) => Object.keys(aliases).map((alias) => ({ remove: { index, alias } })),
      );
      await ask(engine, 'POST', '/_aliases', { actions });
    },
  },
  {
    name: 'the live generation (OpenSearch)',
    async remove({ env }) {
      const all = await ask(engine, 'GET', `/${env.REGISTRY_INDEX_PREFIX}*/_alias`);
      for (const index of Object.keys(all)) await ask(engine, 'DELETE', `/${index}`);
    },
  },
];

async function removeParts(context: FaultContext) {
  const checks = new Checks();
  const engine = await context.engines.openSearch();
  const agents = Math.max(100, scaled(AGENTS, context.scale));
  for (const [index, parts] of [
    ['records', ON_SQLITE],
    [engine.url, onOpenSearch(engine)],
  ] as const)
    await removeEach(
      parts,
      agents,
      await openIndexedWorld({ index, folder: context.folder }),
      context,
      checks,
    );
  return checks.result(`4 parts, each once, with ${agents} agents under one API for each engine`);
}

async function removeEach(
  parts: readonly Part[],
  agents: number,
  world: IndexedWorld,
  { log }: FaultContext,
  checks: Checks,
): Promise<void> {
  const all = Array.from({ length: agents }, (_, at) => agentUrl(at));
  await world.stitched(0, agents);
  await world.run(['index', 'rebuild', '--yes'], checks);
  const serving = await world.serve();
  for (const { name, remove } of parts) {
    const reader = startListReader(
      serving.listUrl,
      wholeOr503((found) => (sameAgents(found, all) ? 'all' : undefined)),
      serving.command.pid,
    );
    checks.that(`${name}: all are listed before`, await waitUntil(() => reader.last() === 'all', SOON_MS));
    await remove(world);
    checks.that(`${name}: reads answer 503`, await waitUntil(() => reader.last() === '503', SOON_MS));
    await checkNamed(name, world, serving, checks);
    await world.run(['index', 'rebuild', '--yes'], checks);
    checks.that(
      `${name}: one command brings it back`,
      await waitUntil(() => reader.last() === 'all', SOON_MS),
    );
    const isReady = await waitUntil(async () => (await readiness(serving)).status === 200, SOON_MS);
    checks.that(`${name}: it is ready again`, isReady, await readiness(serving));
    const { wrong, kinds } = await reader.stop();
    checks.that(`${name}: reads are whole or 503`, wrong.length === 0, wrong.slice(0, 3));
    log(`${name}: ${kinds}`);
  }
  const different = await differencesToRecords(world.store);
  checks.that('the index equals the records', different.length === 0, different);
  await serving.stop(checks);
  await world.close();
}

async function checkNamed(
  name: string,
  { env }: IndexedWorld,
  serving: Serving,
  checks: Checks,
): Promise<void> {
  const { status, text } = await readiness(serving);
  checks.that(
    `${name}: it is not ready, by name`,
    status === 503 && text.includes('index (index_missing)'),
    text,
  );
  const doctor = await runCommand(['doctor'], env);
  checks.that(`${name}: the doctor says what to do`, /index rebuild/.test(doctor.stdout), doctor.stdout);
}

/** Statements on the file, with the tables of the generations that are there. */
function inFile(texts: (tables: readonly string[]) => readonly string[]): Part['remove'] {
  return async ({ env }) => {
    const database = new DatabaseSync(String(env.REGISTRY_STORE).slice('sqlite:'.length), { timeout: 5_000 });
    const live = database.prepare("SELECT id FROM index_generation WHERE state = 'live'").get()?.id;
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = tables
      .map(({ name }) => String(name))
      .filter((name) => name.startsWith('index_') && name.endsWith(`_${live}`));
    for (const text of texts(names)) database.exec(text);
    database.close();
  };
}

async function readiness({ listUrl }: Serving): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(new URL('/readyz', listUrl));
  return { status: answer.status, text: await answer.text() };
}

async function ask({ url }: OpenSearchEngine, method: string, path: string, body?: object): Promise<object> {
  const answer = await fetch(new URL(path, url), {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as object;
}
