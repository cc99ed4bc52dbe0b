import type { TimedLoad, TimedLoadInput, TimedRequest } from '../engines/sides/timed-load.ts';
import { randomNumbers } from '../engines/support/questions.ts';
import type { ConstantInput } from '../sides/constant-server.ts';
import type { TestedAgents } from './fill-tested.ts';
import { runSide, type Serving, startSide } from './side.ts';
import { median, quantile } from './statistics.ts';
import { printTable } from './table.ts';

type Server = Serving<number> & { readonly ready: { readonly port: number } };

export interface ComplianceSetting {
  readonly title: string;
  readonly ours: Server;
  readonly agents: TestedAgents;
  /** Requests of each kind for the latencies. */
  readonly each: number;
  /** Of the p99, milliseconds. */
  readonly targetMs: number;
  readonly seed: number;
}

const CONNECTIONS = 8;
const CONSTANT_PATH = '/api/registry/agents';

/** Who asks for what: a stranger for an agent that was never tested and for one that was, and an owner for its own. */
type Kind = 'never tested' | 'tested' | 'tested, by its owner';

/**
 * How long the compliance operation takes: each request for an agent from anywhere, in turns with bare fastify that
 * sends as many bytes; for one client, and over several connections at once.
 */
export async function timeCompliance(setting: ComplianceSetting): Promise<void> {
  const constant = await startConstant(setting);
  try {
    await timeOne(setting, constant, Math.ceil(setting.each / 4)); // warms up
    printTable(
      `${setting.title}, one client (n = ${setting.each} a row, seed ${setting.seed})`,
      await timeOne(setting, constant, setting.each),
    );
    await timeMany(setting, constant);
    printTable(`${setting.title}, ${CONNECTIONS} connections`, await timeMany(setting, constant));
  } finally {
    await constant.stop();
  }
}

async function startConstant({ ours, agents }: ComplianceSetting): Promise<Server> {
  const answer = await fetch(`http://127.0.0.1:${ours.ready.port}${pathOf(agents.tested[0]?.agent ?? '')}`);
  const body = await answer.text();
  return startSide('constant-server', { body } satisfies ConstantInput);
}

async function timeOne({ ours, agents, targetMs, seed }: ComplianceSetting, constant: Server, each: number) {
  const rows = [];
  for (const [kind, asked] of Object.entries(questions(agents, each, seed))) {
    const requests = asked.flatMap((request) => [
      { port: ours.ready.port, ...request },
      { port: constant.ready.port, path: CONSTANT_PATH },
    ]);
    const { latenciesMs } = await ask(requests, 1);
    const mine = latenciesMs.filter((_, at) => at % 2 === 0);
    const bare = latenciesMs.filter((_, at) => at % 2 === 1);
    rows.push({
      agent: kind,
      'p50 ms': median(mine),
      'p99 ms': quantile(mine, 0.99),
      'worst ms': Math.max(...mine),
      'constant p50': median(bare),
      'constant p99': quantile(bare, 0.99),
      'target p99': `< ${targetMs}`,
    });
  }
  return rows;
}

async function timeMany({ ours, agents, each, targetMs, seed }: ComplianceSetting, constant: Server) {
  const mixed = Object.values(questions(agents, each, seed + 1)).flat();
  const sides = {
    'all three kinds': [ours, mixed],
    'bare fastify, the same bytes': [constant, mixed.map(() => ({ path: CONSTANT_PATH }))],
  } as const;
  const rows = [];
  for (const [side, [server, asked]] of Object.entries(sides)) {
    const before = await server.ask('cpu');
    const requests = shuffled(asked, seed).map((request) => ({ port: server.ready.port, ...request }));
    const { latenciesMs, wallMs } = await ask(requests, CONNECTIONS);
    rows.push({
      side,
      'requests a second': Math.round((requests.length * 1_000) / wallMs),
      'server CPU ms a request': ((await server.ask('cpu')) - before) / requests.length,
      'p50 ms': median(latenciesMs),
      'p99 ms': quantile(latenciesMs, 0.99),
      'target p99': server === ours ? `< ${targetMs}` : '',
    });
  }
  return rows;
}

async function ask(requests: readonly TimedRequest[], connections: number): Promise<TimedLoad> {
  const input: TimedLoadInput = { requests, connections };
  return (await runSide<TimedLoad>('engines/timed-load', input)).result;
}

type Question = Omit<TimedRequest, 'port'>;

function questions(
  { tested, untested }: TestedAgents,
  each: number,
  seed: number,
): Readonly<Record<Kind, readonly Question[]>> {
  const random = randomNumbers(seed);
  const some = <T>(from: readonly T[]) =>
    Array.from({ length: each }, () => from[Math.floor(random() * from.length)] as T);
  return {
    'never tested': some(untested).map((agent) => ({ path: pathOf(agent) })),
    tested: some(tested).map(({ agent }) => ({ path: pathOf(agent) })),
    'tested, by its owner': some(tested).map(({ agent, key }) => ({
      path: pathOf(agent),
      headers: { authorization: `Bearer ${key}` },
    })),
  };
}

function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = randomNumbers(seed);
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}

function pathOf(agent: string): string {
  return `/api/registry/agents/${encodeURIComponent(agent)}/compliance`;
}
