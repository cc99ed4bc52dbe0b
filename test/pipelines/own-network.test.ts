import { describe, expect, it, test } from 'vitest';
import { probeVisit } from '../../pipelines/agents.ts';
import { composeControl } from '../../src/compose/network.ts';
import { composeVisits } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { MINUTE } from '../scenarios/support/world.ts';
import type { LightAgent } from './support/light-agents.ts';
import { openRunWorld, urlOf } from './support/run-world.ts';

const AWAY: LightAgent = { raw: (_request, response) => response.destroy() };
const BROKEN: LightAgent = { raw: (_request, response) => response.writeHead(500).end() };
const CONTROL = 'control.example';
const LEASE_MS = 600_000;

/** Registered agents beside a site that is asked when they cannot be reached. */
async function openNetwork(agents: Readonly<Record<string, LightAgent>>, control: LightAgent) {
  const world = await openRunWorld({ ...agents, [CONTROL]: control });
  await world.own(...Object.keys(agents));
  const { records } = world.store;
  const metrics = createMetrics();
  const controlUrls = [`https://${CONTROL}/`];
  const config = { ...readConfig({}), controlUrls };
  const parts = { ...world.context(), records, metrics, config };
  const journey = async (host: string) => {
    const { source } = await world.journey('agent', urlOf(host));
    return { source, observations: await records.agents.observations(urlOf(host), 100) };
  };
  return {
    ...{ world, parts, metrics, journey },
    /** Probes all that are due, together. */
    async probe(context = composeVisits(parts)) {
      const works = await records.sources.takeDue('agent', 100, world.clock.value, LEASE_MS);
      await Promise.all(works.map((work) => probeVisit(work, context)));
      return works.map(({ key }) => key);
    },
    asked: () => world.heard.filter(({ host }) => host === CONTROL).length,
  };
}

describe('a probe that fails while our own network is away', () => {
  it('says nothing of the agent, which keeps its health, and is made again in ten minutes', async () => {
    let network = true;
    const cut: LightAgent = { onCall: (_what, request) => (network ? undefined : request.socket.destroy()) };
    const net = await openNetwork({ 'a.example': cut }, cut);
    const { world, journey } = net;
    await net.probe();
    const before = await journey('a.example');
    expect(before.observations).toMatchObject([{ health: { online: true } }]);
    network = false;
    world.clock.value = before.source.nextVisitAt;
    await net.probe();
    const { source, observations } = await journey('a.example');
    expect(observations).toEqual(before.observations);
    expect(source).toMatchObject({ lastOutcome: 'failed', lastError: { code: 'own_network' }, failures: 0 });
    const tally = await net.world.store.records.sources.tally(0, 100, net.world.clock.value);
    const spoiled = tally.filter(({ isOwnFault }) => isOwnFault);
    expect(spoiled).toMatchObject([{ kind: 'agent', outcome: 'failed', n: 1 }]);
    const wait = source.nextVisitAt - world.clock.value;
    expect([wait >= 10 * MINUTE, wait <= 10.5 * MINUTE]).toEqual([true, true]);
    expect(await net.metrics.text()).toContain('registry_probes_total{result="own_network"} 1');
    network = true;
    world.clock.value = source.nextVisitAt;
    expect(await net.probe()).toEqual([urlOf('a.example')]);
    expect((await journey('a.example')).source).toMatchObject({ lastOutcome: 'indexed', failures: 0 });
  });

  const SEEN: readonly (readonly [string, LightAgent, LightAgent, string])[] = [
    ['the site that is asked answers', AWAY, {}, 'unreachable'],
    ['the site that is asked answers with an error', AWAY, BROKEN, 'unreachable'],
    ['the agent answers with an error, so nobody is asked', BROKEN, AWAY, 'failed'],
  ];
  test.each(SEEN)('is the agent’s own when %s', async (_what, agent, control, outcome) => {
    const net = await openNetwork({ 'a.example': agent }, control);
    await net.probe();
    const { source, observations } = await net.journey('a.example');
    expect(source).toMatchObject({ lastOutcome: outcome, failures: 1 });
    expect(observations).toMatchObject([{ health: { online: false } }]);
    expect(net.asked() > 0).toBe(agent === AWAY);
  });

  it('is the agent’s own when there is nobody to ask', async () => {
    const net = await openNetwork({ 'a.example': AWAY }, AWAY);
    await net.probe(composeVisits({ ...net.parts, config: readConfig({}) }));
    expect((await net.journey('a.example')).source).toMatchObject({
      lastOutcome: 'unreachable',
      failures: 1,
    });
    expect(net.asked()).toBe(0);
  });

  it('asks once for many agents, and for tests of agents too', async () => {
    const hosts = Array.from({ length: 20 }, (_, index) => `agent-${index}.example`);
    const net = await openNetwork(Object.fromEntries(hosts.map((host) => [host, AWAY])), AWAY);
    const { control } = composeControl(net.parts);
    if (control === undefined) throw new Error('there is no control probe');
    expect(await net.probe(composeVisits({ ...net.parts, control }))).toHaveLength(20);
    await net.world.beat({ control });
    expect(await net.world.outcomes('agent-7.example')).toEqual(['own_network']);
    expect(net.asked()).toBe(1);
  });
});
