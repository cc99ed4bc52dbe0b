import { describe, expect, it } from 'vitest';
import { heartbeat } from '../../pipelines/heartbeat.ts';
import { createControlProbe } from '../../src/crawl/fetch/control-probe.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import type { SettingsChange } from '../../src/domain/compliance.ts';
import type { RunSoFar } from '../../src/domain/run-so-far.ts';
import { RegistryError } from '../../src/errors.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import type { Records } from '../../src/ports/records.ts';
import type { RunLease } from '../../src/records/runs/run-leases.ts';
import { bundleOf, withPhases } from '../compliance/support/runs.ts';
import { deadHolder } from '../support/dead-holder.ts';
import { patientTime } from '../support/patient-time.ts';
import type { LightAgent } from './support/light-agents.ts';
import { until } from './support/memory-queue.ts';
import { onlyBundle, openRunWorld, type RunWorld, urlOf } from './support/run-world.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const SILENT = { raw: () => {} };
const OPERATOR = { kind: 'operator' } as const;

const decide = ({ store, clock }: RunWorld, host: string, change: SettingsChange) =>
  store.records.owners.changeSettings({ agent: urlOf(host), change, actor: OPERATOR }, clock.value);
const optOut = (world: RunWorld, host: string) => decide(world, host, { optedOut: true });

/** Agents that were called at all, each once. */
const calledOf = ({ heard }: RunWorld) => [...new Set(heard.map(({ host }) => host))].toSorted();

describe('the heartbeat', () => {
  it('tests the agents whose time has come, keeps what came of it, and comes back after their interval', async () => {
    const world = await openRunWorld({ 'a.example': {}, 'b.example': {}, 'unowned.example': {} });
    await world.own('a.example', 'b.example');
    const metrics = createMetrics();
    await world.beat({ metrics });
    expect(calledOf(world)).toEqual(['a.example', 'b.example']);
    expect([await world.outcomes('a.example'), await world.outcomes('b.example')]).toEqual([
      ['complete'],
      ['complete'],
    ]);
    expect(await metrics.text()).toContain('registry_runs_total{trigger="heartbeat",outcome="complete"} 2');
    const calls = world.heard.length;
    await world.beat();
    expect(world.heard.length).toBe(calls);
    world.clock.value += 12 * HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete', 'complete']);
  });

  it('calls an agent at the very address that its owner has registered', async () => {
    const paths = new Set<string | undefined>();
    const world = await openRunWorld({ 'a.example': { onCall: (_what, { url }) => paths.add(url) } });
    await world.own('a.example');
    const registered = { agent: urlOf('a.example'), url: 'https://a.example/%6Dcp//', member: 'acme' };
    await world.store.records.members.register(registered, world.clock.value);
    await world.beat();
    expect(paths).toContain('/%6Dcp//');
    expect(paths).not.toContain('/mcp');
  });

  it('tests each agent as the buyer that its owner has named, and names the account of one to no other', async () => {
    const accounts: unknown[] = [];
    const agent = (host: string): LightAgent => ({
      answer: (_task, input) => {
        accounts.push([host, (input as { account?: unknown }).account]);
        return {};
      },
    });
    const world = await openRunWorld({ 'a.example': agent('a.example'), 'b.example': agent('b.example') });
    await world.own('a.example', 'b.example');
    const testSetup = { operator: 'known-to-a.example', account: { account_id: 'acc-at-a' } };
    await decide(world, 'a.example', { testSetup });
    const account = 'account: {brand: {domain: $test_kit.brand.domain}, operator: $test_kit.operator}';
    const look = `[{id: look, task: get_products, sample_request: {${account}}}]`;
    const bundle = bundleOf(withPhases(`  - {id: p, steps: ${look}}`));
    await world.beat({ bundles: onlyBundle(bundle) });
    const brand = { domain: 'tidewater-kayaks.example' };
    expect(accounts.toSorted()).toEqual([
      ['a.example', { brand, operator: 'known-to-a.example', account_id: 'acc-at-a' }],
      ['b.example', { brand, operator: 'desk.example' }],
    ]);
  });

  it('tests nobody whose proof is too old, once it was asked for again in vain', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    world.clock.value += 181 * 24 * HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete']); // it is asked for again, and counts meanwhile
    world.clock.value += 31 * 24 * HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete']);
    expect(await world.store.records.owners.owner(urlOf('a.example'))).toBeUndefined();
  });

  it('makes the run that somebody asked for under the id that was promised, although the owner has paused the clock', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    await world.beat();
    await decide(world, 'a.example', { monitoringPaused: true });
    const runId = '7d1f6a52-3c57-4b8e-9a55-0d3f5a2f9b11';
    const wanted = { agent: urlOf('a.example'), runId, trigger: 'owner_test', actor: OPERATOR } as const;
    await world.store.records.runs.request(wanted, () => 0, world.clock.value);
    const metrics = createMetrics();
    await world.beat({ metrics });
    expect(await world.store.records.compliance.run(urlOf('a.example'), runId)).toMatchObject({
      trigger: 'owner_test',
    });
    expect(await world.store.records.runs.requested(urlOf('a.example'))).toBeUndefined();
    expect(metrics.runCounts().complete).toBe(1);
  });

  it('makes a run of one storyboard that was asked for, which changes neither standing nor what is due', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    await world.beat();
    const { records } = world.store;
    const agent = urlOf('a.example');
    const before = await records.compliance.state(agent);
    const [storyboard = ''] = before?.standing.storyboards.map((one) => one.storyboard_id) ?? [];
    expect(storyboard).not.toBe('');
    const runId = '7d1f6a52-3c57-4b8e-9a55-0d3f5a2f9b12';
    const wanted = { agent, runId, trigger: 'owner_test', actor: OPERATOR, storyboard } as const;
    await records.runs.request(wanted, () => 0, world.clock.value);
    await world.beat();
    const run = await records.compliance.run(agent, runId);
    expect(run).toMatchObject({ partial: true, outcome: 'complete' });
    expect(run?.verdict.storyboard_statuses.map((one) => one.storyboard_id)).toEqual([storyboard]);
    const after = await records.compliance.state(agent);
    expect(after?.standing).toEqual({
      ...before?.standing,
      lastAttempt: expect.objectContaining({ runId, outcome: 'partial' }),
      recent: after?.standing.recent,
    });
    expect(after?.badges).toEqual(before?.badges);
    expect(await records.runs.due(9, world.clock.value)).toEqual([]);
  });

  it('tells step by step how far a run is that somebody asked for, and makes it all the same where that cannot be written', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    await world.beat();
    const { records } = world.store;
    const told: RunSoFar[] = [];
    const runs = {
      ...records.runs,
      async reportProgress(lease: RunLease, soFar: RunSoFar) {
        told.push(soFar);
        await records.runs.reportProgress(lease, soFar);
      },
    };
    const askAs = (runId: string) =>
      records.runs.request(
        { agent: urlOf('a.example'), runId, trigger: 'owner_test', actor: OPERATOR },
        () => 0,
        world.clock.value,
      );
    await askAs('00000000-0000-4000-8000-000000000001');
    await world.beat({ records: { ...records, runs } });
    expect(told[0]).toEqual({ storyboards: 1, steps: 1, begun: [] });
    const broken = { ...records.runs, reportProgress: () => Promise.reject(new Error('no room')) };
    await askAs('00000000-0000-4000-8000-000000000002');
    await world.beat({ records: { ...records, runs: broken } });
    expect(await world.outcomes('a.example')).toEqual(['complete', 'complete', 'complete']);
    expect(world.logged()).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: 'no room' }) }),
    );
  });

  it('never tests one agent twice, however many processes do it', async () => {
    const hosts = Array.from({ length: 12 }, (_, at) => `a${at}.example`);
    const world = await openRunWorld(Object.fromEntries(hosts.map((host) => [host, {}])));
    await world.own(...hosts);
    await Promise.all([world.beat(), world.beat(), world.beat()]);
    for (const host of hosts) expect(await world.outcomes(host)).toEqual(['complete']);
  });

  it('tests agents of one registrable domain one after the other', async () => {
    const hosts = ['h0', 'h1', 'h2'].map((name) => `${name}.shared.example`);
    const world = await openRunWorld(Object.fromEntries(hosts.map((host) => [host, {}])));
    await world.own(...hosts);
    await world.beat();
    const inOrder = world.heard.map(({ host }) => host);
    expect(inOrder.filter((host, at) => host !== inOrder[at - 1])).toEqual(hosts);
  });

  it('leaves an agent alone whose domain another process visits, and waits for its turn', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const { politeness } = world.store.records;
    await politeness.claim(['a.example'], 'another', world.clock.value, 60_000);
    const beating = heartbeat({
      runs: world.context(),
      indexer: { records: world.store.records, index: world.store.index, rederive: deriveStored },
      shared: { holder: 'tested', politeness },
      once: true,
    });
    await politeness.release(['a.example'], 'another', world.clock.value);
    await beating;
    expect(await world.outcomes('a.example')).toEqual(['complete']);
  });

  it('goes on with the others while one agent hangs, and holds that against nobody but it', async () => {
    patientTime();
    const world = await openRunWorld({ 'hangs.example': SILENT, 'a.example': {}, 'b.example': {} });
    await world.own('hangs.example');
    world.clock.value += 1;
    await world.own('a.example', 'b.example');
    const limits = { concurrency: 2, deadlineMs: 600_000, stepMs: 1_500 };
    await world.beat({ limits });
    expect(await world.outcomes('a.example')).toEqual(['complete']);
    expect(await world.outcomes('b.example')).toEqual(['complete']);
    expect(await world.outcomes('hangs.example')).toEqual(['unreachable']);
  });

  it('takes the longest overdue first when there are more than can be done', async () => {
    const hosts = Array.from({ length: 6 }, (_, at) => `a${at}.example`);
    const world = await openRunWorld(Object.fromEntries(hosts.map((host) => [host, {}])));
    for (const host of hosts.toReversed()) {
      await world.own(host);
      world.clock.value += 1;
    }
    await world.beat({ limits: { concurrency: 1, deadlineMs: 600_000 } });
    expect([...new Set(world.heard.map(({ host }) => host))]).toEqual(hosts.toReversed());
  });

  it('gives back at a stop what is under way: nothing is kept, and it is due still', async () => {
    const world = await openRunWorld({ 'a.example': SILENT });
    await world.own('a.example');
    const stop = new AbortController();
    const metrics = createMetrics();
    const beating = world.beat({ signal: stop.signal, metrics });
    await until(() => world.heard.length > 0);
    stop.abort();
    await beating;
    expect(await world.outcomes('a.example')).toEqual([]);
    expect(metrics.runCounts().interrupted).toBe(1);
    expect(await world.store.records.runs.due(10, world.clock.value)).toMatchObject([
      { key: urlOf('a.example') },
    ]);
  });

  it('keeps nothing of an agent whose owner opts out in the middle of its test', async () => {
    const onCall = () => optOut(world, 'a.example');
    const world: RunWorld = await openRunWorld({ 'a.example': { onCall } });
    await world.own('a.example');
    const metrics = createMetrics();
    await world.beat({ metrics });
    expect(metrics.runCounts().withdrawn).toBe(1);
    expect(await world.outcomes('a.example')).toEqual([]);
    const calls = world.heard.length;
    world.clock.value += 24 * HOUR;
    await world.beat();
    expect(world.heard.length).toBe(calls);
  });

  it('keeps nothing of an agent that nobody owns any more by the end of its test', async () => {
    const onCall = async () => {
      await world.store.records.owners.disown(urlOf('a.example'), 'acme', world.clock.value);
    };
    const world: RunWorld = await openRunWorld({ 'a.example': { onCall } });
    await world.own('a.example');
    const metrics = createMetrics();
    await world.beat({ metrics });
    expect(metrics.runCounts().withdrawn).toBe(1);
    expect(await world.outcomes('a.example')).toEqual([]);
  });

  it('makes no call when the owner opted out after the work was taken', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const { records } = world.store;
    const takeDue: Records['runs']['takeDue'] = async (...asked) => {
      const works = await records.runs.takeDue(...asked);
      if (works.length > 0) await optOut(world, 'a.example');
      return works;
    };
    await world.beat({ records: { ...records, runs: { ...records.runs, takeDue } } });
    expect(world.heard).toEqual([]);
  });

  it('takes over from a process of another machine, once its lease has run out, and keeps nothing that comes after', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const { runs } = world.store.records;
    const metrics = createMetrics();
    const [dead] = await runs.takeDue(1, world.clock.value, 20 * MINUTE, 'elsewhere');
    expect(dead).toBeDefined();
    await world.beat();
    expect(world.heard).toEqual([]);
    world.clock.value += 20 * MINUTE;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete']);

    world.clock.value += 12 * HOUR;
    const slept: Records['runs']['takeDue'] = async (...asked) => {
      const works = await runs.takeDue(...asked);
      if (works.length === 0) return works;
      const { clock } = world;
      const asleep = works.map((work) => ({
        ...work,
        lease: { ...work.lease, until: clock.value + 2 * HOUR },
      }));
      clock.value += HOUR; // longer than the lease that the records know
      await runs.takeDue(1, clock.value, 20 * MINUTE, 'elsewhere'); // by then another process has it
      return asleep;
    };
    const { records } = world.store;
    const late = { ...records, runs: { ...runs, takeDue: slept } };
    await world.beat({ records: late, metrics });
    expect(metrics.runCounts().lost).toBe(1);
    expect(await world.outcomes('a.example')).toEqual(['complete']);
    expect(world.logged().map(({ msg }) => msg)).toContain('test discarded: lease lost');
  });

  it('takes over at once from a process of this machine that died, before a single pass and while it goes on', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const { runs } = world.store.records;
    await runs.takeDue(1, world.clock.value, 20 * MINUTE, deadHolder());
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete']);
    world.clock.value += 12 * HOUR;
    const [one] = await runs.takeDue(1, world.clock.value, 20 * MINUTE, deadHolder());
    expect(one?.lease.afterLoss).toBeUndefined();
    const stop = new AbortController();
    const beating = world.beat({ signal: stop.signal }, false);
    await until(async () => (await world.outcomes('a.example')).length === 2);
    stop.abort();
    await beating;
    const [latest] = await world.store.records.compliance.lastRuns(urlOf('a.example'), { limit: 1 });
    expect(latest?.verdict.notices).toMatchObject([{ code: 'run_lost' }]);
  });

  it('keeps a fault of ours as an inconclusive run, which costs neither the agent nor its neighbours anything', async () => {
    const world = await openRunWorld({ 'a.example': {}, 'b.example': {} });
    await world.own('a.example', 'b.example');
    const credentialOf = async (agent: string) => {
      if (agent === urlOf('a.example')) throw new RegistryError('credential_unreadable', 'no key opens it');
      return undefined;
    };
    await world.beat({ credentialOf });
    expect(await world.outcomes('a.example')).toEqual(['own_fault']);
    expect(await world.outcomes('b.example')).toEqual(['complete']);
    const state = await world.store.records.compliance.state(urlOf('a.example'));
    expect(state?.standing).toMatchObject({ status: 'unknown', latest: null });
  });

  it.each(['tools/list', 'get_proto_capabilities'])(
    'keeps the status of an agent that does not answer %s, and counts such runs for its badges',
    async (request) => {
      const agent: LightAgent = {};
      const world = await openRunWorld({ 'a.example': agent });
      await world.own('a.example');
      await world.beat();
      agent.unanswered = [request];
      const metrics = createMetrics();
      for (const _day of [1, 2, 3]) {
        world.clock.value += 25 * HOUR;
        await world.beat({ metrics });
      }
      const reason = 'declaration_unread';
      expect(await world.outcomes('a.example')).toEqual([reason, reason, reason, 'complete']);
      expect(await metrics.text()).toContain(
        'registry_runs_total{trigger="heartbeat",outcome="declaration_unread"} 3',
      );
      const { compliance } = world.store.records;
      const standing = (await compliance.state(urlOf('a.example')))?.standing;
      expect(standing).toMatchObject({ status: 'passing', closed: { tries: 3, unread: true } });
      const last = await compliance.evidence(urlOf('a.example'), standing?.lastAttempt?.runId ?? '');
      expect(last?.report).toMatchObject({
        unread: { request, http_status: 500, content_type: 'text/html' },
      });
      expect(JSON.stringify(last?.verdict)).not.toContain('Oh no');
    },
  );

  it('asks nothing of an agent whose OAuth client got no token, and holds nothing against it', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const refusal = new RegistryError('token_refused', 'the token endpoint refused: invalid_client');
    await world.beat({ credentialOf: () => Promise.reject(refusal) });
    const [run] = await world.store.records.compliance.lastRuns(urlOf('a.example'), { limit: 1 });
    const detail = 'the stored OAuth client got no token: the token endpoint refused: invalid_client';
    expect(run?.inconclusive).toEqual({ reason: 'auth_required', lacks: 'credential', detail });
    const state = await world.store.records.compliance.state(urlOf('a.example'));
    expect(state?.standing).toMatchObject({ status: 'unknown', latest: null });
  });

  it('spoils one agent at most when what came of it cannot be kept, and does not try that one again at once', async () => {
    const world = await openRunWorld({ 'a.example': {}, 'b.example': {} });
    await world.own('a.example', 'b.example');
    const { records } = world.store;
    const saveRun: Records['compliance']['saveRun'] = (wanted, ...rest) =>
      wanted.agent === urlOf('a.example')
        ? Promise.reject(new Error('ours'))
        : records.compliance.saveRun(wanted, ...rest);
    const failing = { ...records, compliance: { ...records.compliance, saveRun } };
    await world.beat({ records: failing });
    expect(await world.outcomes('b.example')).toEqual(['complete']);
    expect(await records.runs.due(9, world.clock.value)).toEqual([]);
    world.clock.value += HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete']);
  });

  it('tells once that tests of an agent are inconclusive by our own fault', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const credentialOf = () => Promise.reject(new Error('ours'));
    for (let day = 0; day < 5; day += 1) {
      await world.beat({ credentialOf });
      world.clock.value += 24 * HOUR;
    }
    const told = world.logged().filter(({ msg }) => String(msg).includes('repeated internal errors'));
    expect(told).toMatchObject([{ agent: urlOf('a.example'), reason: 'own_fault', in_row: 3 }]);
  });

  it('judges garbage as the agent’s own, and nothing else by it', async () => {
    const raw = (_request: unknown, response: { end(text: string): void }) => response.end('{"jsonrpc": [[[');
    const world = await openRunWorld({ 'garbage.example': { raw }, 'a.example': {} });
    await world.own('garbage.example', 'a.example');
    await world.beat();
    expect(await world.outcomes('garbage.example')).toEqual(['unreachable']);
    expect(await world.outcomes('a.example')).toEqual(['complete']);
  });

  it('ends with a store that is broken', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const { records } = world.store;
    const saveRun = () => Promise.reject(new RegistryError('store_corrupt', 'damaged'));
    const broken = { ...records, compliance: { ...records.compliance, saveRun } };
    await expect(world.beat({ records: broken })).rejects.toThrow('damaged');
  });
});

describe('the control probe', () => {
  const AWAY = { raw: (_request: unknown, response: { destroy(): void }) => response.destroy() };

  it.each([
    ['answers, whatever it says: the agent is away', {}, 'unreachable'],
    ['does not answer either: our own network is', AWAY, 'own_network'],
  ])('%s', async (_what, control, expected) => {
    const world = await openRunWorld({ 'away.example': AWAY, 'control.example': control });
    await world.own('away.example');
    const { fetcher } = world.context();
    const asked = createControlProbe({ fetcher, clock: world.clock, urls: ['https://control.example/'] });
    await world.beat({ control: asked });
    expect(await world.outcomes('away.example')).toEqual([expected]);
  });

  it('does not ask the site of the agent itself, and with nobody else to ask believes that the agent is away', async () => {
    const world = await openRunWorld({ 'away.example': AWAY });
    await world.own('away.example');
    const { fetcher } = world.context();
    const asked = createControlProbe({ fetcher, clock: world.clock, urls: ['https://www.away.example/'] });
    await world.beat({ control: asked });
    expect(await world.outcomes('away.example')).toEqual(['unreachable']);
  });
});
