/**
 * The local directory of the client: loading an export, saving it, and answering from it, beside the floor: reading and parsing
 * the lines alone.
 *
 *   node bench/local-directory.ts [--agents 100000] [--publishers 100000] [--questions 200000] [--quick]
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGunzip, createGzip } from 'node:zlib';
import { agentCard } from '../src/api/operations/feed/events.ts';
import { openDirectory, readDirectory } from '../src/client/directory/index.ts';
import { COPY_VERSION, type CopyLine } from '../src/domain/copy-lines.ts';
import { agentAt, EDGES, publisherAt } from './support/fill-edges.ts';
import { withScratchFolder } from './support/scratch.ts';
import { quantile } from './support/statistics.ts';
import { printTable } from './support/table.ts';
import { syntheticAgents } from './synthetic-agents.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    publishers: { type: 'string', default: '100000' },
    questions: { type: 'string', default: '200000' },
    quick: { type: 'boolean', default: false },
  },
});
const agents = options.quick ? 2_000 : Number(options.agents);
const publishers = options.quick ? 2_000 : Number(options.publishers);
const questions = options.quick ? 5_000 : Number(options.questions);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

await withScratchFolder(async (folder) => {
  const file = join(folder, 'export.ndjson.gz');
  const lines = Readable.from(exportLines(), { objectMode: false });
  await pipeline(lines, createGzip(), createWriteStream(file));

  const parsed = await timed(async () => {
    let bytes = 0;
    for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) }))
      bytes += line.length + Object.keys(JSON.parse(line)).length;
    return bytes;
  });
  const heapBefore = heapMiB();
  const loaded = await timed(() =>
    readDirectory(Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>),
  );
  const directory = loaded.result;
  const heapOfDirectory = heapMiB() - heapBefore;
  const saved = await timed(() => directory.save());
  const opened = await timed(() => openDirectory(saved.result));

  const micros: number[] = [];
  for (let n = 0; n < questions; n += 1) {
    const publisher = (n * 7_919) % publishers;
    const agent = n % 4 === 3 ? 'https://nobody.example/mcp' : agentAt(publisher, n % 9);
    const property = { type: 'domain', value: publisherAt(publisher) };
    const started = performance.now();
    opened.result.isAuthorized({ agent, property });
    micros.push((performance.now() - started) * 1_000);
  }

  printTable(`a local directory of ${agents} agents and ${publishers * EDGES} entries`, [
    { what: 'export, uncompressed, MiB', value: parsed.result / 2 ** 20 },
    { what: 'floor: its lines uncompressed and parsed, s', value: parsed.seconds },
    { what: 'loaded, s', value: loaded.seconds },
    { what: 'heap of the directory, MiB', value: heapOfDirectory },
    { what: 'saved, s', value: saved.seconds },
    { what: 'saved directory, MiB', value: saved.result.length / 2 ** 20 },
    { what: 'opened from the saved bytes, s', value: opened.seconds },
    { what: 'one question, p50, µs', value: quantile(micros, 0.5) },
    { what: 'one question, p99, µs', value: quantile(micros, 0.99) },
    {
      what: 'peak memory of the process with two directories, MiB',
      value: process.resourceUsage().maxRSS / 1_024,
    },
  ]);
});

async function timed<T>(work: () => Promise<T>): Promise<{ readonly seconds: number; readonly result: T }> {
  const started = performance.now();
  const result = await work();
  return { seconds: (performance.now() - started) / 1_000, result };
}

function heapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function* exportLines(): Generator<string> {
  const counts = { agents, publishers, entries: publishers * EDGES };
  const lineOf = (line: CopyLine) => `${JSON.stringify(line)}\n`;
  yield lineOf({ kind: 'export', version: COPY_VERSION, cursor: 'x', generated_at: 'x', counts });
  for (const { agent, document } of syntheticAgents(agents))
    if (document !== undefined) yield lineOf({ kind: 'agent', agent_url: agent, ...agentCard(document) });
  for (let n = 0; n < publishers; n += 1) yield lineOf(publisherLine(n));
  yield lineOf({ kind: 'end', counts });
}

/** A publisher with a site that nine agents sell, some of them in two countries, and an app that the tenth sells. */
function publisherLine(n: number): CopyLine {
  const publisher = publisherAt(n);
  const entries = Array.from({ length: EDGES }, (_, edge) => ({
    agent_url: agentAt(n, edge),
    entry: `/authorized_agents/${edge}`,
    covers: { property_ids: [edge === EDGES - 1 ? 'app' : 'site'] },
    ...(edge % 3 === 2 && { limits: { countries: ['DE', 'AT'] } }),
  }));
  const site = { property_type: 'website', property_id: 'site', tags: [] };
  const app = { property_type: 'mobile_app', property_id: 'app', tags: [] };
  const properties = [
    { ...site, identifiers: [{ type: 'domain', value: publisher }] },
    { ...app, identifiers: [{ type: 'ios_bundle', value: `com.p${n}` }] },
  ];
  const file = `https://${publisher}/.well-known/adagents.json`;
  return { kind: 'publisher', publisher_domain: publisher, file, stale: false, properties, entries };
}
