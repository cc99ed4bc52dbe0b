import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore, type Store } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { OPEN } from '../compliance/support/runs.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { startWeb } from '../scenarios/support/web.ts';
import { withQuery } from './support/canonical-dump.ts';
import { changeLogFaults } from './support/change-log.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import { type Environment, runCommand, startCommand } from './support/registry.ts';

const KILLS = 100;
const AGENTS = 16;
const CONCURRENCY = 4;
const DELAY_MS = 10;
/** Requests after which a heartbeat is killed, at most: about those of all agents, so that some runs are kept by then. */
const LONGEST_LIFE = 150;
const PATIENCE_MS = 30_000;
const MEMBER = 'acme';

export default {
  name: 'heartbeat-killed',
  sentence:
    'no kept run is lost, each is whole with its standing, its next run and its badges; all are tested in the end',
  run: killHeartbeats,
} satisfies Fault;

async function killHeartbeats({ scale, folder, random, log }: FaultContext) {
  const checks = new Checks();
  const kills = scaled(KILLS, scale);
  const hosts = Array.from({ length: AGENTS }, (_, at) => `agent${at}.example`);
  const web = await startWeb(Object.fromEntries(hosts.map((host, at) => [host, lightAgent(at)])));
  const env = {
    REGISTRY_STORE: `sqlite:${join(folder, 'registry.sqlite')}`,
    REGISTRY_RUN_CONCURRENCY: `${CONCURRENCY}`,
    REGISTRY_TEST_AGENT: 'https://buyer.example/agent',
  };
  const store = await openStore(readConfig(env), { create: true });
  const args = ['heartbeat', '--once', '--log-level', 'warn', '--connect-to', web.connectTo];
  try {
    const agents = hosts.map((host) => `https://${host}/mcp`);
    await ownAll(agents, store);
    let kept = new Set<string>();
    for (let killed = 0; killed < kills && checks.hold(); ) {
      const before = web.requests.length;
      const beating = startCommand(args, env);
      const heard = before + 1 + random.int(LONGEST_LIFE);
      await waitUntil(() => web.requests.length >= heard || !beating.isRunning(), PATIENCE_MS);
      const { signal } = await beating.end('SIGKILL');
      if (signal === 'SIGKILL') killed += 1;
      kept = await checkKept(killed, env, kept, checks);
      log(`kill ${killed} after ${web.requests.length - before} requests: ${kept.size} runs kept`);
      await makeDue(store, agents, random.int(3) === 0);
    }
    await makeDue(store, agents, true);
    const begunAt = store.records.clock.now();
    const last = await runCommand(args, env);
    checks.that('the last heartbeat ends with 0', last.code === 0, last.stderr.slice(-1_000));
    kept = await checkKept(kills + 1, env, kept, checks);
    await checkEnd(store, agents, begunAt, env, checks);
    return checks.result(`${kills} kills, ${AGENTS} agents, ${kept.size} runs kept (SQLite)`);
  } finally {
    await store.close();
    await web.close();
  }
}

/** What is there after a kill: all that was there before, and nothing in halves. */
async function checkKept(
  kill: number,
  { REGISTRY_STORE: store = '' }: Environment,
  before: ReadonlySet<string>,
  checks: Checks,
): Promise<Set<string>> {
  return withQuery(store, async (query) => {
    const runs = await query('SELECT agent, id FROM compliance_run');
    const kept = new Set(runs.map(({ agent, id }) => `${agent} ${id}`));
    const lost = [...before].filter((run) => !kept.has(run));
    checks.that(`kill ${kill}: no run is lost`, lost.length === 0, lost.slice(0, 3));
    for (const [what, text] of HALVES) {
      const halves = await query(text);
      checks.that(`kill ${kill}: ${what}`, halves.length === 0, halves.slice(0, 3));
    }
    return kept;
  });
}

/** What a run that was kept in halves would leave. */
const HALVES: readonly (readonly [string, string])[] = [
  ['each run has its evidence', 'SELECT agent FROM compliance_run WHERE evidence IS NULL'],
  [
    'each tested agent has a standing by its latest run',
    `SELECT r.agent FROM compliance_run r LEFT JOIN compliance_standing s ON s.agent = r.agent
      WHERE s.agent IS NULL OR NOT EXISTS
        (SELECT 1 FROM compliance_run l WHERE l.agent = s.agent AND l.id = s.latest_run)`,
  ],
  [
    'each badge was told of',
    `SELECT b.agent FROM badge b WHERE NOT EXISTS
      (SELECT 1 FROM badge_event e WHERE e.agent = b.agent AND e.role = b.role AND e.kind = 'earned')`,
  ],
];

async function checkEnd(
  store: Store,
  agents: readonly string[],
  begunAt: number,
  { REGISTRY_STORE: path = '' }: Environment,
  checks: Checks,
): Promise<void> {
  const { records } = store;
  for (const agent of agents) {
    const [latest] = await records.compliance.lastRuns(agent, { limit: 1 });
    const isNew = latest !== undefined && Date.parse(latest.finished_at) >= begunAt - 1_000;
    checks.that(`${agent} is tested in the end`, isNew, latest?.finished_at);
  }
  const now = records.clock.now();
  checks.that('nobody holds an agent', (await records.runs.holders(now)).length === 0);
  checks.that('nothing is due', (await records.runs.countDue(now)).due === 0);
  const faults = await changeLogFaults(path);
  checks.that('the change log is in order', faults.length === 0, faults.join('\n'));
  const different = await differencesToRecords(store);
  checks.that('the index equals the records', different.length === 0, different);
}

async function ownAll(agents: readonly string[], { records }: Store): Promise<void> {
  const { members, owners, clock } = records;
  const now = clock.now();
  const membership = { tier: 'builder', subscriptionStatus: 'active' };
  await members.import([{ slug: MEMBER, displayName: 'Acme', foundingMember: false, ...membership }], now);
  for (const agent of agents) {
    await members.register({ agent, url: agent, member: MEMBER }, now);
    const wanted = { agent, member: MEMBER, token: `proof of ${agent}`, expiresAt: now + PATIENCE_MS };
    const { token } = await owners.challenge(wanted, now);
    await owners.prove({ agent, member: MEMBER, token, via: 'dns' }, now);
  }
}

/** Those that were tested are tested again: an owner who stops and goes on. Else what the kill has left is gone on with. */
async function makeDue({ records }: Store, agents: readonly string[], all: boolean): Promise<void> {
  const { owners, clock } = records;
  const left = await records.runs.countDue(clock.now());
  if (!all && left.due > CONCURRENCY) return;
  const actor = { kind: 'operator' } as const;
  for (const agent of agents)
    for (const monitoringPaused of [true, false])
      await owners.changeSettings({ agent, actor, change: { monitoringPaused } }, clock.now());
}

/** An agent that answers little over MCP; its tests pass and fail as the bundle wants. */
function lightAgent(at: number) {
  const tools = ['get_proto_capabilities', 'get_products', 'list_creative_formats'].slice(0, 1 + (at % 3));
  return async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await pause(DELAY_MS);
    const call =
      request.url === '/mcp' && chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : undefined;
    if (call === undefined) return void response.writeHead(404).end();
    if (call.id === undefined) return void response.writeHead(202).end();
    const result = resultOf(call.method, call.params?.name, tools);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
  };
}

function resultOf(method: string, task: string | undefined, tools: readonly string[]): object {
  if (method === 'tools/list')
    return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) };
  if (method !== 'initialize')
    return { structuredContent: task === 'get_proto_capabilities' ? OPEN : {}, content: [] };
  const serverInfo = { name: 'light', version: '1' };
  return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
}
