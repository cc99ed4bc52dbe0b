import { setTimeout as pause } from 'node:timers/promises';
import { REBUILD_LEASE } from '../../../pipelines/rebuild.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { hasEnded } from '../../../src/this-process.ts';
import { waitUntil } from '../../engines/start/processes.ts';
import type { DeadlyMoment } from './deadly-moments.ts';
import type { Checks, FaultContext } from './fault.ts';
import { agentUrl, type IndexedWorld, type Serving } from './indexed-world.ts';
import { startListReader } from './list-reader.ts';
import { judgeSets, makeOldSet } from './old-set.ts';
import type { Command } from './registry.ts';

const SOON_MS = 60_000;
export const REBUILD = ['index', 'rebuild', '--yes'] as const;

/** An engine, and how a rebuild on it is killed at a moment. */
export interface Scene {
  readonly world: IndexedWorld;
  readonly serving: Serving;
  /** How many there are, by the numbers from 0 up. */
  readonly agents: number;
  readonly checks: Checks;
  readonly context: FaultContext;
  /** Starts the command; with a moment it does not outlive that. */
  start(moment?: DeadlyMoment): Command;
  /** Whether the engine has nothing left to do that a killed command had asked of it. */
  isAtRest(): boolean;
}

/** How long a rebuild takes that nobody kills, from its lease on, milliseconds. */
export async function calmRebuild({ world, start, checks }: Scene): Promise<number> {
  const command = start();
  await begun(world, command);
  const begunAt = performance.now();
  const { code } = await command.ended;
  checks.that('an undisturbed rebuild ends with 0', code === 0, command.stderr());
  return performance.now() - begunAt;
}

/**
 * Makes the live set another one than that of the records, kills a rebuild at a moment or so many milliseconds after it
 * began, and lets the next one finish. `number` is another one each time.
 */
export async function killOnce(
  number: number,
  name: string,
  when: DeadlyMoment | number,
  scene: Scene,
): Promise<{ readonly wasKilled: boolean; readonly kinds: string }> {
  const { world, serving, checks } = scene;
  const all = Array.from({ length: scene.agents }, (_, at) => agentUrl(at));
  const old = await makeOldSet(number, world, all, scene.context.random);
  const reader = startListReader(serving.listUrl, judgeSets(old, all));
  checks.that(`${name}: readers see the old set`, await waitUntil(() => reader.last() === 'old', SOON_MS));
  const wasKilled = await kill(name, when, scene);
  await checkOneLive(name, scene);
  await world.run(REBUILD, checks);
  const sawNew = await waitUntil(() => reader.last() === 'new', SOON_MS);
  checks.that(`${name}: readers see the new set after the next run`, sawNew, reader.last());
  const { wrong, kinds } = await reader.stop();
  checks.that(`${name}: readers see one whole set`, wrong.length === 0, wrong.slice(0, 3));
  const states = (await world.store.index.generations.list()).map(({ state }) => state).toSorted();
  checks.that(`${name}: nothing is left over`, states.join(' ') === 'live previous', states);
  return { wasKilled, kinds };
}

/** A named moment is always met; a run may be over before so many milliseconds are. */
async function kill(name: string, when: DeadlyMoment | number, scene: Scene): Promise<boolean> {
  const { world, checks, start } = scene;
  const command = typeof when === 'number' ? start() : start(when);
  if (typeof when === 'number') {
    await begun(world, command);
    await pause(when);
    command.child.kill('SIGKILL');
  }
  const { signal, code } = await command.ended;
  const wasOver = typeof when === 'number' && code === 0;
  checks.that(`${name}: it is killed`, wasOver || signal === 'SIGKILL', `${code} ${command.stderr()}`);
  checks.that(`${name}: its last request comes to an end`, await waitUntil(scene.isAtRest, SOON_MS));
  return signal === 'SIGKILL';
}

async function begun({ store }: IndexedWorld, command: Command): Promise<void> {
  await waitUntil(async () => {
    const held = await store.records.leases.heldBy(REBUILD_LEASE, systemClock.now());
    return (held !== undefined && !hasEnded(held.holder)) || !command.isRunning();
  }, SOON_MS);
}

/** And what is listed is true: a generation holds as many agents as the list says. */
async function checkOneLive(name: string, { world, agents, checks }: Scene): Promise<void> {
  const { index } = world.store;
  const { generations } = index;
  for (const { id } of await generations.list()) await index.settle(id);
  const list = await generations.list();
  const live = list.filter(({ state }) => state === 'live');
  checks.that(`${name}: one generation is live`, live.length === 1, list);
  for (const { id, state, documents } of list.filter((one) => one.state !== 'building')) {
    const { hits } = await generations.searchIn(id, { filter: {}, limit: agents + 10 });
    const isTrue = hits.length === documents && documents === agents;
    checks.that(`${name}: a generation that is ${state} is whole`, isTrue, [hits.length, documents]);
  }
}
