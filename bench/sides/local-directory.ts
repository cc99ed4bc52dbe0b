import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { writeExport } from '../../src/api/export/files.ts';
import { openDirectory, readDirectory } from '../../src/client/directory/index.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { authorise } from '../../src/domain/authorise.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { asSide } from '../support/as-side.ts';
import { agentAt, fillEdges, publisherAt } from '../support/fill-edges.ts';
import { median, quantile } from '../support/statistics.ts';
import { syntheticAgents } from '../synthetic-agents.ts';

/** One step of `bench/local-directory.ts`, in a process of its own. */
export interface Step {
  readonly step: keyof typeof STEPS;
  readonly store: string;
  readonly folder: string;
  readonly file: string;
  readonly saved: string;
  readonly publishers: number;
  readonly agents: number;
  readonly questions: number;
}

/** Between two looks at the memory of an export. */
const LOOK_EVERY_MS = 50;

const STEPS = {
  /** The store; in a process of its own, as the memory of a parent counts for its children. */
  async fill({ store, publishers, agents }: Step) {
    const records = await openSqliteRecords({ path: store });
    fillEdges(records.database, publishers);
    const insert = records.database.statement(
      'INSERT INTO document (agent, version, hash, value) VALUES (?, ?, ?, ?)',
    );
    let version = 0;
    records.database.transaction(() => {
      for (const { agent, document } of syntheticAgents(agents)) {
        version += 1;
        insert.run(agent, version, `h${version}`, JSON.stringify(document));
      }
    });
    await records.close();
    return {};
  },
  /** The export. */
  async export({ store, folder }: Step) {
    const records = await openSqliteRecords({ path: store });
    const memory: number[] = [];
    const look = setInterval(() => memory.push(process.memoryUsage.rss() / 2 ** 20), LOOK_EVERY_MS);
    const { path, bytes } = await writeExport(
      { records, clock: systemClock, cursorSecret: new Uint8Array(32) },
      folder,
    );
    clearInterval(look);
    await records.close();
    const firstHalf = memory.slice(0, Math.ceil(memory.length / 2));
    return { path, bytes, halfMiB: Math.max(...firstHalf), wholeMiB: Math.max(...memory) };
  },
  /** Its floor: the same rows, as they are. */
  async rows({ store }: Step) {
    const { database, ...records } = await openSqliteRecords({ path: store });
    let bytes = 0;
    for (const text of [
      'SELECT * FROM document ORDER BY agent',
      'SELECT publisher, agent, entry, covers, limits FROM authorisation ORDER BY publisher, id',
      'SELECT * FROM property ORDER BY publisher, id',
    ])
      for (const row of database.statement(text).iterate()) bytes += JSON.stringify(row).length;
    await records.close();
    return { bytes };
  },
  /** A directory of the export, saved. */
  async load({ file, saved }: Step) {
    const stream = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
    writeFileSync(saved, (await readDirectory(stream)).save());
    return {};
  },
  /** Its floor: the lines, unpacked and parsed. */
  async lines({ file }: Step) {
    let count = 0;
    for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) }))
      count += Object.keys(JSON.parse(line)).length;
    return { count };
  },
  /** Opens what was saved, and asks. */
  async open({ saved, publishers, questions }: Step) {
    const began = performance.now();
    const bytes = readFileSync(saved);
    const readMs = performance.now() - began;
    const directory = openDirectory(bytes);
    const openMs = performance.now() - began;
    const rssMiB = process.memoryUsage().rss / 2 ** 20;
    const ask = (n: number) => {
      const [publisher, edge] = [(n * 7_919) % publishers, n % 9];
      const agent = n % 4 === 3 ? 'https://nobody.example/mcp' : agentAt(publisher, edge);
      return { agent, property: { type: 'domain', value: publisherAt(publisher) } };
    };
    const one = (n: number) => directory.isAuthorized(ask(n)).authorized;
    const floor = floorOf();
    const timed = (work: (n: number) => unknown) => {
      const times: number[] = [];
      for (let block = 0; block < questions / 1_000; block += 1) {
        const { user, system } = process.cpuUsage();
        for (let n = 0; n < 1_000; n += 1) work(block * 1_000 + n);
        const used = process.cpuUsage({ user, system });
        times.push((used.user + used.system) / 1_000);
      }
      return { p50: median(times), p99: quantile(times, 0.99) };
    };
    timed(one);
    return { readMs, openMs, rssMiB, floor: timed(floor), ask: timed(ask), question: timed(one) };
  },
};

/** The rule alone, on facts that are there. */
function floorOf(): () => boolean {
  const publisher = publisherAt(1);
  const properties = [
    {
      propertyId: 'site',
      propertyType: 'website',
      identifiers: [{ type: 'domain', value: publisher }],
      tags: [],
    },
  ];
  const facts = {
    ...{ publisher, file: { url: `https://${publisher}/`, stale: false }, hasCatalogue: true, properties },
    entries: [{ entry: '/authorized_agents/0', covers: { ids: '\nsite\n' } }],
  };
  const question = { agent: 'https://a.example/mcp', property: { type: 'domain', value: publisher }, at: 1 };
  return () => authorise(question, [facts]).authorized;
}

await asSide((input: Step) => STEPS[input.step](input) as Promise<object>);
