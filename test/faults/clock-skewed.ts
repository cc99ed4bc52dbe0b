import { setTimeout as pause } from 'node:timers/promises';
import { openRecords } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { withQuery } from './support/canonical-dump.ts';
import { clockOf } from './support/clock-of.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type PublisherWeb, startPublisherWeb } from './support/publisher-web.ts';
import { type Command, type Environment, startCommand } from './support/registry.ts';
import { SHIFTS, type Shift, withShift } from './support/shift.ts';

const DOMAINS = 400;
const LEAST_DOMAINS = 60;
const DELAY_MS = 50;
const CRAWL_MS = 300_000;
const START_MS = 60_000;
/** Further ahead no visit is planned, nor a lease given. */
const DAY_AND_SLACK_MS = 25 * 3_600_000;
/** Beside what it is off, a clock is asked and read within this, seconds. */
const CLOSE_S = 60;

export default {
  name: 'clock-skewed',
  sentence: 'no domain is visited twice, none is left, no time of the wrong clock is kept, and it is named',
  run: skewClocks,
} satisfies Fault;

async function skewClocks({ scale, engines, log }: FaultContext) {
  const checks = new Checks();
  const postgres = await engines.postgres();
  const domains = Math.max(LEAST_DOMAINS, scaled(DOMAINS, scale));
  const shifts = scale < 1 ? SHIFTS.slice(0, 2) : SHIFTS;
  await Promise.all(
    shifts.map(async (shift) => {
      const web = await startPublisherWeb({ domains, agents: 10, delayMs: DELAY_MS });
      const store = await postgres.createDatabase();
      await crawlWith(shift, store, web, checks).finally(() => web.close());
      log(`${shift.name}: done`);
    }),
  );
  return checks.result(`${shifts.map(({ name }) => name).join(', ')}: ${domains} domains by 2 workers each`);
}

/** A worker and the scheduler are off, the other worker is not. */
async function crawlWith({ name, ms }: Shift, store: string, web: PublisherWeb, checks: Checks) {
  const env = { REGISTRY_STORE: store, REGISTRY_INDEX: 'http://127.0.0.1:9', REGISTRY_CONCURRENCY: '4' };
  const begunAt = Date.now();
  await seed(env, web.domains);
  const off = withShift(env, ms);
  const work = ['work', '--kinds', 'crawl,probe', '--port', '0', ...web.flags];
  const wrong = startCommand(work, off);
  const commands = [wrong, startCommand(work, env), startCommand(['schedule'], off)];
  const isDone = await visitedAll(store, commands);
  checks.that(`${name}: all is visited`, isDone, commands.map((one) => one.stderr().slice(-500)).join('\n'));
  const skew = await skewOf(wrong);
  checks.that(`${name}: the metric says so`, Math.abs(skew - ms / 1_000) < CLOSE_S, skew);
  checks.that(`${name}: the log says so`, /the clock of this machine is/.test(wrong.stderr()));
  for (const command of commands) {
    await waitUntil(() => /"working"|"queueing due work"/.test(command.stderr()), START_MS);
    const { code } = await command.end('SIGTERM');
    checks.that(`${name}: it stops in order`, code === 0, command.stderr().slice(-1_000));
  }
  const often = [...web.seen().files].filter(([, times]) => times > 1);
  checks.that(`${name}: nothing is visited twice`, often.length === 0, often.slice(0, 3));
  await checkTimes(name, store, begunAt, checks);
  const told = await clockOf(off);
  checks.that(`${name}: the doctor there names it`, told?.ok === false, told);
  checks.that(`${name}: the doctor elsewhere has nothing to say`, (await clockOf(env))?.ok === true);
}

async function seed(env: Environment, domains: readonly string[]): Promise<void> {
  const { records } = await openRecords(readConfig(env), { create: true });
  const visits = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  await records.sources.add(visits, records.clock.now());
  await records.close();
}

async function visitedAll(store: string, commands: readonly Command[]): Promise<boolean> {
  const end = performance.now() + CRAWL_MS;
  while (performance.now() < end && commands.every((command) => command.isRunning())) {
    const left = await withQuery(store, (query) =>
      query('SELECT 1 FROM source WHERE last_visit_at IS NULL LIMIT 1'),
    );
    if (left.length === 0) return true;
    await pause(200);
  }
  return false;
}

async function skewOf(command: Command): Promise<number> {
  const [, url = ''] = /metrics at (\S+),/.exec(await command.until('stdout', /metrics at \S+,/)) ?? [];
  const text = await (await fetch(url)).text();
  return Number(/^registry_clock_skew_seconds (\S+)$/m.exec(text)?.[1]);
}

async function checkTimes(name: string, store: string, begunAt: number, checks: Checks): Promise<void> {
  const [times = {}] = await withQuery(store, (query) =>
    query(`SELECT min(last_visit_at) AS first, max(last_visit_at) AS last, max(next_visit_at) AS next,
      max(lease_until) AS lease FROM source`),
  );
  const now = Date.now();
  const slackMs = CLOSE_S * 1_000;
  const isOurs = (at: unknown) => Number(at) >= begunAt - slackMs && Number(at) <= now + slackMs;
  checks.that(`${name}: visits are dated right`, isOurs(times.first) && isOurs(times.last), times);
  const isSoon = (at: unknown) => Number(at) <= now + DAY_AND_SLACK_MS;
  checks.that(`${name}: nothing is planned too late`, isSoon(times.next) && isSoon(times.lease), times);
}
