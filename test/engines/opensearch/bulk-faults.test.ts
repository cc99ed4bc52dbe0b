import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SavedDocument } from '../../../src/domain/agent-document.ts';
import { liveId, pages, saved } from '../../contract/agent-index-reference.ts';
import { type EngineProxy, startProxy, type Verdict } from './proxy.ts';
import { ask, openFresh } from './support.ts';

const AGENTS = 6_000;
const documents: readonly SavedDocument[] = Array.from({ length: AGENTS }, (_, at) =>
  saved(at + 1, { url: `https://a${String(at).padStart(5, '0')}.example/`, metricIds: [`m${at % 7}`] }),
);

/** The same numbers for the same seed, which a failing property prints as well. */
function randomNumbers(): () => number {
  const seed = fc.readConfigureGlobal().seed ?? 1;
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('documents that are written while the engine refuses or breaks', () => {
  let proxy: EngineProxy;
  beforeAll(async () => {
    proxy = await startProxy();
  });
  afterAll(() => proxy.close());

  const random = randomNumbers();
  const isBulk = ({ path }: { path: string }) => path.endsWith('/_bulk');
  const once = (verdict: Verdict, every: number) => {
    let bulks = 0;
    return () => (bulks++ % every === 0 ? verdict : 'pass');
  };

  it.each<[string, () => () => Verdict]>([
    ['30 % of the items are refused with 429', () => () => ({ refuse: () => random() < 0.3 })],
    ['whole requests are answered with 429', () => once({ status: 429, headers: { 'retry-after': '0' } }, 2)],
    ['whole requests are answered with 503', () => once({ status: 503, headers: { 'retry-after': '0' } }, 2)],
    ['connections break before the engine has it', () => once('cut', 3)],
    ['connections break after the engine has it', () => once('cut after', 3)],
  ])('are there exactly once when %s', async (_, plan) => {
    const { index, prefix, close } = await openFresh({ nodes: [proxy.url] });
    try {
      const judge = plan();
      const id = await liveId(index);
      proxy.judge = (request) => (isBulk(request) ? judge() : 'pass');
      for (let at = 0; at < AGENTS; at += 1_500) {
        await index.generations.write(id, documents.slice(at, at + 1_500));
      }
      proxy.judge = () => 'pass';
      await index.settle(id);
      const urls = await pages((query) => index.search(query), {}, 2_500);
      expect(urls).toEqual(documents.map(({ agent }) => agent));
      expect(await index.count({})).toBe(AGENTS);
      const { count } = await ask<{ count: number }>('GET', `/${prefix}/_count`);
      expect(count).toBe(AGENTS);
    } finally {
      proxy.judge = () => 'pass';
      await close();
    }
  });

  it('keep their newest version when an old write is sent again after a broken connection', async () => {
    const { index, close } = await openFresh({ nodes: [proxy.url] });
    try {
      const [id, url] = [await liveId(index), 'https://a.example/'];
      let bulks = 0;
      proxy.judge = (request) => (isBulk(request) && bulks++ === 0 ? 'cut after' : 'pass');
      const old = index.generations.write(id, [saved(1, { url, type: 'sales' })]);
      await index.generations.write(id, [saved(2, { url, type: 'brand' })]);
      await old;
      await index.settle(id);
      expect(await index.count({ type: 'brand' })).toBe(1);
      expect(await index.count({})).toBe(1);
    } finally {
      await close();
    }
  });

  it('leave their neighbours in peace when the engine will never take one of them', async () => {
    const { index, close } = await openFresh();
    try {
      const id = await liveId(index);
      const properties = {
        stats: { property_count: 2 ** 40 },
        publisher_domains: [],
        property_summary: { tags: [] },
      };
      const document = { ...documents[1]?.document, properties };
      const bad = { agent: 'https://bad.example/', version: 2, document };
      const batch = [documents[0], bad, documents[2]] as unknown as readonly SavedDocument[];
      await expect(index.generations.write(id, batch)).rejects.toMatchObject({
        code: 'index_refused',
        message: expect.stringContaining('https://bad.example/'),
      });
      await index.settle(id);
      expect(await index.count({})).toBe(2);
    } finally {
      await close();
    }
  });
});
