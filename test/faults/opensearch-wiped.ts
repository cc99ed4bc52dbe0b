import { rmSync } from 'node:fs';
import type { OpenSearchEngine, OpenSearchNode } from '../engines/start/opensearch.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import { agentUrl, type IndexedWorld, openIndexedWorld } from './support/indexed-world.ts';
import { sameAgents, startListReader, wholeOr503 } from './support/list-reader.ts';

const AGENTS = 1_000;
/** Found while there is no index. */
const FOUND_MEANWHILE = 100;
const SOON_MS = 60_000;
/** So long that the update tried to write several times. */
const READS_WITHOUT = 100;

export default {
  name: 'opensearch-wiped',
  sentence: 'one command brings the index back from the records; until then 503, never a part',
  run: wipe,
} satisfies Fault;

interface Loss {
  readonly name: string;
  cause(engine: OpenSearchEngine): Promise<void>;
}

const LOSSES: readonly Loss[] = [
  {
    name: 'all indices deleted',
    async cause({ url }) {
      const { ok, status } = await fetch(`${url}/_all`, { method: 'DELETE' });
      if (!ok) throw new Error(`the indices could not be deleted: ${status}`);
    },
  },
  {
    name: 'the data folder removed',
    async cause({ nodes }) {
      const node = nodes[0] as OpenSearchNode;
      await node.stop();
      rmSync(node.dataFolder, { recursive: true });
      await node.restart();
    },
  },
];

async function wipe(context: FaultContext) {
  const checks = new Checks();
  const engine = await context.engines.openSearch();
  const agents = scaled(AGENTS, context.scale);
  for (const loss of LOSSES) {
    const world = await openIndexedWorld({ index: engine.url, folder: context.folder });
    await loseIndex(loss, agents, engine, world, context, checks);
    await world.close();
  }
  return checks.result(`${LOSSES.map(({ name }) => name).join(' and ')}, each once with ${agents} agents`);
}

async function loseIndex(
  { name, cause }: Loss,
  count: number,
  engine: OpenSearchEngine,
  world: IndexedWorld,
  context: FaultContext,
  checks: Checks,
): Promise<void> {
  await world.stitched(0, count);
  const serving = await world.serve();
  const all = Array.from({ length: count + FOUND_MEANWHILE }, (_, at) => agentUrl(at));
  const whole = (agents: readonly string[]) => {
    if (sameAgents(agents, all.slice(0, count))) return 'before';
    return sameAgents(agents, all) ? 'after' : undefined;
  };
  const filled = startListReader(serving.listUrl, ({ agents }) => ({ as: whole(agents) ?? 'filling' }));
  checks.that(
    `${name}: the API updates the index`,
    await waitUntil(() => filled.last() === 'before', SOON_MS),
  );
  await filled.stop();
  const reader = startListReader(serving.listUrl, wholeOr503(whole), serving.command.pid);
  await cause(engine);
  checks.that(`${name}: reads answer 503`, await waitUntil(() => reader.last() === '503', SOON_MS));
  await world.stitched(count, count + FOUND_MEANWHILE);
  const another = await world.serve();
  const others = startListReader(another.listUrl, wholeOr503(whole), another.command.pid);
  const goesOn = () => reader.count('503') >= READS_WITHOUT && others.count('503') >= READS_WITHOUT;
  checks.that(
    `${name}: it stays so, in a new process too`,
    await waitUntil(goesOn, 3 * SOON_MS),
    others.last(),
  );
  const left = await indices(engine, world);
  checks.that(`${name}: nobody makes an index by a write`, left.length === 0, left);

  await world.run(['index', 'rebuild', '--yes'], checks);
  const isBack = () => reader.last() === 'after' && others.last() === 'after';
  checks.that(`${name}: one command brings it back`, await waitUntil(isBack, SOON_MS), reader.last());
  for (const [who, { wrong, kinds }] of [
    ['the API', await reader.stop()],
    ['the new process', await others.stop()],
  ] as const) {
    checks.that(`${name}: ${who} answers whole or 503`, wrong.length === 0, wrong.slice(0, 3));
    context.log(`${name}: ${who} answered ${kinds}`);
    checks.note(`${name}: ${who} ${kinds}`);
  }
  const different = await differencesToRecords(world.store);
  checks.that(`${name}: the index equals the records`, different.length === 0, different);
  await serving.stop(checks);
  await another.stop(checks);
}

async function indices({ url }: OpenSearchEngine, { env }: IndexedWorld): Promise<readonly string[]> {
  const answer = await fetch(`${url}/${env.REGISTRY_INDEX_PREFIX}*?expand_wildcards=all`);
  return Object.keys((await answer.json()) as object);
}
