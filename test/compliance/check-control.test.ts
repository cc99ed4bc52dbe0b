import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { composeAgentControl } from '../../src/compose/network.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Connector } from '../../src/crawl/fetch/connect.ts';
import { parseConnectTo } from '../../src/crawl/fetch/connect-to.ts';
import { createFetcher } from '../../src/crawl/fetch/fetcher.ts';
import { TEST_USER_AGENT } from '../crawl/fetch/web.ts';
import { bundleOf, withPhases } from './support/runs.ts';

const SITE = 'control.example';
const CLOCK = { now: () => Date.now() };
const BUNDLE = bundleOf(withPhases('  - {id: p, steps: [{id: s, task: get_products}]}\n'));

/** A check of an agent in a world in which every connection is refused; no socket is ever opened. */
async function checked(url: string, connectTo: readonly string[] = [], settings: Partial<Config> = {}) {
  const dialled: string[] = [];
  const connector: Connector = ({ address, port }) => {
    dialled.push(`${address}:${port}`);
    return new Socket().destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  };
  const looked: string[] = [];
  const fetcher = createFetcher({
    clock: CLOCK,
    userAgent: TEST_USER_AGENT,
    connectTo: parseConnectTo(connectTo),
    connector,
    resolver: async (host) => {
      looked.push(host);
      return ['93.184.216.34'];
    },
  });
  const config = { ...readConfig({}), controlUrls: [`http://${SITE}/`], ...settings };
  const parts = { config, fetcher, clock: CLOCK, signal: new AbortController().signal };
  const run = await runAgent({
    ...{ url, bundle: BUNDLE, consent: 'operator', clock: CLOCK, trigger: null },
    ...{ target: '3.0', version: '3.0.0', fetcher, openOrigin: url, protocols: ['mcp'] },
    ...composeAgentControl(url, { connectTo }, parts),
  });
  await fetcher.close();
  return { run, dialled, looked };
}

const outcome = ({ outcome: came, inconclusive }: ComplianceRun) => inconclusive?.reason ?? came;

describe('the control sites of a check', () => {
  it('are asked when a public agent cannot be reached: without any of them our own network is at fault', async () => {
    const { run, looked } = await checked('http://sales.example/mcp');
    expect(outcome(run)).toBe('own_network');
    expect(looked).toContain(SITE);
  });

  it('are none with REGISTRY_CONTROL_URLS=none: the agent counts as unreachable', async () => {
    const { run, looked } = await checked('http://sales.example/mcp', [], {
      controlUrls: readConfig({ REGISTRY_CONTROL_URLS: 'none' }).controlUrls,
    });
    expect(outcome(run)).toBe('unreachable');
    expect(looked).not.toContain(SITE);
  });

  it.each([
    ['at an address of loopback', 'http://127.0.0.1:4999/mcp', []],
    ['at localhost', 'http://localhost:4999/mcp', []],
    ['that is mapped to loopback', 'http://sales.example/mcp', ['sales.example=http://127.0.0.1:4999']],
    ['that is mapped to loopback with all others', 'http://sales.example/mcp', ['*=http://127.0.0.1:4999']],
  ])('are never asked about an agent of this machine %s', async (_name, url, connectTo) => {
    const { run, dialled, looked } = await checked(url, connectTo);
    expect(outcome(run)).toBe('unreachable');
    expect(looked).toEqual([]);
    expect(dialled.filter((place) => !/^(127\.0\.0\.1|::1|localhost):4999$/.test(place))).toEqual([]);
  });
});
