import { syntheticAgents } from '../../bench/synthetic-agents.ts';
import type { SavedDocument } from '../../src/domain/agent-document.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { type OpenSearchEngine, type OpenSearchNode, startOpenSearch } from '../engines/start/opensearch.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type IndexedWorld, liveOf, openIndexedWorld, settleLive } from './support/indexed-world.ts';
import { takeNext } from './support/take-next.ts';

const TIMES = 5;
const NODES = 3;
const BATCH = 50;
/** Batches that are acknowledged before a kill at most, and after it at least. */
const BATCHES_BEFORE = 10;
const BATCHES_AFTER = 10;
const PAGE = 5_000;
const SOON_MS = 120_000;

export default {
  name: 'opensearch-node-lost',
  isLong: true,
  sentence:
    'one of three nodes killed while documents are written (replicas 1): no acknowledged document is lost',
  run: loseNodes,
} satisfies Fault;

async function loseNodes(context: FaultContext) {
  const times = scaled(TIMES, context.scale);
  const checks = new Checks();
  context.log(`starting an OpenSearch of ${NODES} nodes`);
  const engine = await startOpenSearch({ nodes: NODES, shortLived: true });
  try {
    const env = { REGISTRY_INDEX_REPLICAS: '1' };
    const world = await openIndexedWorld({ index: engine.urls.join(','), folder: context.folder, env });
    const writer = await openWriter(world.store.index, times);
    for (let time = 1; time <= times; time += 1) await loseOne(time, engine, world, writer, context, checks);
    checks.note(`${writer.acknowledged.size} documents acknowledged, ${writer.refused()} writes tried again`);
    await world.close();
    return checks.result(`${times} times one of ${NODES} nodes`);
  } finally {
    await engine.stop();
  }
}

/** Writes one batch after the other, each until it is acknowledged. */
interface Writer {
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Writes that were rejected and tried again. */
  refused(): number;
  /** Resolves when so many more batches are acknowledged. */
  write(batches: number): Promise<void>;
}

async function openWriter(index: AgentIndex, times: number): Promise<Writer> {
  const live = await liveOf(index);
  if (live === undefined) throw new Error('no generation is live');
  const documents = syntheticAgents((BATCHES_BEFORE + BATCHES_AFTER) * times * BATCH);
  const acknowledged = new Map<string, number>();
  let refused = 0;
  const put = async (batch: readonly SavedDocument[]) => {
    const isTaken = await index.generations.write(live.id, batch).then(
      () => true,
      () => false,
    );
    if (isTaken) for (const { agent, version } of batch) acknowledged.set(agent, version);
    else refused += 1;
    return isTaken;
  };
  return {
    acknowledged,
    refused: () => refused,
    async write(batches) {
      for (let batch = 0; batch < batches; batch += 1) {
        const next = takeNext(documents, BATCH);
        if (!(await waitUntil(() => put(next), SOON_MS))) throw new Error('no write is taken any more');
      }
    },
  };
}

async function loseOne(
  time: number,
  engine: OpenSearchEngine,
  { env, store }: IndexedWorld,
  writer: Writer,
  { random, log }: FaultContext,
  checks: Checks,
): Promise<void> {
  await healthy(engine.url);
  await writer.write(1 + random.int(BATCHES_BEFORE));
  // the one with the primary copy in turn with any
  const victim =
    time % 2 === 1 ? await primaryOf(engine, env.REGISTRY_INDEX_PREFIX ?? '') : random.pick(engine.nodes);
  const [goesOn] = await Promise.all([writer.write(BATCHES_AFTER), victim.kill()]).then(
    () => [true],
    () => [false],
  );
  checks.that(`loss ${time}: writing goes on`, goesOn === true);
  const lost = await missing(store.index, writer.acknowledged);
  checks.that(`loss ${time}: all are there while the node is away`, lost.length === 0, lost.slice(0, 3));
  await victim.restart();
  await healthy(engine.url);
  const lostAfter = await missing(store.index, writer.acknowledged);
  checks.that(`loss ${time}: all are there when it is back`, lostAfter.length === 0, lostAfter.slice(0, 3));
  log(`loss ${time}: ${writer.acknowledged.size} documents acknowledged so far, ${lost.length} lost`);
}

async function primaryOf({ url, nodes }: OpenSearchEngine, prefix: string): Promise<OpenSearchNode> {
  const answer = await fetch(`${url}/_cat/shards/${prefix}-*?format=json&h=prirep,node`);
  const shards = (await answer.json()) as readonly { readonly prirep: string; readonly node: string }[];
  const name = shards.find(({ prirep }) => prirep === 'p')?.node; // node-1 is the first
  const node = nodes[Number(name?.slice('node-'.length)) - 1];
  if (node === undefined) throw new Error(`the node ${name} is not one of ours`);
  return node;
}

/** What was acknowledged and is not found, or in an older version; and what is found twice or was never written. */
async function missing(
  index: AgentIndex,
  acknowledged: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const found = new Map<string, number>();
  const faults: string[] = [];
  const isRead = await waitUntil(() => read(index, found, faults).catch(() => false), SOON_MS);
  if (!isRead) return ['the index cannot be read'];
  const lost = [...acknowledged].filter(([agent, seq]) => found.get(agent) !== seq);
  if (found.size !== acknowledged.size) faults.push(`${found.size} found of ${acknowledged.size}`);
  return [...lost.map(([agent]) => agent), ...faults];
}

/** The whole list, or a rejection. */
async function read(index: AgentIndex, found: Map<string, number>, faults: string[]): Promise<boolean> {
  found.clear();
  faults.length = 0;
  await settleLive(index);
  for (let after: string | undefined; ; ) {
    const { hits } = await index.search({ filter: {}, limit: PAGE, ...(after !== undefined && { after }) });
    for (const { url, seq } of hits) {
      if (found.has(url)) faults.push(`${url} is there twice`);
      found.set(url, seq);
    }
    after = hits.at(-1)?.url;
    if (after === undefined) return true;
  }
}

/** Every copy on its node: what is lost before is no promise. */
async function healthy(url: string): Promise<void> {
  const query = `wait_for_status=green&wait_for_nodes=${NODES}&timeout=${SOON_MS}ms`;
  const { ok } = await fetch(`${url}/_cluster/health?${query}`);
  if (!ok) throw new Error('the cluster does not become green');
}
