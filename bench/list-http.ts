/**
 * Requests a second of the list operation with everything switched on, beside bare fastify that sends the same bytes
 * as a constant. The repeated query is found rendered; rotating cursors are rendered each time.
 *
 *   npm run bench -- list-http [--quick]
 */
import { parseArgs } from 'node:util';
import type { ConstantInput } from './sides/constant-server.ts';
import type { LoadInput } from './sides/http-load.ts';
import type { ListServerInput } from './sides/list-server.ts';
import { withScratchStore } from './support/scratch.ts';
import { runSide, type Serving, startSide } from './support/side.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const agents = options.quick ? 1_000 : 100_000;
const requests = options.quick ? 200 : 4_000;
const rounds = options.quick ? 1 : 7;
const CONNECTIONS = 8;
const QUERY = '/api/registry/agents?limit=50&health=true&capabilities=true&properties=true&compliance=true';

type Server = Serving<number> & { readonly ready: { readonly port: number } };
const SIDES = ['constant', 'repeated query', 'rotating cursors'] as const;

await withScratchStore(async (store) => {
  const input: ListServerInput = { agents, store };
  const ours = await startSide<{ port: number }, number>('list-server', input);
  const body = await text(ours, QUERY);
  const constant = await startSide<{ port: number }, number>('constant-server', {
    body,
  } satisfies ConstantInput);
  try {
    await compare(ours, constant, await cursors(ours), body);
  } finally {
    await Promise.all([ours.stop(), constant.stop()]);
  }
});

async function compare(
  ours: Server,
  constant: Server,
  paths: readonly string[],
  body: string,
): Promise<void> {
  const plan = {
    constant: { server: constant, paths: [QUERY] },
    'repeated query': { server: ours, paths: [QUERY] },
    'rotating cursors': { server: ours, paths },
  };
  const measured = Object.fromEntries(SIDES.map((side) => [side, [] as Measured[]]));
  for (const side of SIDES) await load(plan[side].server, plan[side].paths); // warms up
  for (let round = 0; round < rounds; round += 1)
    for (const side of SIDES) measured[side]?.push(await load(plan[side].server, plan[side].paths));
  const of = (side: string, pick: (one: Measured) => number) => median((measured[side] ?? []).map(pick));
  printTable(
    `List over HTTP, all switches, limit=50 (${agents} agents, ${Math.round(body.length / 1_024)} KiB, ${CONNECTIONS} connections, n = ${rounds} × ${requests})`,
    SIDES.map((side) => ({
      side,
      'requests a second': Math.round(of(side, (one) => one.perSecond)),
      'of the constant': of(side, (one) => one.perSecond) / of('constant', (one) => one.perSecond),
      'server CPU ms a request': of(side, (one) => one.cpuMs),
      target: side === 'constant' ? '' : '≥ 0.5',
    })),
  );
}

interface Measured {
  readonly perSecond: number;
  /** Of the server, for each request. */
  readonly cpuMs: number;
}

async function load(server: Server, paths: readonly string[]): Promise<Measured> {
  const input: LoadInput = { port: server.ready.port, paths, requests, connections: CONNECTIONS };
  const before = await server.ask('cpu');
  const { wallMs } = await runSide<void>('http-load', input);
  const cpuMs = ((await server.ask('cpu')) - before) / requests;
  return { perSecond: (requests * 1_000) / wallMs, cpuMs };
}

/** Every page of the list, so many that each is forgotten before it comes again: also that it was asked for. */
async function cursors(server: Server): Promise<readonly string[]> {
  const paths: string[] = [];
  let path = QUERY;
  while (paths.length < 4_000) {
    paths.push(path);
    const { next_cursor } = JSON.parse(await text(server, path)) as { next_cursor?: string };
    if (next_cursor === undefined) break;
    path = `${QUERY}&cursor=${encodeURIComponent(next_cursor)}`;
  }
  return paths;
}

async function text({ ready }: Server, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${ready.port}${path}`);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.text();
}
