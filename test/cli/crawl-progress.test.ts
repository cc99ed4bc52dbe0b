import { expect, it, onTestFinished } from 'vitest';
import type { CrawlContext } from '../../pipelines/crawl-context.ts';
import { showProgress } from '../../src/cli/output/crawl-progress.ts';

type CountDue = CrawlContext['records']['sources']['countDue'];

/** Shows a crawl that has visited three domains, and whose store counts so; `lines` are what it has written. */
function show(countDue: CountDue) {
  const lines: unknown[] = [];
  const write = process.stderr.write;
  onTestFinished(() => {
    process.stderr.write = write;
  });
  process.stderr.write = (line) => {
    if (String(line).startsWith('{"event":"progress"')) lines.push(JSON.parse(String(line)));
    return true;
  };
  const tally = { visited: { domains: 3, agents: 1 }, newAgents: 1 };
  const records = { sources: { countDue } };
  const context = { tally, records, clock: { now: Date.now } } as unknown as CrawlContext;
  return { lines, progress: showProgress('json', context) };
}

it('ends with what is left at the end, however old the last count is', async () => {
  let left = 40;
  const { lines, progress } = show(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { domains: left, agents: 0 };
  });
  await expect.poll(() => lines[0]).toMatchObject({ domains_pending: 40 });
  left = 0; // the last count is kept for three seconds
  await progress.stop();
  expect(lines.at(-1)).toMatchObject({ domains: 3, domains_pending: 0 });
});

it('tells the rate, and says nothing twice', async () => {
  const { lines, progress } = show(async () => ({ domains: 40, agents: 0 }));
  await expect.poll(() => lines[0]).toMatchObject({ domains_pending: 40 });
  expect((lines[0] as { per_second: number }).per_second).toBeGreaterThan(0);
  await progress.stop();
  expect(lines).toHaveLength(1);
});

it('ends without the last line where the count takes too long', async () => {
  let asked = 0;
  const { lines, progress } = show(() => {
    asked += 1;
    return new Promise(() => {});
  });
  await expect.poll(() => asked).toBe(1);
  await progress.stop();
  expect(lines).toEqual([]);
});
