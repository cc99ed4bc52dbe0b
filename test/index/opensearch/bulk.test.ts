import { afterEach, describe, expect, it } from 'vitest';
import { createWriter, type WriterOptions } from '../../../src/index/opensearch/bulk.ts';
import { createEngine, type Engine } from '../../../src/index/opensearch/client.ts';
import { EngineError } from '../../../src/index/opensearch/errors.ts';
import { saved } from '../../contract/agent-index-reference.ts';
import {
  bulkAnswer,
  type StubAnswer,
  type StubEngine,
  type StubRequest,
  startStubEngine,
} from './stub-engine.ts';

/** The ids in a bulk request, in order. */
function idsIn({ body }: StubRequest): string[] {
  const lines = body.trimEnd().split('\n');
  return lines.filter((_, at) => at % 2 === 0).map((line) => JSON.parse(line).index._id);
}

const urlOf = (number: number) => `https://a${number}.example/`;
const documents = (count: number) =>
  Array.from({ length: count }, (_, at) => saved(at + 1, { url: urlOf(at) }));

describe('writing documents in bulk', () => {
  let stub: StubEngine;
  let engine: Engine;
  let isBlocked = false;
  afterEach(async () => {
    isBlocked = false;
    await stub.close();
    await engine.close();
  });
  const open = async (
    answer: (request: StubRequest, number: number) => StubAnswer | Promise<StubAnswer>,
    options: Partial<WriterOptions> = {},
  ) => {
    stub = await startStubEngine(answer);
    engine = createEngine({ nodes: [stub.url], timeoutMs: 10_000, retries: 0 });
    const checkBlocks = async () => {
      if (isBlocked) throw new EngineError('x', 'disk usage exceeded', 403, 'cluster_block_exception');
    };
    return createWriter(engine, checkBlocks, { concurrency: 2, deadlineMs: 10_000, ...options });
  };
  const accept = (request: StubRequest) => bulkAnswer(idsIn(request).map(() => 200));

  it('sends the version of each document, to a name that must be an alias', async () => {
    const write = await open(accept);
    await write('x-000001-w-1', [saved(7, { url: urlOf(1) }), { agent: urlOf(2), version: 8 }]);
    const [first, body, second, drop] =
      stub.requests[0]?.body.split('\n').map((line) => line && JSON.parse(line)) ?? [];
    expect(stub.requests[0]?.path).toMatch(/^\/x-000001-w-1\/_bulk\?require_alias=true/);
    expect(first).toEqual({ index: { _id: urlOf(1), version: 7, version_type: 'external' } });
    expect(body).toMatchObject({ url: urlOf(1), listed: true, base: expect.stringContaining('"url"') });
    expect(second).toEqual({ index: { _id: urlOf(2), version: 8, version_type: 'external' } });
    expect(drop).toEqual({ url: urlOf(2), seq: 8, listed: false });
  });

  it('gives an agent with a long URL an id that the engine takes', async () => {
    const write = await open(accept);
    await write('x', [saved(1, { url: `https://a.example/${'x'.repeat(900)}` })]);
    expect(idsIn(stub.requests[0] as StubRequest)[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('sends again exactly the items that were refused for a moment', async () => {
    const write = await open((request, number) =>
      bulkAnswer(
        idsIn(request).map((_, at) => (number === 1 && at % 3 === 1 ? 429 : number === 2 ? 503 : 201)),
      ),
    );
    await write('x', documents(7));
    const refused = [urlOf(1), urlOf(4)];
    expect(stub.requests.map(idsIn)).toEqual([documents(7).map(({ agent }) => agent), refused, refused]);
  });

  it('reports how many documents it sends again', async () => {
    const reported: number[] = [];
    const write = await open(
      (request, number) => {
        if (number === 1) return { status: 429 };
        return bulkAnswer(idsIn(request).map((_, at) => (number === 2 && at === 0 ? 429 : 200)));
      },
      { onRetried: (count) => reported.push(count) },
    );
    await write('x', documents(3));
    await write('x', documents(2));
    expect(reported).toEqual([3, 1]);
  });

  it('rejects with why the index is read-only, which OpenSearch answers with 429 too', async () => {
    const write = await open((request) => bulkAnswer(idsIn(request).map(() => 429)));
    isBlocked = true;
    await expect(write('x', documents(2))).rejects.toMatchObject({ code: 'index_read_only' });
  });

  it('takes a version conflict for a success: a newer write was there', async () => {
    const write = await open(() => bulkAnswer([409, 200]));
    await write('x', documents(2));
    expect(stub.requests).toHaveLength(1);
  });

  it.each<StubAnswer>([
    'cut',
    'cut after the head',
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 503 },
    { status: 502 },
  ])('sends all of it again after %j', async (answer) => {
    const write = await open((request, number) => (number === 1 ? answer : accept(request)));
    await write('x', documents(3));
    expect(stub.requests.map((request) => idsIn(request).length)).toEqual([3, 3]);
  });

  it('does not come back before Retry-After says, and gives up when that is after its deadline', async () => {
    const wait: StubAnswer = { status: 429, headers: { 'retry-after': '3600' } };
    const write = await open((request, number) => (number === 1 ? wait : accept(request)));
    await expect(write('x', documents(1))).rejects.toMatchObject({ code: 'index_unavailable' });
    expect(stub.requests).toHaveLength(1);
  });

  it('gives up at its deadline, and says that a retry may help', async () => {
    const write = await open((request) => bulkAnswer(idsIn(request).map(() => 429)), { deadlineMs: 300 });
    await expect(write('x', documents(2))).rejects.toMatchObject({
      code: 'index_unavailable',
      retryable: true,
    });
  });

  it('names the documents that are refused for ever, after all others were written', async () => {
    const write = await open((request, number) =>
      bulkAnswer(idsIn(request).map((id) => (id === urlOf(1) ? 400 : number === 1 ? 429 : 200))),
    );
    await expect(write('x', documents(3))).rejects.toMatchObject({
      code: 'index_refused',
      message: expect.stringContaining(`${urlOf(1)} (type_400`),
    });
    expect(stub.requests.map(idsIn)).toEqual([
      [urlOf(0), urlOf(1), urlOf(2)],
      [urlOf(0), urlOf(2)],
    ]);
  });

  it('blames no document when the index is closed to writes', async () => {
    const write = await open(() => bulkAnswer([403, 403]));
    await expect(write('x', documents(2))).rejects.toMatchObject({ code: 'index_denied' });
  });

  it('divides documents into requests of about 5 MB', async () => {
    const write = await open(accept);
    const large = { url: urlOf(1), capabilities: { tools_count: 0, tools: [], text: 'é'.repeat(1_000_000) } };
    await write(
      'x',
      [1, 2, 3, 4, 5].map((seq) => saved(seq, large)),
    );
    expect(stub.requests.map((request) => idsIn(request).length)).toEqual([3, 2]);
  });

  it('has no more requests under way than it may; who writes faster waits', async () => {
    let [now, most] = [0, 0];
    const write = await open(async (request) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return accept(request);
    });
    await Promise.all(Array.from({ length: 12 }, () => write('x', documents(3))));
    expect([stub.requests.length, most]).toEqual([12, 2]);
  });

  it('says so when there is no such name to write to', async () => {
    const write = await open(() => ({
      status: 200,
      body: {
        errors: true,
        items: [{ index: { status: 404, error: { type: 'index_not_found_exception', reason: 'no alias' } } }],
      },
    }));
    await expect(write('x', documents(1))).rejects.toMatchObject({
      isMissing: true,
    });
  });

  it('writes nothing for nothing', async () => {
    const write = await open(accept);
    await write('x', []);
    expect(stub.requests).toEqual([]);
  });
});
