import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { agentUrl, openIndexedWorld, type Serving } from './support/indexed-world.ts';
import { askList, sameAgents } from './support/list-reader.ts';

const AGENTS = 2_000;
const TIMES = 5;
const SOON_MS = 120_000;
const PAGE = 4_096;

export default {
  name: 'store-damaged',
  sentence:
    'not ready while lists are 503 or the file is none; ready and whole by itself when it is restored (SQLite)',
  run: damage,
} satisfies Fault;

/** What happens to the file; each is undone by writing the good bytes back in its place. */
interface Damage {
  readonly name: string;
  readonly spoil: (path: string, good: Buffer) => void;
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'overwritten behind its first page',
    spoil: (path, good) => writeFileSync(path, Buffer.from(good).fill(0xee, PAGE)),
  },
  { name: 'overwritten', spoil: (path) => writeFileSync(path, 'this is no database\n'.repeat(1_000)) },
  { name: 'emptied', spoil: (path) => writeFileSync(path, '') },
  { name: 'moved away', spoil: (path) => renameSync(path, `${path}.moved`) },
];

async function damage(context: FaultContext) {
  const { scale, folder, log } = context;
  const checks = new Checks();
  const agents = Math.max(200, scaled(AGENTS, scale));
  const world = await openIndexedWorld({ index: 'records', folder });
  const path = String(world.env.REGISTRY_STORE).slice('sqlite:'.length);
  await world.stitched(0, agents);
  const all = Array.from({ length: agents }, (_, at) => agentUrl(at));
  await world.run(['index', 'rebuild', '--yes'], checks);
  await world.close(); // only the API has it open
  const times = scaled(TIMES, scale);
  let done = 0;
  const serving = await world.serve();
  for (let round = 0; round < times; round += 1)
    for (const { name, spoil } of DAMAGES) {
      settle(path);
      const good = readFileSync(path);
      spoil(path, good);
      const isSeen = await waitUntil(async () => (await statusOf(serving, '/readyz')) === 503, SOON_MS);
      const { text } = await readiness(serving);
      checks.that(
        `${name}: it is not ready, by name`,
        isSeen && /store_(corrupt|missing)/.test(text),
        text + serving.command.stderr().slice(-1_200),
      );
      checks.that(`${name}: it is alive`, (await statusOf(serving, '/healthz')) === 200);
      writeFileSync(path, good);
      const isBack = await waitUntil(async () => {
        const { agents: found } = await askList(`${serving.listUrl}?type=unknown&limit=${agents + done}`);
        const list = found.length > 0 ? found : (await askList(serving.listUrl)).agents;
        return (await statusOf(serving, '/readyz')) === 200 && sameAgents(list, all);
      }, SOON_MS);
      checks.that(`${name}: it is ready and whole again`, isBack, await readiness(serving));
      done += 1;
      log(`${name}: done`);
    }
  await serving.stop(checks);
  return checks.result(`${done} times, each way ${times}, with ${agents} agents under one API`);
}

/** Everything is in the file itself, and nothing beside it. */
function settle(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function readiness({ listUrl }: Serving): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(new URL('/readyz', listUrl));
  return { status: answer.status, text: await answer.text() };
}

async function statusOf({ listUrl }: Serving, path: string): Promise<number> {
  const answer = await fetch(new URL(path, listUrl));
  await answer.arrayBuffer();
  return answer.status;
}
