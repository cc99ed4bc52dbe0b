import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAndIndex } from '../../src/index/generations/stitch-and-index.ts';
import { holderName } from '../../src/this-process.ts';
import { livePut } from '../contract/agent-index-reference.ts';
import { documentOf } from '../contract/agent-index-samples.ts';
import { run, tempStore } from './support/cli.ts';

const clock = { now: () => Date.now() };

/** The address of a store with so many agents, indexed. */
async function filled(count: number, strangers = 0) {
  const address = tempStore();
  const store = await openStore({ ...readConfig({}), store: address }, { create: true });
  const { records, index } = store;
  const visits = Array.from(
    { length: count },
    (_, at) => ({ kind: 'agent', key: `https://a${at}.example/`, foundVia: 'operator' }) as const,
  );
  await records.sources.add(visits, clock.now());
  await stitchAndIndex({ records, index, clock, rederive: deriveStored });
  const others = Array.from({ length: strangers }, (_, at) => `https://only-indexed-${at}.example/`);
  await livePut(index)(
    ...others.map((url) => ({ agent: url, version: 9_999, document: documentOf({ url }) })),
  );
  const registry = (...words: string[]) => run('index', ...words, '--store', address);
  return { address, store, registry };
}

describe('agent-registry index rebuild', () => {
  it('shows the plan with its numbers and does nothing, then does it and says what it did', async () => {
    const { registry, store } = await filled(1_200);
    const plan = await registry('rebuild');
    expect(plan.stdout).toBe(
      'would copy 1,200 agents from the records into a new generation; generation 1 (1,200 agents) keeps answering meanwhile\n' +
        'would compare it with the live one and switch to it in one step\n' +
        'generation 1 would be kept for a rollback\n' +
        'plan only; add --yes to execute it\n',
    );
    const { code, stdout, stderr } = await registry('rebuild', '--yes');
    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      'switched: generation 2 is live (1,200 agents), 1 is kept for a rollback',
    ]);
    expect(stdout).toMatch(/all \d+ sample queries return the same results in both/);
    expect(stderr).toMatch(/1,200 of 1,200 agents copied \(100 %\), [\d,]+ a second/);
    const status = (await registry('status')).stdout;
    expect(status).toMatch(/^engine: records\n/);
    expect(status).not.toContain('build');
    await store.close();
  });

  it('refuses a shrink, keeps what it built, and goes on from there in three ways', async () => {
    const { registry, store } = await filled(10, 5);
    const refused = await registry('rebuild', '--yes');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /generation 2 has 10 agents, the live generation has 15: .*\n {2}hint: .*--accept-shrink/,
    );
    expect((await registry('status')).stdout).toMatch(/next: generation 2 is built .*promote.*prune/);
    expect((await registry('promote')).stdout).toMatch(
      /sample queries return different results[\s\S]*--accept-shrink/,
    );
    expect((await registry('prune')).stdout).toContain('would drop generation 2 (built, 10 agents)');
    expect((await registry('rebuild')).stdout).toContain('would continue with generation 2, which is built');
    const done = await registry('rebuild', '--yes', '--accept-shrink');
    expect(done.stdout).toContain('switched: generation 2 is live (10 agents), 1 is kept for a rollback');
    expect((await registry('rollback', '--yes')).stdout).toContain(
      'switched: generation 1 is live (15 agents)',
    );
    await store.close();
  });

  it('is refused while another process rebuilds, which status names', async () => {
    const { registry, store } = await filled(3);
    const holder = holderName().replace(/[^/]*$/, 'another-place');
    await store.records.leases.take('rebuild', holder, clock.now(), 60_000);
    for (const step of ['rebuild', 'rollback', 'promote', 'prune']) {
      const { code, stderr } = await registry(step, '--yes');
      expect(code).toBe(1);
      expect(stderr).toContain(
        `process ${process.pid} on ${hostname()} is rebuilding or switching the index`,
      );
    }
    expect((await registry('status')).stdout).toContain(
      `process ${process.pid} on ${hostname()} is rebuilding`,
    );
    await store.close();
  });

  it('can be stopped with Ctrl-C, and begins again when it is started again', async () => {
    const { registry, store } = await filled(30);
    const before = process.listenerCount('SIGINT');
    const stopped = registry('rebuild', '--yes');
    while (process.listenerCount('SIGINT') === before) await new Promise((resolve) => setImmediate(resolve));
    process.emit('SIGINT');
    const { code, stdout, stderr } = await stopped;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/stopped before the switch[\s\S]*run the same command again/);
    expect((await registry('status')).stdout).toMatch(
      /next: generation 2 was left by an interrupted rebuild: .*prune --yes" or the next rebuild drops it/,
    );
    expect((await registry('rebuild')).stdout).toContain(
      'would drop generation 2, which an interrupted rebuild left',
    );
    const again = await registry('rebuild', '--yes');
    expect(again.stdout).toContain('switched: generation 3 is live (30 agents)');
    await store.close();
  });
});
