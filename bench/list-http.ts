/**
 * The list operation with all switches over HTTP, beside bare fastify that sends the same bytes as a constant: a question that
 * was asked before, and questions that were never asked.
 *
 *   npm run bench -- list-http [--quick]
 */
import { parseArgs } from 'node:util';
import type { ConstantInput } from './sides/constant-server.ts';
import type { LoadInput } from './sides/http-load.ts';
import type { ListServerInput } from './sides/list-server.ts';
import { withScratchStore } from './support/scratch.ts';
import { runSide, type Serving, startSide } from './support/side.ts';
import { median, quantile } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const agents = options.quick ? 1_000 : 10_000;
const requests = options.quick ? 200 : 2_000;
const rounds = options.quick ? 1 : 3;
/** Few, so that the time of a request has little waiting in it. */
const CONNECTIONS = 2;
const QUERY = '/api/registry/agents?limit=50&health=true&capabilities=true&properties=true&compliance=true';

type Server = Serving<number> & { readonly ready: { readonly port: number } };
const SIDES = ['constant', 'asked before', 'never asked'] as const;
/** What must hold for each. */
const TARGETS = {
  constant: '',
  'asked before': 'CPU ≤ 0.2, p99 ≤ 5',
  'never asked': 'CPU ≤ 1, p99 ≤ 15',
} as const;

await withScratchStore(async (store) => {
  const input: ListServerInput = { agents, store };
  const ours = await startSide<{ port: number }, number>('list-server', input);
  const body = await text(ours, QUERY);
  const constant = await startSide<{ port: number }, number>('constant-server', {
    body,
  } satisfies ConstantInput);
  try {
    await compare(ours, constant, body);
  } finally {
    await Promise.all([ours.stop(), constant.stop()]);
  }
});

async function compare(ours: Server, constant: Server, body: string): Promise<void> {
  const questions = neverAsked(ours);
  const plan = {
    constant: { server: constant, paths: async () => [QUERY] },
    'asked before': { server: ours, paths: async () => [QUERY] },
    'never asked': { server: ours, paths: async () => (await questions.next()).value ?? [] },
  };
  const measured = Object.fromEntries(SIDES.map((side) => [side, [] as Measured[]]));
  for (const side of SIDES) await load(plan[side].server, await plan[side].paths()); // warms up
  for (let round = 0; round < rounds; round += 1)
    for (const side of SIDES) measured[side]?.push(await load(plan[side].server, await plan[side].paths()));
  const of = (side: string, pick: (one: Measured) => number) => median((measured[side] ?? []).map(pick));
  printTable(
    `List over HTTP, all switches, limit=50 (${agents} agents, ${Math.round(body.length / 1_024)} KiB, ${CONNECTIONS} connections, n = ${rounds} × ${requests})`,
    SIDES.map((side) => ({
      side,
      'requests a second': Math.round(of(side, (one) => one.perSecond)),
      'server CPU ms a request': of(side, (one) => one.cpuMs),
      'p50 ms': of(side, (one) => one.p50),
      'p99 ms': of(side, (one) => one.p99),
      'must hold': TARGETS[side],
    })),
  );
}

interface Measured {
  readonly perSecond: number;
  /** Of the server, for each request. */
  readonly cpuMs: number;
  readonly p50: number;
  readonly p99: number;
}

async function load(server: Server, paths: readonly string[]): Promise<Measured> {
  const input: LoadInput = { port: server.ready.port, paths, requests, connections: CONNECTIONS };
  const before = await server.ask('cpu');
  const { wallMs, result: times } = await runSide<readonly number[]>('http-load', input);
  const cpuMs = ((await server.ask('cpu')) - before) / requests;
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { perSecond: (requests * 1_000) / wallMs, cpuMs, p50, p99 };
}

/**
 * For each round, questions that no round before has asked: the places of a walk through the list, each with a limit of its
 * own, 50 on average.
 */
async function* neverAsked(server: Server): AsyncGenerator<readonly string[]> {
  const places: string[] = [];
  for (let path = `${QUERY}&`; ; ) {
    const { next_cursor } = JSON.parse(await text(server, path)) as { next_cursor?: string };
    if (next_cursor === undefined) break;
    places.push(encodeURIComponent(next_cursor));
    path = `${QUERY}&cursor=${encodeURIComponent(next_cursor)}`;
  }
  const limits = Array.from({ length: 81 }, (_, at) => 50 + (at % 2 === 0 ? at / 2 : -(at + 1) / 2));
  const all = limits.flatMap((limit) =>
    places.map((place) => `${QUERY.replace('limit=50', `limit=${limit}`)}&cursor=${place}`),
  );
  for (let from = 0; from < all.length; from += requests) yield all.slice(from, from + requests);
}

async function text({ ready }: Server, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${ready.port}${path}`);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.text();
}
