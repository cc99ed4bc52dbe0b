import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { rebuild } from '../../pipelines/rebuild.ts';
import { systemClock } from '../../src/compose/clock.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { livePut } from '../contract/agent-index-reference.ts';
import { documentOf } from '../contract/agent-index-samples.ts';
import { openIndexed } from './rebuild-world.ts';

const CHILD = fileURLToPath(new URL('./rebuild-child.ts', import.meta.url));
const AGENTS = 1_200;
/** In the live generation only, so that one can tell which set a reader sees. */
const STRANGER = 'https://only-in-the-old-set.example/';
const STEPS = ['begin', 'copy', 'copied', 'catch up', 'built', 'compare', 'switch', 'follow'];
const LONG = 240_000; // processes start slowly on a busy machine

const folder = mkdtempSync(join(tmpdir(), 'registry-rebuild-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a rebuild that is killed', () => {
  it.each(STEPS)(
    'at "%s" leaves a whole set to every reader, and the next run finishes',
    async (step) => {
      const world = await openWorld();
      const { child, ended, begun } = start(world.store, step);
      await begun;
      world.watch();
      await ended;
      expect(child.signalCode).toBe('SIGKILL');
      await world.check();
    },
    LONG,
  );

  it(
    'at any moment leaves a whole set to every reader, and the next run finishes',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 250 }), async (afterMs) => {
          const world = await openWorld();
          const { child, ended, begun } = start(world.store);
          await begun;
          world.watch();
          await pause(afterMs);
          child.kill('SIGKILL');
          await ended;
          await world.check();
        }),
        { numRuns: 6, endOnFailure: true },
      );
    },
    LONG,
  );
});

let worlds = 0;
/** A file with such a store, of which each world has a copy. */
let filled: Promise<string> | undefined;

async function fill(): Promise<string> {
  const path = join(folder, 'filled.sqlite');
  const { index } = await openIndexed(AGENTS, `sqlite:${path}`);
  await livePut(index)({ agent: STRANGER, version: 1_000_000, document: documentOf({ url: STRANGER }) });
  const copy = join(folder, 'whole.sqlite');
  const database = new DatabaseSync(path);
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
  return copy;
}

/** A store whose live generation holds one agent more than the records, with a reader that asks all the while. */
async function openWorld() {
  filled ??= fill();
  worlds += 1;
  const path = join(folder, `${worlds}.sqlite`);
  copyFileSync(await filled, path);
  const store = `sqlite:${path}`;
  const { index, context } = await openIndexed(0, store);
  const reader = await read(index);
  return {
    store,
    watch: reader.watch,
    /** After the kill: what is listed is true, one is live; then another run does what is left. */
    async check() {
      expect(await liveCount(index)).toBe(1);
      await expectTrueList(index);
      await rebuild({ ...context, clock: systemClock }, { acceptShrink: true });
      const list = await index.generations.list();
      expect(list.map(({ state }) => state).toSorted()).toEqual(['live', 'previous']);
      await expectTrueList(index);
      const sizes = await reader.stop();
      expect(sizes.at(-1)).toBe(AGENTS);
      expect([...new Set(sizes)].toSorted()).toEqual([AGENTS, AGENTS + 1]);
    },
  };
}

function start(store: string, step?: string) {
  const args = step === undefined ? [CHILD, store] : [CHILD, store, step];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: once(child, 'close'), begun: once(child.stdout, 'data') };
}

/** Asks for the whole list, and from `watch` on again and again; what a reader ever saw, by its number of agents. */
async function read(index: AgentIndex) {
  const sizes: number[] = [];
  let running = true;
  let loop: Promise<void> | undefined;
  const ask = async () => {
    const { hits } = await index.search({ filter: {}, limit: 10_000 });
    const old = hits.some(({ url }) => url === STRANGER);
    sizes.push(hits.length === AGENTS + (old ? 1 : 0) ? hits.length : -hits.length);
  };
  const asking = async () => {
    while (running) {
      await ask();
      await pause(1);
    }
    await ask();
  };
  await ask();
  return {
    watch() {
      loop = asking();
    },
    async stop() {
      running = false;
      await loop;
      return sizes;
    },
  };
}

async function liveCount({ generations }: AgentIndex): Promise<number> {
  return (await generations.list()).filter(({ state }) => state === 'live').length;
}

/** Each generation holds as many agents as the list says, and one that is complete holds all of them. */
async function expectTrueList({ generations }: AgentIndex): Promise<void> {
  for (const { id, state, documents } of await generations.list()) {
    const { hits } = await generations.searchIn(id, { filter: {}, limit: 10_000 });
    expect(hits.length).toBe(documents);
    if (state !== 'building') expect(documents).toBeGreaterThanOrEqual(AGENTS);
  }
}
