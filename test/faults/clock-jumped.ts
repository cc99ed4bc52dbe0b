import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalDump, type Dump, differences, withQuery } from './support/canonical-dump.ts';
import { clockOf } from './support/clock-of.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type PublisherWeb, startPublisherWeb } from './support/publisher-web.ts';
import { type Environment, runCommand } from './support/registry.ts';
import { SHIFTS, type Shift, withShift } from './support/shift.ts';

const DOMAINS = 200;
const LEAST_DOMAINS = 20;
const AGENTS = 8;
const DAY_MS = 86_400_000;
/** What is asked of a domain. */
const FILES = 2;

export default {
  name: 'clock-jumped',
  sentence:
    'nothing is pruned or lost by it; it is named; when it is right again nothing waits for its times (SQLite)',
  run: jump,
} satisfies Fault;

async function jump({ scale, folder, log }: FaultContext) {
  const checks = new Checks();
  const domains = Math.max(LEAST_DOMAINS, scaled(DOMAINS, scale));
  const shifts = scale < 1 ? SHIFTS.filter(({ ms }) => Math.abs(ms) > DAY_MS) : SHIFTS;
  await Promise.all(
    shifts.map(async (shift, number) => {
      const web = await startPublisherWeb({ domains, agents: AGENTS, delayMs: 1 });
      const path = join(folder, String(number));
      writeFileSync(`${path}.txt`, web.domains.join('\n'));
      await jumpOnce(shift, path, web, checks).finally(() => web.close());
      log(`${shift.name}: done`);
    }),
  );
  return checks.result(`${shifts.map(({ name }) => name).join(', ')}: ${domains} domains each`);
}

async function jumpOnce({ name, ms }: Shift, path: string, web: PublisherWeb, checks: Checks): Promise<void> {
  const store = `sqlite:${path}.sqlite`;
  const env = { REGISTRY_STORE: store };
  const run = async (args: readonly string[], given: Environment): Promise<string> => {
    const { code, stdout, stderr } = await runCommand([...args, '--log-level', 'warn'], given);
    checks.that(`${name}: '${args.slice(0, 2).join(' ')}' ends with 0`, code === 0, stderr.slice(-1_000));
    return stdout;
  };
  const due = ['crawl', '--due', '--progress', 'none', ...web.flags];
  await run(['crawl', '--from', `${path}.txt`, '--progress', 'none', ...web.flags], env);
  const before = await withoutHistory(store);

  const wrong = withShift(env, ms);
  await run(due, wrong);
  const isFar = Math.abs(ms) > DAY_MS;
  const there = await clockOf(wrong);
  const isTold =
    there?.ok === false && /(ahead of|behind) the last time stored in the records/.test(there.detail);
  checks.that(`${name}: the doctor names the jump`, isTold || (!isFar && ms > 0), there);
  const { stdout } = await runCommand(['prune', '--json'], wrong);
  const pruned = Object.values(JSON.parse(stdout) as Record<string, number>);
  checks.that(
    `${name}: nothing is pruned by it`,
    pruned.every((count) => count === 0),
    stdout,
  );

  web.seen();
  const here = await clockOf(env);
  checks.that(`${name}: the doctor has nothing to say when it is right`, here?.ok === true, here);
  await run(due, env);
  const asked = [...web.seen().files.values()].reduce((sum, times) => sum + times, 0);
  const wanted = isFar ? FILES * web.domains.length : 0;
  checks.that(`${name}: what it planned comes at once`, asked >= wanted, { asked, wanted });
  const different = differences(await withoutHistory(store), before);
  checks.that(`${name}: the records are as before`, different.length === 0, different.join('\n'));
  const [late = {}] = await withQuery(store, (query) =>
    query('SELECT max(next_visit_at) AS next, max(lease_until) AS lease FROM source'),
  );
  const isSoon = (at: unknown) => Number(at) <= Date.now() + DAY_MS + 3_600_000;
  checks.that(`${name}: nothing is planned too late`, isSoon(late.next) && isSoon(late.lease), late);
}

/** What each look adds to, or counts, is left out. */
async function withoutHistory(store: string): Promise<Dump> {
  const {
    captures: _captures,
    probeChanges: _probeChanges,
    sources: _sources,
    ...dump
  } = await canonicalDump(store);
  return dump;
}
