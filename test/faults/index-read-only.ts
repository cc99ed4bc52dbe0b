import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import { type IndexedWorld, openIndexedWorld } from './support/indexed-world.ts';
import { askList, startListReader } from './support/list-reader.ts';
import { PATIENT, runCommand } from './support/registry.ts';

const AGENTS = 2_000;
const TIMES = 5;
/** So long it stays closed: some passes of its update. */
const CLOSED_MS = 1_500;
const SOON_MS = 120_000;
/** The update looks again after half a minute at most. */
const CATCH_UP_MS = 180_000;
const BLOCKS = ['index.blocks.read_only_allow_delete', 'index.blocks.read_only', 'index.blocks.write'];

export default {
  name: 'index-read-only',
  sentence:
    'reads go on; it is told by name; no rebuild begins; nothing lost, and the index catches up by itself',
  run: closeToWrites,
} satisfies Fault;

async function closeToWrites(context: FaultContext) {
  const checks = new Checks();
  const { url } = await context.engines.openSearch();
  const world = await openIndexedWorld({ index: url, folder: context.folder, env: PATIENT });
  const batch = scaled(AGENTS, context.scale);
  const times = Math.max(1, scaled(TIMES, context.scale));
  try {
    await world.stitched(0, batch);
    const serving = await world.serve();
    const listed = async () => (await askList(`${serving.listUrl}?limit=1&total=true`)).status === 200;
    checks.that('the API lists', await waitUntil(listed, SOON_MS));
    const reader = startListReader(`${serving.listUrl}?limit=1`, ({ status, text }) =>
      status === 200 ? { as: 'list' } : { as: `${status}`, wrong: `${status} ${text}` },
    );
    for (let time = 0; time < times; time += 1) {
      const block = BLOCKS[time % BLOCKS.length] as string;
      await waitUntil(() => isEqual(world), CATCH_UP_MS);
      await set(url, world, block, true);
      const from = batch * (time + 1);
      await world.stitched(from, from + batch);
      await pause(CLOSED_MS);
      await waitUntil(() => serving.command.stderr().includes('index_read_only'), SOON_MS);
      await checkTold(world, checks, block);
      await set(url, world, block, null);
      context.log(`${block}: lifted`);
      checks.that(
        `${block}: the index catches up by itself`,
        await waitUntil(() => isEqual(world), CATCH_UP_MS),
      );
    }
    const said = serving.command.stderr();
    const lines = said.split('\n').filter((line) => line.includes('index_read_only'));
    checks.that('the API tells it by name', lines.length > 0, said.slice(-500));
    const { wrong, reads } = await reader.stop();
    checks.that('reads go on', wrong.length === 0, wrong.slice(0, 3));
    const different = await differencesToRecords(world.store);
    checks.that('the index equals the records', different.length === 0, different);
    checks.note(`${reads} reads, ${lines.length} lines of the log`);
    await serving.stop(checks);
    return checks.result(`closed to writes ${times} times, while ${batch} agents are found each time`);
  } finally {
    await world.close();
  }
}

async function isEqual({ store: { records, index } }: IndexedWorld): Promise<boolean> {
  return (await index.count({})) === (await records.agents.countListed());
}

async function checkTold({ env }: IndexedWorld, checks: Checks, block: string): Promise<void> {
  const [status, doctor, rebuild] = await Promise.all(
    [['index', 'status'], ['doctor'], ['index', 'rebuild', '--yes']].map((args) => runCommand(args, env)),
  );
  checks.that(`${block}: index status tells it`, status?.stdout.includes('read-only') === true, status);
  checks.that(
    `${block}: the doctor names the runbook`,
    doctor?.stdout.includes('read-only-index.md') === true,
    doctor,
  );
  checks.that(`${block}: a rebuild is refused at once`, rebuild?.code === 3, rebuild);
  const generations = status?.stdout.match(/^\d+ +(live|building|built)/gm) ?? [];
  checks.that(`${block}: nothing was begun`, generations.length === 1, generations);
}

async function set(url: string, { env }: IndexedWorld, name: string, value: true | null): Promise<void> {
  const answer = await fetch(`${url}/${env.REGISTRY_INDEX_PREFIX}-*/_settings?expand_wildcards=all`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [name]: value }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
