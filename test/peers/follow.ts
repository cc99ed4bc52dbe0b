import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createSqliteIndex } from '../../src/adapters/sql/index/sqlite-index.ts';
import { openSqliteRecords } from '../../src/adapters/sql/sqlite/sqlite-records.ts';
import { createServer } from '../../src/api/server.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAndIndex } from '../../src/indexing/stitch-and-index.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { newApiKey } from '../../src/owners/api-key.ts';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';
import type { Peer, Row } from './peer.ts';

/** Tells a client's `RegistrySync` of that name to follow the feed to its end; a new name begins with nothing. */
interface FollowOrder {
  readonly follow: { readonly name: string; readonly url: string; readonly key: string };
}

/** What a directory holds: urls of agents, and `agent publisher` of each that is authorised; sorted. */
interface Held {
  readonly agents: readonly string[];
  readonly edges: readonly string[];
}

interface FollowReply {
  readonly ok: boolean;
  readonly data?: Held;
  readonly error?: string;
}

/** A change in each; the server is closed and started anew in every third. */
const MINUTES = 60;
/** How long nothing changes in every tenth minute: agents that nobody names any more leave the list, and may return. */
const QUIET_MS = 25 * 3_600_000;
const [AGENTS, PUBLISHERS, SCOPES] = [9, 5, 3];

/**
 * The sync of a client of the field, as it is, through an hour of random changes: whoever polls at times, whoever polls
 * always and whoever comes at the end hold what the other operations say.
 */
export async function runFollowers(client: string, peer: Peer): Promise<readonly Row[]> {
  const asked = peer as unknown as Peer<FollowOrder, FollowReply>;
  const registry = await changingRegistry();
  const follow = (name: string) => asked.call({ follow: { name, url: registry.url(), key: registry.key } });
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await registry.change();
    if (minute % 10 === 9) await registry.wait(QUIET_MS);
    if (minute % 3 === 0) await registry.restart();
    await follow('always');
    if (minute % 7 === 0) await follow('at times');
  }
  const expected = await registry.known();
  const rows: Row[] = [];
  for (const name of ['always', 'at times', 'late']) {
    const reply = await follow(name);
    const verdict = verdictOf(reply, expected);
    rows.push({
      ...{ client, transport: 'feed', task: `follows ${name}`, verdict },
      right: verdict.startsWith('holds'),
    });
  }
  await registry.close();
  return rows;
}

function verdictOf({ ok, data, error = '' }: FollowReply, { agents, edges }: Held): string {
  if (!ok || data === undefined) return error;
  const differences = [...differing(agents, data.agents), ...differing(edges, data.edges)];
  if (edges.length === 0) return 'nothing was authorised at the end';
  if (differences.length > 0) return `differs in ${differences.slice(0, 5).join(', ')}`;
  return `holds the ${agents.length} agents and ${edges.length} edges`;
}

function differing(some: readonly string[], others: readonly string[]): readonly string[] {
  const [has, have] = [new Set(some), new Set(others)];
  return [...some.filter((one) => !have.has(one)), ...others.filter((one) => !has.has(one))];
}

/** A registry in a file, whose publishers change their files and whose server is closed at times. The clock is ours. */
async function changingRegistry() {
  const clock = { value: NOW, now: () => clock.value };
  const folder = await mkdtemp(join(tmpdir(), 'followers-'));
  const random = randomNumbers(7);
  const key = newApiKey();
  let port = 0;
  let running = await start();
  await running.records.members.import([{ slug: 'm', displayName: 'M', foundingMember: false }], NOW);
  await running.records.keys.create({ id: key.id, hash: key.hash, member: 'm' }, NOW);

  async function start() {
    const records = await openSqliteRecords({ path: join(folder, 'registry.sqlite') });
    const index = createSqliteIndex(records.database, { clock });
    const server = createServer({
      ...{ records, index, clock, logger: pino({ level: 'silent' }) },
      metrics: createMetrics({ version: '0.1.0' }),
      config: { version: '0.1.0', trustedProxies: [] },
    });
    await server.listen({ port, host: '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
    const stop = async () => {
      server.server.closeAllConnections();
      await server.close();
      await records.close();
    };
    return { records, index, server, stop };
  }

  return {
    key: key.key,
    url: () => `http://127.0.0.1:${port}`,
    async restart() {
      await running.stop();
      running = await start();
    },
    async change() {
      clock.value += 60_000;
      const authorized_agents = Array.from({ length: random(3) }, () => ({
        url: `https://agent-${random(AGENTS)}.example/mcp`,
        authorized_for: `offer ${random(SCOPES)}`,
      }));
      await publish(
        running.records,
        `publisher-${random(PUBLISHERS)}.example`,
        { authorized_agents },
        clock.value,
      );
      await stitchAndIndex({ ...running, clock, rederive: deriveStored });
    },
    async wait(ms: number) {
      clock.value += ms;
      await stitchAndIndex({ ...running, clock, rederive: deriveStored });
    },
    async known(): Promise<Held> {
      const read = async (path: string) =>
        (await running.server.inject(`/api/registry/${path}`)).json() as Answer;
      const { rows = [] } = await read('authorizations/snapshot');
      const { results = [] } = await read('agents/search?limit=200');
      const edges = new Set(rows.map((row) => `${row.agent_url} ${row.publisher_domain}`));
      return { agents: results.map(({ url }) => url).sort(), edges: [...edges].sort() };
    },
    async close() {
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
}

interface Answer {
  readonly rows?: readonly { readonly agent_url: string; readonly publisher_domain: string }[];
  readonly results?: readonly { readonly url: string }[];
}

/** The same numbers in each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
