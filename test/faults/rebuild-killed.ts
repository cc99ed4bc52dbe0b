import { waitUntil } from '../engines/start/processes.ts';
import { type EngineProxy, startProxy } from '../engines/start/proxy.ts';
import { type DeadlyMoment, OPENSEARCH_MOMENTS, SQLITE_MOMENTS, watchFor } from './support/deadly-moments.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type IndexedWorld, liveOf, openIndexedWorld } from './support/indexed-world.ts';
import { calmRebuild, killOnce, REBUILD, type Scene } from './support/kill-rebuild.ts';
import { type Command, PATIENT, startCommand } from './support/registry.ts';

/** On each engine. */
const KILLS = 50;
const AGENTS = 1_500;
const SOON_MS = 60_000;
const PRELOAD = new URL('./support/die-at-statement.ts', import.meta.url).href;

export default {
  name: 'rebuild-killed',
  sentence:
    'readers see the whole old or the whole new set; one live generation; the next run finishes or cleans up',
  run: killRebuilds,
} satisfies Fault;

async function killRebuilds(context: FaultContext) {
  const checks = new Checks();
  const counted = [
    `${await onSqlite(context, checks)} kills on SQLite`,
    `${await onOpenSearch(context, checks)} on OpenSearch`,
  ];
  return checks.result(`${counted.join(', ')}, ${AGENTS} agents`);
}

async function onSqlite(context: FaultContext, checks: Checks): Promise<number> {
  const world = await openIndexedWorld({ index: 'records', folder: context.folder });
  const start = (moment?: DeadlyMoment) =>
    startCommand(REBUILD, {
      ...world.env,
      ...(moment && { NODE_OPTIONS: `--import ${PRELOAD}`, FAULT_DIE_AT: JSON.stringify(moment) }),
    });
  const engine = { name: 'SQLite', moments: SQLITE_MOMENTS, start, isAtRest: () => true };
  return killIn(engine, world, context, checks);
}

/** The rebuild goes through a proxy, which kills it; nobody else does. */
async function onOpenSearch(context: FaultContext, checks: Checks): Promise<number> {
  const { url } = await context.engines.openSearch();
  const proxy = await startProxy(url);
  try {
    const world = await openIndexedWorld({ index: url, folder: context.folder, env: PATIENT });
    const start = (moment?: DeadlyMoment) => {
      const command = startCommand(REBUILD, { ...world.env, REGISTRY_INDEX: proxy.url.origin });
      proxy.judge = moment === undefined ? () => 'pass' : deadly(moment, command);
      return command;
    };
    const isAtRest = () => proxy.underWay() === 0;
    const engine = { name: 'OpenSearch', moments: OPENSEARCH_MOMENTS, start, isAtRest };
    return await killIn(engine, world, context, checks);
  } finally {
    await proxy.close();
  }
}

function deadly(moment: DeadlyMoment, command: Command): EngineProxy['judge'] {
  const hasCome = watchFor(moment);
  return (request) => {
    if (!hasCome(request)) return 'pass';
    command.child.kill('SIGKILL');
    return moment.when === 'before' ? 'cut' : 'cut after';
  };
}

interface Engine extends Pick<Scene, 'start' | 'isAtRest'> {
  readonly name: string;
  readonly moments: readonly DeadlyMoment[];
}

async function killIn(
  { name: engine, moments, ...ways }: Engine,
  world: IndexedWorld,
  context: FaultContext,
  checks: Checks,
): Promise<number> {
  await world.stitched(0, AGENTS);
  const serving = await world.serve();
  const isUpdated = await waitUntil(
    async () => (await liveOf(world.store.index))?.documents === AGENTS,
    SOON_MS,
  );
  checks.that(`${engine}: the API updates the index`, isUpdated, serving.command.stderr());
  const scene: Scene = { world, serving, agents: AGENTS, checks, context, ...ways };
  let longestMs = await calmRebuild(scene);
  const kills = scaled(KILLS, context.scale);
  const rest = [...planOf(kills, moments, context)];
  for (let attempt = 0; rest.length > 0 && checks.hold(); attempt += 1) {
    const moment = rest[0];
    const name = `${engine}, ${moment === undefined ? 'any moment' : nameOf(moment)}`;
    const when = moment ?? context.random.int(longestMs);
    const { wasKilled, kinds } = await killOnce(attempt, name, when, scene);
    // a run that is over before its moment comes is none of the kills
    if (wasKilled) rest.shift();
    else longestMs /= 2;
    context.log(`${name}: ${wasKilled ? kinds : 'over before it was killed'}, ${rest.length} kills left`);
  }
  await serving.stop(checks);
  await world.close();
  return kills - rest.length;
}

function nameOf({ step, when, marks }: DeadlyMoment): string {
  return `'${step}' (${when} ${marks.at(-1)})`;
}

/** Four of five are named moments, in some order; the others may be any (undefined). */
function planOf(
  kills: number,
  moments: readonly DeadlyMoment[],
  { random }: FaultContext,
): readonly (DeadlyMoment | undefined)[] {
  const named: (DeadlyMoment | undefined)[] = random
    .shuffled(moments)
    .slice(0, Math.max(1, Math.floor(kills * 0.8)));
  const any = Array.from({ length: kills - named.length }, () => undefined);
  return random.shuffled([...named, ...any]);
}
