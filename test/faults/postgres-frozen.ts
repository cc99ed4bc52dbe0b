import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../engines/start/processes.ts';
import { type Fault, freezeSeconds } from './support/fault.ts';
import { crawlInTrouble, type Trouble } from './support/postgres-trouble.ts';

const ENOUGH_REQUESTS = 100;
const PATIENCE_MS = 60_000;

export default {
  name: 'postgres-frozen',
  sentence: 'work goes on by itself; no job lost, none done twice that must not be',
  run: (context) => crawlInTrouble(freeze(freezeSeconds(context.scale)), context),
} satisfies Fault;

function freeze(seconds: number): Trouble {
  return {
    counted: `frozen once for ${seconds} s`,
    times: 1,
    async make(postgres, { context: { random, log }, crawl, web }) {
      const enough = ENOUGH_REQUESTS + random.int(ENOUGH_REQUESTS);
      await waitUntil(() => web.count() >= enough, PATIENCE_MS);
      const { visited, unvisited } = await crawl.left();
      log(`freezing: ${visited} sources visited, ${unvisited} left`);
      postgres.freeze();
      await pause(seconds * 1_000);
      postgres.thaw();
      log('thawed');
    },
  };
}
