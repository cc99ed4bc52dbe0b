import { expect, it, onTestFinished } from 'vitest';
import type { Entry } from '../../../src/index/opensearch/catalogue.ts';
import { createEngine } from '../../../src/index/opensearch/client.ts';
import { checkWriteBlocks } from '../../../src/index/opensearch/opensearch-index.ts';
import { startStubEngine } from './stub-engine.ts';

const FULL = {
  description: 'disk usage exceeded flood-stage watermark',
  levels: ['metadata_write', 'write'],
};
const NO_NEW = { description: 'cluster create-index blocked (api)', levels: ['create_index'] };
const NO_READS = { description: 'index read (api)', levels: ['read'] };

const entry = (id: number, isLive: boolean) => ({ index: `x-${id}`, isLive }) as Entry;
const OURS = [entry(1, false), entry(2, true)];

const ROWS = [
  { what: 'nothing', blocks: {}, documents: true, generation: true },
  { what: 'no blocks at all', documents: true, generation: true },
  { what: 'the cluster', blocks: { global: { 6: FULL } }, documents: false, generation: false },
  { what: 'new indices', blocks: { global: { 10: NO_NEW } }, documents: true, generation: false },
  { what: 'the live one', blocks: { indices: { 'x-2': { 12: FULL } } }, documents: false, generation: false },
  {
    what: 'the one before',
    blocks: { indices: { 'x-1': { 12: FULL } } },
    documents: true,
    generation: false,
  },
  { what: "somebody else's", blocks: { indices: { y: { 12: FULL } } }, documents: true, generation: true },
  { what: 'its reads', blocks: { indices: { 'x-2': { 7: NO_READS } } }, documents: true, generation: true },
];

it.each(ROWS)('an engine that blocks $what', async ({ blocks, documents, generation }) => {
  const stub = await startStubEngine(() => ({ status: 200, body: blocks === undefined ? {} : { blocks } }));
  const engine = createEngine({ nodes: [stub.url], timeoutMs: 5_000, retries: 0 });
  onTestFinished(async () => {
    await engine.close();
    await stub.close();
  });
  const judged = (newGeneration: boolean) =>
    checkWriteBlocks(engine, OURS, newGeneration).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({
          code: 'index_read_only',
          message: expect.stringMatching(/flood-stage|create-index/),
          hint: expect.stringContaining('read-only-index.md'),
        });
        return false;
      },
    );
  expect([await judged(false), await judged(true)]).toEqual([documents, generation]);
});
