/**
 * CPU of a context match and of an identity match, beside bare fastify that reads the same bodies and answers an
 * empty object. Sides take turns; the client is a process of its own.
 *
 *   npm run bench -- trusted-match [--quick]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { MatchLoadInput } from './sides/match-load.ts';
import type { MatchServerInput } from './sides/match-server.ts';
import { runSide, type Serving, startSide } from './support/side.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const requests = options.quick ? 500 : 20_000;
const rounds = options.quick ? 1 : 5;
const world = { packages: options.quick ? 100 : 1_000, tokens: options.quick ? 100 : 20_000 };
const CONNECTIONS = 8;

type Server = Serving<number> & { readonly ready: { readonly port: number } };
type Operation = MatchLoadInput['operation'];

const folder = mkdtempSync(join(tmpdir(), 'registry-bench-'));
const start = (kind: MatchServerInput['kind'], caps?: string): Promise<Server> =>
  startSide('match-server', {
    kind,
    ...world,
    ...(caps !== undefined && { caps }),
  } satisfies MatchServerInput);
const sides = {
  empty: await start('empty'),
  context: await start('context'),
  memory: await start('identity'),
  sqlite: await start('identity', join(folder, 'caps.sqlite')),
};
try {
  await compare([
    ['context: an empty handler', sides.empty, 'context'],
    ['context', sides.context, 'context'],
    ['identity: an empty handler', sides.empty, 'identity'],
    ['identity, caps in memory', sides.memory, 'identity'],
    ['identity, caps in SQLite', sides.sqlite, 'identity'],
    ['identity, caps in memory, a new list each time', sides.memory, 'identity', true],
    ['identity, caps in SQLite, a new list each time', sides.sqlite, 'identity', true],
  ]);
} finally {
  await Promise.all(Object.values(sides).map((side) => side.stop()));
  rmSync(folder, { recursive: true });
}

type Side = readonly [name: string, server: Server, operation: Operation, newLists?: boolean];

async function compare(plan: readonly Side[]): Promise<void> {
  const measured = new Map(plan.map(([side]) => [side, [] as Measured[]]));
  for (const [, ...side] of plan) await load(...side); // warms up
  for (let round = 0; round < rounds; round += 1)
    for (const [name, ...side] of plan) measured.get(name)?.push(await load(...side));
  const of = (side: string, pick: (one: Measured) => number) => median((measured.get(side) ?? []).map(pick));
  printTable(
    `Trusted match (${world.packages} packages, ${world.tokens} tokens, ${CONNECTIONS} connections, n = ${rounds} × ${requests})`,
    plan.map(([side, , operation]) => {
      const floor = `${operation}: an empty handler`;
      return {
        side,
        'CPU µs a request': Math.round(of(side, (one) => one.cpuMicroseconds)),
        'beside the empty handler':
          of(side, (one) => one.cpuMicroseconds) / of(floor, (one) => one.cpuMicroseconds),
        'bytes of a body': Math.round(of(side, (one) => one.bytes)),
        target: side === floor ? '' : '≤ 3',
      };
    }),
  );
}

interface Measured {
  /** Of the server, for each request. */
  readonly cpuMicroseconds: number;
  readonly bytes: number;
}

async function load(server: Server, operation: Operation, newLists = false): Promise<Measured> {
  const input: MatchLoadInput = {
    port: server.ready.port,
    operation,
    newLists,
    ...world,
    requests,
    connections: CONNECTIONS,
  };
  const before = await server.ask('cpu');
  const { result: bytes } = await runSide<number>('match-load', input);
  return { cpuMicroseconds: (((await server.ask('cpu')) - before) * 1_000) / requests, bytes };
}
