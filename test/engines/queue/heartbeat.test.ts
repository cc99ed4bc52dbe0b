import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LightAgent, lightAgents } from '../../pipelines/support/light-agents.ts';
import { ownAgent, urlOf } from '../../pipelines/support/run-world.ts';
import { startWeb } from '../../scenarios/support/web.ts';
import { freshDatabase } from '../support/engines.ts';
import { type Machine, recordsWith, scheduler, until, worker } from './processes.ts';

const KIND = ['--kinds', 'heartbeat'] as const;

/** Owned agents that are due, on records in PostgreSQL. */
async function owned(hosts: readonly string[], agent: LightAgent, env: Machine['env'] = {}) {
  const address = await freshDatabase();
  const { pages, heard } = lightAgents(Object.fromEntries(hosts.map((host) => [host, agent])));
  const web = await startWeb(pages);
  onTestFinished(() => web.close());
  const records = await recordsWith(address, []);
  const clock = { value: Date.now() - 1_000 };
  for (const host of hosts) await ownAgent(urlOf(host), { store: { records }, clock });
  const runsOf = async () => {
    const runs = hosts.map((host) => records.compliance.lastRuns(urlOf(host), { limit: 9 }));
    return (await Promise.all(runs)).map((of) => of.length);
  };
  const machine: Machine = { address, connectTo: web.connectTo, env };
  return { machine, heard, records, runsOf };
}

const isOf = (request: IncomingMessage, name: string) =>
  request.headers['user-agent']?.includes(name) === true;

describe('the heartbeat on the queue', () => {
  it('tests each agent once, with two schedulers and two workers, which stop cleanly', async () => {
    const hosts = Array.from({ length: 20 }, (_, at) => `a${at}.example`);
    const { machine, runsOf } = await owned(hosts, {});
    const running = [
      ...[scheduler(machine), scheduler(machine)],
      ...[worker(machine, 'one', ...KIND), worker(machine, 'two', ...KIND)],
    ];
    await until(async () => (await runsOf()).every((runs) => runs > 0));
    const codes = await Promise.all(running.map((process) => process.end('SIGTERM')));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await runsOf()).toEqual(hosts.map(() => 1));
  });

  it('takes over from a worker that was killed in the middle of a test', async () => {
    // its lease goes by it; the heir has as long for its own, on a busy machine too
    const env = { REGISTRY_RUN_DEADLINE_MS: '4000' };
    const onCall = (_what: string, request: IncomingMessage) =>
      isOf(request, 'victim') ? new Promise(() => {}) : undefined;
    const { machine, heard, runsOf } = await owned(['a.example'], { onCall }, env);
    scheduler(machine);
    const victim = worker(machine, 'victim', ...KIND);
    await until(() => heard.length > 0);
    await victim.end('SIGKILL');
    worker(machine, 'heir', ...KIND);
    await until(async () => (await runsOf())[0] === 1);
  });
});
