import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/compose/clock.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitch } from '../../src/index/generations/stitch-and-index.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import {
  agentUrl,
  type IndexedWorld,
  liveOf,
  openIndexedWorld,
  type Serving,
} from './support/indexed-world.ts';
import { askList } from './support/list-reader.ts';
import { PATIENT, startCommand } from './support/registry.ts';

const AGENTS = 200;
const WRITES = 100;
const SOON_MS = 60_000;
const AGAIN_MS = 20;
const MEMBER = 'nova';
const NO_GROUPS = { health: false, capabilities: false, properties: false, compliance: false };

export default {
  name: 'rollback-after-writes',
  sentence: 'all are visible after the rollback, those too that are made while it goes on',
  run: rollBack,
} satisfies Fault;

interface Scene {
  readonly engine: string;
  readonly world: IndexedWorld;
  readonly serving: Serving;
  readonly writes: number;
  readonly context: FaultContext;
  readonly checks: Checks;
}

async function rollBack(context: FaultContext) {
  const checks = new Checks();
  const writes = scaled(WRITES, context.scale);
  const { url } = await context.engines.openSearch();
  for (const [engine, index] of Object.entries({ SQLite: 'records', OpenSearch: url })) {
    const world = await openIndexedWorld({ index, folder: context.folder, env: PATIENT });
    await importMember(world);
    await world.stitched(0, AGENTS);
    const serving = await world.serve();
    const isUpdated = async () => (await liveOf(world.store.index))?.documents === AGENTS;
    checks.that(`${engine}: the API updates the index`, await waitUntil(isUpdated, SOON_MS));
    await rollBackOn({ engine, world, serving, writes, context, checks });
    await serving.stop(checks);
    await world.close();
  }
  return checks.result(`${writes} writes after a promote on SQLite, ${writes} on OpenSearch`);
}

/** Some writes are before the rollback, the others while it goes on; the API updates the live generation all the while. */
async function rollBackOn({ engine, world, serving, writes, context, checks }: Scene): Promise<void> {
  const { index } = world.store;
  await world.run(['index', 'rebuild', '--yes'], checks);
  const promoted = await liveOf(index);
  const before = 1 + context.random.int(writes);
  for (let at = 0; at < before; at += 1) await write(world, at);
  const rollback = startCommand(['index', 'rollback', '--yes'], world.env);
  for (let at = before; at < writes; at += 1) await write(world, at);
  const { code } = await rollback.ended;
  checks.that(`${engine}: the rollback ends with 0`, code === 0, rollback.stderr());
  const missing = await unseen(before, () => namesIn(index));
  checks.that(`${engine}: ${before} are visible at its end`, missing.length === 0, missing);
  const live = await liveOf(index);
  const isBack = live !== undefined && live.id !== promoted?.id;
  checks.that(`${engine}: the generation before is live`, isBack, live);

  let left: readonly string[] = [];
  const isAllSeen = async () => {
    left = await unseen(writes, async () => (await askList(serving.listUrl)).names);
    return left.length === 0;
  };
  checks.that(`${engine}: the API shows all ${writes}`, await waitUntil(isAllSeen, SOON_MS), left);
  const different = await differencesToRecords(world.store);
  checks.that(`${engine}: the index equals the records`, different.length === 0, different);
  checks.note(`${engine}: ${before} writes before the rollback, ${writes - before} meanwhile`);
}

async function importMember({ store }: IndexedWorld): Promise<void> {
  const member = { slug: MEMBER, displayName: 'Nova Media', foundingMember: false };
  await store.records.members.import([member], systemClock.now());
}

/** A registration of a new agent, or (every third) of one that is there and gets another name; in the change log. */
async function write({ store }: IndexedWorld, at: number): Promise<void> {
  const { records, index } = store;
  const url = agentUrl(at % 3 === 0 ? at : AGENTS + at);
  await records.members.register({ agent: url, url, member: MEMBER, name: nameOf(at) }, systemClock.now());
  // the API stitches too, and only one may at a time
  while (!(await stitch({ records, index, clock: systemClock, rederive: deriveStored })))
    await pause(AGAIN_MS);
}

function nameOf(at: number): string {
  return `Written ${at}`;
}

async function namesIn({ search }: IndexedWorld['store']['index']): Promise<readonly string[]> {
  const { hits } = await search({ filter: {}, limit: AGENTS + WRITES, shown: NO_GROUPS });
  return hits.map(({ groups }) => (JSON.parse(groups?.base ?? '{}') as { readonly name: string }).name);
}

/** The names of the first `count` writes that are not among those shown. */
async function unseen(count: number, shown: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const names = new Set(await shown());
  return Array.from({ length: count }, (_, at) => nameOf(at)).filter((name) => !names.has(name));
}
