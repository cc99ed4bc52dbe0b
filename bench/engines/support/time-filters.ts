import { runSide } from '../../support/side.ts';
import { median, quantile } from '../../support/statistics.ts';
import { printTable } from '../../support/table.ts';
import type { TimedLoad, TimedLoadInput } from '../sides/timed-load.ts';
import type { ListSetting } from './list-setting.ts';
import { load } from './machine.ts';
import { questions } from './questions.ts';
import { startRelay } from './start-relay.ts';

interface Times {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

/**
 * How long each filter takes, as one client sees it that asks one thing after the other; in turns with the bare handler,
 * which says what of it is the engine, and the machine.
 */
export async function timeFilters(setting: ListSetting, each: number): Promise<void> {
  await ask(setting, Math.ceil(each / 4), setting.seed); // warms up
  const { names, ours, bare } = await ask(setting, each, setting.seed + 1);
  const byName = Map.groupBy(names.keys(), (at) => names[at] ?? '');
  const of = (times: readonly number[], places: readonly number[]) =>
    places.map((at) => times[at] ?? Number.NaN);
  const rows = [...byName].map(([filter, places]) =>
    row(filter, { ours: of(ours, places), bare: of(bare, places) }),
  );
  printTable(
    `List by filter, limit=50, ${setting.agents} agents in OpenSearch, one client (n = ${each} a filter, half of them first pages; target: p99 under 40 ms; load ${load()})`,
    [...rows, row('all', { ours, bare })],
  );
}

async function ask(setting: ListSetting, each: number, seed: number) {
  const { ours, agents, cursorSecret } = setting;
  const asked = [...questions(each, { agents, cursorSecret, seed })];
  const relay = await startRelay(setting, asked);
  const requests = asked.flatMap(({ path }, at) => [
    { port: ours.ready.port, path },
    { port: relay.ready.port, path: `/${at}` },
  ]);
  const { result } = await runSide<TimedLoad>('engines/timed-load', {
    requests,
    connections: 1,
  } satisfies TimedLoadInput);
  await relay.stop();
  return {
    names: asked.map(({ name }) => name),
    ours: result.latenciesMs.filter((_, at) => at % 2 === 0),
    bare: result.latenciesMs.filter((_, at) => at % 2 === 1),
  };
}

function row(filter: string, { ours, bare }: Times) {
  return {
    filter,
    'p50 ms': median(ours),
    'p99 ms': quantile(ours, 0.99),
    'worst ms': Math.max(...ours),
    'bare p50': median(bare),
    'bare p99': quantile(bare, 0.99),
  };
}
