import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../engines/start/processes.ts';
import { type Fault, scaled } from './support/fault.ts';
import { crawlInTrouble, type Trouble } from './support/postgres-trouble.ts';

const RESTARTS = 10;
const LONGEST_PAUSE_MS = 1_500;
const PATIENCE_MS = 60_000;

export default {
  name: 'postgres-restarted',
  sentence: 'work goes on by itself; no job lost, none done twice that must not be',
  run: (context) => crawlInTrouble(restarts(Math.max(2, scaled(RESTARTS, context.scale))), context),
} satisfies Fault;

/** By turns shut down in order and killed, while something is fetched. */
function restarts(times: number): Trouble {
  return {
    counted: `${times} restarts, half of them after a kill`,
    times,
    async make(postgres, { context: { random, log }, crawl, web }) {
      for (let time = 1; time <= times; time += 1) {
        const before = web.count();
        await waitUntil(() => web.count() > before, PATIENCE_MS);
        await pause(random.int(LONGEST_PAUSE_MS));
        if (time % 2 === 0) await postgres.kill();
        await postgres.restart();
        const { visited, unvisited } = await crawl.left();
        log(`restart ${time}: ${visited} sources visited, ${unvisited} left`);
      }
    },
  };
}
