import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, serve } from '../calling/support/serve.ts';
import { run, start, tempFolder } from '../cli/support/cli.ts';
import { prove } from '../cli/support/served.ts';
import { onlyBundle, openRunWorld, urlOf } from '../pipelines/support/run-world.ts';
import { answered, bundleOf, OPEN, withPhases } from './support/runs.ts';

const AGENT = 'https://shop.example/mcp';
const HOUR = 3_600_000;

const LOST = {
  code: 'run_lost',
  severity: 'warning',
  message: 'the previous run was interrupted and may have left test objects in the sandbox',
};

let store: readonly string[];
let network: readonly string[];
/** Resolves when the agent was called some times: from then on it does not answer until it is let. */
let halfWay: Promise<void>;
let letGo: () => void;

beforeEach(async () => {
  const calledOften = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  halfWay = calledOften.promise;
  letGo = gate.resolve;
  let calls = 0;
  const well = mcpAgent({
    path: '/mcp',
    tools: ['get_proto_capabilities', 'get_products', 'create_media_buy', 'update_media_buy'],
    answer: (task) => answered(task === 'get_proto_capabilities' ? OPEN : { products: [] }),
  });
  const origin = await serve(async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    if (body?.method === 'tools/call' && ++calls > 4) {
      calledOften.resolve();
      await gate.promise;
    }
    await well(request, response, body);
  });
  const folder = tempFolder();
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  network = ['--connect-to', `*.example=${origin}`];
  const members = join(folder, 'members.yaml');
  writeFileSync(
    members,
    '- slug: nova\n  display_name: Nova\n  membership_tier: builder\n  subscription_status: active\n',
  );
  await run('members', 'import', members, ...store);
  await run('agents', 'register', AGENT, '--member', 'nova', ...store);
  await prove(store, AGENT, 'nova');
});

async function records<T>(
  work: (of: Awaited<ReturnType<typeof openStore>>['records']) => Promise<T>,
): Promise<T> {
  const opened = await openStore(readConfig({ REGISTRY_STORE: store[1] }), { create: false });
  try {
    return await work(opened.records);
  } finally {
    await opened.close();
  }
}

/** Kills a command in the middle of a run; nothing of it may be kept. */
async function kill(...args: readonly string[]): Promise<void> {
  const { child, ended } = start([...args, ...network, ...store]);
  await halfWay;
  child.kill('SIGKILL');
  await ended;
  letGo();
  const state = await records(({ compliance }) => compliance.state(AGENT));
  expect(state).toMatchObject({
    standing: { status: 'unknown', latest: null, lastAttempt: null },
    badges: [],
  });
  expect(
    await records(({ compliance }) => compliance.lastRuns(AGENT, { limit: 9, includeHidden: true })),
  ).toEqual([]);
}

describe('a run that is killed half-way', () => {
  it('by check --record leaves nothing half kept; the next one begins at once, and says what may be left', async () => {
    await kill('check', AGENT, '--record', '--progress', 'none');
    const next = await run('check', AGENT, '--record', '--json', '--progress', 'none', ...network, ...store);
    expect(next.code, next.stderr).toBe(1);
    expect(JSON.parse(next.stdout)).toMatchObject({
      outcome: 'complete',
      notices: expect.arrayContaining([LOST]),
    });
    expect(await records(({ compliance }) => compliance.lastRuns(AGENT, { limit: 9 }))).toHaveLength(1);
  }, 60_000);

  it('by the heartbeat leaves nothing half kept, and the next one tests the agent at once', async () => {
    await kill('heartbeat', '--once');
    const next = await run('heartbeat', '--once', '--json', ...network, ...store);
    expect(next.code, next.stderr).toBe(0);
    expect(JSON.parse(next.stdout)).toMatchObject({ runs: 1, outcomes: { complete: 1 } });
    const [kept] = await records(({ compliance }) => compliance.lastRuns(AGENT, { limit: 9 }));
    expect(kept?.verdict.notices).toEqual(expect.arrayContaining([LOST]));
  }, 60_000);
});

it('a run that is stopped after it has made something is told of by the next one, once', async () => {
  const buying = bundleOf(
    withPhases('  - {id: p, steps: [{id: buy, task: create_media_buy}, {id: look, task: get_products}]}\n'),
  );
  const stop = new AbortController();
  const onCall = (what: string) => what === 'get_products' && stop.abort();
  const tools = ['get_proto_capabilities', 'get_products', 'create_media_buy', 'update_media_buy'];
  const answer = (task: string) => (task === 'create_media_buy' ? { media_buy_id: 'mb-1' } : {});
  const world = await openRunWorld({ 'a.example': { tools, answer, onCall } });
  await world.own('a.example');
  const bundles = onlyBundle(buying);
  await world.beat({ bundles, signal: stop.signal });
  expect(await world.outcomes('a.example')).toEqual([]);
  await world.beat({ bundles });
  world.clock.value += 13 * HOUR;
  await world.beat({ bundles });
  const runs = await world.store.records.compliance.lastRuns(urlOf('a.example'), { limit: 9 });
  expect(runs.map(({ verdict }) => verdict.notices.map(({ code }) => code))).toEqual([[], ['run_lost']]);
});
