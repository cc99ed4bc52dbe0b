import { runSide } from '../../support/side.ts';
import { median, quantile } from '../../support/statistics.ts';
import { printTable } from '../../support/table.ts';
import type { TimedLoad, TimedLoadInput } from '../sides/timed-load.ts';
import type { ListSetting, MeasuredServer } from './list-setting.ts';
import { load } from './machine.ts';
import { cpuMsOf } from './process-cpu.ts';
import { type Question, questions } from './questions.ts';
import { startRelay } from './start-relay.ts';

const CONNECTIONS = 8;
const SIDES = {
  relay: 'bare handler, the same searches',
  ours: 'ours',
  kept: 'ours, two queries that repeat',
};
type Side = keyof typeof SIDES;
const NAMES = Object.keys(SIDES) as Side[];

export interface CompareOptions {
  /** Of the parameters, for the title. */
  readonly name: string;
  readonly switches: Readonly<Record<string, string>>;
  readonly rounds: number;
  /** Requests of each filter in a round. */
  readonly each: number;
}

interface Measured {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly engineCpuMs: number;
  readonly latenciesMs: readonly number[];
}

/**
 * Requests a second of our server and of a bare handler that makes the very same searches, in turns, each round with
 * questions of its own; and of queries that repeat, which are found rendered for half a second.
 */
export async function compareServers(setting: ListSetting, options: CompareOptions): Promise<void> {
  const { agents, cursorSecret, seed, engine } = setting;
  const rounds = Array.from({ length: options.rounds + 1 }, (_, round) => [
    ...questions(options.each, { ...options, agents, cursorSecret, seed: seed + 10 + round }),
  ]);
  const relay = await startRelay(setting, rounds.flat());
  const measured: Record<Side, Measured[]> = { relay: [], ours: [], kept: [] };
  try {
    for (const [round, asked] of rounds.entries()) {
      const first = rounds.slice(0, round).flat().length;
      const order = round % 2 === 0 ? NAMES : NAMES.toReversed();
      for (const side of order) {
        const one = await measure(
          side === 'relay' ? relay : setting.ours,
          pathsOf(side, asked, first),
          engine.pid,
        );
        if (round > 0) measured[side].push(one); // the first one warms up
      }
    }
  } finally {
    await relay.stop();
  }
  report(
    `${options.name}, limit=50 (${agents} agents, ${CONNECTIONS} connections, n = ${options.rounds} × ${rounds[0]?.length}; load ${load()})`,
    measured,
  );
}

function pathsOf(side: Side, asked: readonly Question[], first: number): readonly string[] {
  if (side === 'relay') return asked.map((_, at) => `/${first + at}`);
  return asked.map(({ path }, at) => (side === 'ours' ? path : (asked[at % 2]?.path ?? path)));
}

async function measure(
  server: MeasuredServer,
  paths: readonly string[],
  enginePid: number,
): Promise<Measured> {
  const requests = paths.map((path) => ({ port: server.ready.port, path }));
  const input: TimedLoadInput = { requests, connections: CONNECTIONS };
  const [before, engineBefore] = [await server.ask('cpu'), cpuMsOf(enginePid)];
  const { result } = await runSide<TimedLoad>('engines/timed-load', input);
  const [after, engineAfter] = [await server.ask('cpu'), cpuMsOf(enginePid)];
  return {
    perSecond: (paths.length * 1_000) / result.wallMs,
    cpuMs: (after - before) / paths.length,
    engineCpuMs: (engineAfter - engineBefore) / paths.length,
    latenciesMs: result.latenciesMs,
  };
}

function report(title: string, measured: Readonly<Record<Side, readonly Measured[]>>): void {
  const of = (side: Side, pick: (one: Measured) => number) => median(measured[side].map(pick));
  const ratio = (side: Side) =>
    median(measured[side].map((one, at) => one.perSecond / (measured.relay[at]?.perSecond ?? Number.NaN)));
  const cost = (one: Measured | undefined) => (one?.cpuMs ?? 0) + (one?.engineCpuMs ?? 0);
  const cheaper = (side: Side) =>
    median(measured[side].map((one, at) => cost(measured.relay[at]) / cost(one)));
  printTable(
    `List through OpenSearch, ${title}`,
    NAMES.map((side) => ({
      side: SIDES[side],
      'requests a second': Math.round(of(side, (one) => one.perSecond)),
      'of the bare one': ratio(side),
      'by CPU of both': cheaper(side),
      'server CPU ms': of(side, (one) => one.cpuMs),
      'OpenSearch CPU ms': of(side, (one) => one.engineCpuMs),
      'p99 ms': quantile(
        measured[side].flatMap((one) => one.latenciesMs),
        0.99,
      ),
    })),
  );
}
