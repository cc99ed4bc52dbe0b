import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawl, openRun } from '../../pipelines/crawl.ts';
import type { Sandbox } from '../../reference-agents/src/sandbox.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore, type Store } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import type { AgentDocument } from '../../src/domain/agent-document.ts';
import { isOnline } from '../../src/domain/agent-facts.ts';
import { agentKey } from '../../src/domain/agent-url.ts';
import { beginPatientTime } from '../support/patient-time.ts';

let sandbox: Sandbox;
let store: Store;
let documents: ReadonlyMap<string, AgentDocument>;

beforeAll(async () => {
  const { end } = beginPatientTime(); // only the tarpit may reach a deadline, on a busy machine too
  sandbox = await startSandbox({ seed: 5, publishers: 30, managed: 20 });
  const config = {
    ...readConfig({}),
    store: 'sqlite::memory:',
    visitDeadlineMs: 3_000,
    concurrency: 30,
    probeDeadlineMs: 2_500,
  };
  store = await openStore(config, { create: true });
  const fetcher = composeFetcher(config, { connectTo: sandbox.connectTo }, systemClock);
  const log = pino({ level: 'silent' });
  const signal = new AbortController().signal;
  const context = composeCrawl({ config, store, fetcher, clock: systemClock, log, signal });
  const seeds = sandbox.domains.all.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  await crawl(await openRun({ seeds, fingerprint: 'sandbox', maxDepth: 1 }, context));
  await fetcher.close();
  end();
  const { hits } = await store.index.search({ filter: {}, limit: 10_000 });
  const saved = await store.records.agents.saved(hits.map((hit) => hit.url));
  documents = new Map(saved.flatMap(({ agent, document }) => (document ? [[agent, document]] : [])));
}, 60_000);

afterAll(async () => {
  await store.close();
  await sandbox.close();
});

describe('the whole sandbox, crawled once', () => {
  it('yields the agents that are there, and no other', () => {
    const expected = sandbox.expectations.agents.map((agent) => agentKey(agent.url)).toSorted();
    expect([...documents.keys()]).toEqual(expected);
  });

  it('gives each its type, protocol, endpoint, tools and metrics', () => {
    for (const agent of sandbox.expectations.agents) {
      const document = documents.get(agentKey(agent.url));
      expect.soft(document?.type, agent.url).toBe(agent.type);
      expect.soft(document?.base.protocol, agent.url).toBe(agent.protocol ?? null);
      if (agent.protocol === 'mcp') expect.soft(document?.base.mcp_endpoint, agent.url).toBe(agent.endpoint);
      expect.soft(document?.metricIds, agent.url).toEqual([...agent.metricIds].sort());
      expect.soft(document?.accreditations, agent.url).toEqual([...agent.accreditingBodies].sort());
      const tools = document?.capabilities?.tools.map((tool) => tool.name) ?? [];
      if (agent.online && agent.errorClass === undefined)
        expect.soft([...tools].sort(), agent.url).toEqual([...agent.tools].sort());
    }
  });

  it('lists exactly the publishers that authorise it, claims that are denied left out', () => {
    for (const agent of sandbox.expectations.agents) {
      const document = documents.get(agentKey(agent.url));
      expect.soft(document?.properties?.publisher_domains ?? [], agent.url).toEqual(agent.publishers);
    }
  });

  it('sees who is there and who is not, and why', async () => {
    const live = await store.records.agents.live([...documents.keys()]);
    for (const agent of sandbox.expectations.agents) {
      const online = isOnline(live.get(agentKey(agent.url)) ?? {});
      const [last] = await store.records.agents.observations(agentKey(agent.url), 1);
      expect.soft([online, last?.health.errorClass], agent.url).toEqual([agent.online, agent.errorClass]);
    }
  });

  it('meets every kind of trouble with the outcome that it deserves', async () => {
    for (const { domain, kind, outcome } of sandbox.expectations.trouble) {
      const source = await store.records.sources.get({ kind: 'adagents', key: domain });
      expect.soft(source?.lastOutcome, `${kind} at ${domain}`).toBe(outcome);
    }
  });

  it('keeps what a stranger says of an agent out of its record', () => {
    const { agent, type } = sandbox.expectations.retyped;
    expect(documents.get(agentKey(agent))?.type).toBe(type);
  });
});
