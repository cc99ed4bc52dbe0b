import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { asSide } from '../support/as-side.ts';
import { type PublicSet, runnerOf, stepsOf } from '../support/runner-of.ts';

export interface CheckManyInput {
  readonly urls: readonly string[];
  readonly connectTo: readonly string[];
  /** Runs against each agent, one after the other. */
  readonly each: number;
  /** Default: our own bundle. */
  readonly publicSet?: PublicSet | undefined;
}

export interface CheckMany {
  readonly runs: number;
  readonly steps: number;
  /** Runs that were under way together. */
  readonly most: number;
}

/** All agents at once. */
await asSide(async ({ urls, connectTo, each, publicSet }: CheckManyInput): Promise<CheckMany> => {
  const fetcher = composeFetcher(readConfig({}), { connectTo }, systemClock);
  const run = await runnerOf(fetcher, { publicSet });
  let [runs, steps, underWay, most] = [0, 0, 0, 0];
  const test = async (url: string) => {
    underWay += 1;
    most = Math.max(most, underWay);
    const done = await run({ url, protocol: 'mcp' });
    steps += stepsOf(done);
    runs += 1;
    underWay -= 1;
  };
  await Promise.all(
    urls.map(async (url) => {
      for (let at = 0; at < each; at += 1) await test(url);
    }),
  );
  await fetcher.close();
  return { runs, steps, most };
});
