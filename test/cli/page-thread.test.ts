import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { encodingFor, sendPublic } from '../../src/api/answers.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { readPageParts } from '../../src/api/pages/html-pages.ts';
import { type MakePage, makePageOf, type PageOrder } from '../../src/api/pages/page-makers.ts';
import { HttpProblem } from '../../src/api/problem.ts';
import { openPageThread } from '../../src/cli/setup/page-thread.ts';
import { readConfig } from '../../src/config.ts';
import { RegistryError } from '../../src/errors.ts';
import { VERSION } from '../../src/version.ts';
import { bareDocument } from '../api/support/documents.ts';
import { startRegistry } from '../api/support/registry.ts';

const AGENT = 'https://sales.news.example/mcp';
const ORIGIN = 'https://registry.example';
const ORDERS: readonly PageOrder[] = [
  { kind: 'directory', of: '', query: '', origin: ORIGIN },
  { kind: 'directory', of: '', query: 'q=nobody&type=sales', origin: ORIGIN },
  { kind: 'directory', of: '', query: 'limit=none', origin: ORIGIN },
  { kind: 'agent', of: AGENT, query: '', origin: ORIGIN },
  { kind: 'agent', of: 'https://nobody.example', query: '', origin: ORIGIN },
  { kind: 'agentPublishers', of: AGENT, query: '', origin: ORIGIN },
  { kind: 'agentPublishers', of: 'https://nobody.example', query: '', origin: ORIGIN },
  { kind: 'agentPublishers', of: 'no address', query: '', origin: ORIGIN },
  { kind: 'publishers', of: '', query: '', origin: ORIGIN },
  { kind: 'publishers', of: '', query: 'cursor=forged', origin: ORIGIN },
  { kind: 'publishers', of: '', query: 'domain=news.example', origin: ORIGIN },
  { kind: 'publisher', of: 'nobody.example', query: '', origin: ORIGIN },
  { kind: 'brands', of: '', query: '', origin: ORIGIN },
  { kind: 'brand', of: 'nobody.example', query: '', origin: ORIGIN },
  { kind: 'network', of: 'nobody.example', query: '', origin: ORIGIN },
];

/** A store in a file, what makes its pages here, and what makes them on a thread once that is there. */
async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'page-thread-'));
  const path = join(folder, 'registry.sqlite');
  const { records, index, close } = await startRegistry([bareDocument(AGENT)], {}, { path });
  const { site } = readPageParts({ version: VERSION });
  const cursorSecret = await cursorSecretOf(records);
  const here = makePageOf({ records, index, clock: records.clock, cursorSecret, site });
  const thread = openPageThread({ config: { ...readConfig({}), store: `sqlite:${path}` } });
  onTestFinished(async () => {
    await thread.close();
    await close();
    await rm(folder, { recursive: true });
  });
  let madeHere = 0;
  const beside = thread.beside((order) => {
    madeHere += 1;
    return here(order);
  });
  const isOnThread = async () => {
    const before = madeHere;
    await beside({ kind: 'brands', of: '', query: '', origin: ORIGIN });
    return madeHere === before;
  };
  return { path, records, here, beside, isOnThread };
}

/** Whatever comes of an order, as something that can be compared. */
async function told(make: MakePage, order: PageOrder) {
  try {
    const made = await make(order);
    return 'body' in made
      ? { ...made, body: made.body.toString(), isBuffer: Buffer.isBuffer(made.body) }
      : made;
  } catch (error) {
    if (error instanceof HttpProblem) {
      const { status, code, message, details, headers } = error;
      return { status, code, message, details, headers };
    }
    if (error instanceof RegistryError) return { status: 503, code: error.code, hint: error.hint };
    throw error;
  }
}

it('the pages of the thread are those of the loop, and so is what it refuses', async () => {
  const { here, beside, isOnThread } = await world();
  expect(await isOnThread()).toBe(false); // nobody waits for it to begin
  await expect.poll(isOnThread, { timeout: 60_000 }).toBe(true);
  const statuses = [];
  for (const order of ORDERS) {
    const expected = await told(here, order);
    expect(await told(beside, order)).toEqual(expected);
    statuses.push(expected.status);
  }
  expect(statuses).toEqual([200, 200, 400, 200, 404, 302, 302, 400, 200, 400, 303, 404, 200, 404, 404]);
});

it.each(['br', 'gzip'] as const)(
  'its pages come packed as %s, more at once than the loop packs',
  async (encoding) => {
    const { here, beside, isOnThread } = await world();
    await expect.poll(isOnThread, { timeout: 60_000 }).toBe(true);
    const order: PageOrder = { kind: 'directory', of: '', query: '', origin: ORIGIN };
    const server = fastify();
    server.get('/', async (request, reply) => {
      const wanted = encodingFor(request);
      const page = await beside({ ...order, ...(wanted && { encoding: wanted }) });
      return 'body' in page ? sendPublic(request, reply, page) : reply;
    });
    const ask = () => server.inject({ url: '/', headers: { 'accept-encoding': encoding } });
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    await server.close();
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(Array(6).fill(encoding));
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[encoding];
    expect(await here(order)).toMatchObject({ body: unpack(answers[5]?.rawPayload ?? '') });
  },
);

it('a file that is damaged is told of, and pages come again when it is restored', async () => {
  const { path, records, beside, isOnThread } = await world();
  await expect.poll(isOnThread, { timeout: 60_000 }).toBe(true);
  records.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const good = readFileSync(path);
  writeFileSync(path, 'not a database');
  const order = ORDERS[3] as PageOrder;
  await expect.poll(() => told(beside, order), { timeout: 30_000 }).toMatchObject({ code: 'store_corrupt' });
  writeFileSync(path, good);
  await expect.poll(() => told(beside, order), { timeout: 30_000 }).toMatchObject({ status: 200 });
});

it('a thread that cannot open the records says why, and tries again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'page-thread-'));
  const thread = openPageThread({ config: { ...readConfig({}), store: `sqlite:${folder}/none.sqlite` } });
  onTestFinished(async () => {
    await thread.close();
    await rm(folder, { recursive: true });
  });
  const beside = thread.beside(async () => ({ status: 302, location: 'made on the loop' }));
  const order = ORDERS[0] as PageOrder;
  await expect.poll(() => told(beside, order), { timeout: 60_000 }).toMatchObject({ code: 'store_missing' });
  expect(await told(beside, order)).toMatchObject({ code: 'store_missing' });
});
