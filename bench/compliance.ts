/**
 * CPU of a compliance run beside the same calls made with the bare SDK clients, and the memory of many runs at the same
 * time. The agents run in a separate process.
 *
 *   npm run bench -- compliance [--quick]
 *   node bench/compliance.ts [--rounds 3] [--runs 20]
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { publicJwk } from '../src/signing/private-key.ts';
import type { AgentsInput, AgentsReady } from './sides/agents.ts';
import type { BareInput } from './sides/check-bare.ts';
import type { CheckMany, CheckManyInput } from './sides/check-many.ts';
import type { CheckInput, CheckResult } from './sides/check-ours.ts';
import { newDeskKey } from './support/desk-key.ts';
import { measureHeartbeat } from './support/measure-heartbeat.ts';
import { PARENT } from './support/publishers.ts';
import type { PublicSet, Subject } from './support/runner-of.ts';
import { runSide, startSide } from './support/side.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    runs: { type: 'string' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const runs = Number(options.runs ?? (options.quick ? 2 : 20));
const warmUp = options.quick ? 1 : 10;
const AT_ONCE = 50;
const AGENTS_AT_ONCE = Array.from({ length: AT_ONCE }, (_, at) => `https://agent-${at}.${PARENT}/mcp`);
const MEMORY_TARGET = '< 476 (500 MB)';

/** Each way in which agents are spoken to. */
const SUBJECTS: Readonly<Record<string, Subject>> = {
  'MCP, JSON': { url: 'https://sales-1.agents.example/mcp', protocol: 'mcp' },
  'MCP, event stream': { url: 'https://papercrane.example/mcp', protocol: 'mcp' },
  'MCP, sessions': { url: 'https://creative-1.agents.example/mcp', protocol: 'mcp' },
  'MCP, JSON, signed': { url: 'https://sales-1.agents.example/mcp', protocol: 'mcp', signed: true },
  'A2A 1.0': { url: 'https://sales-1.agents.example/a2a', protocol: 'a2a' },
  'A2A 0.3': { url: 'https://inkpot.example/a2a', protocol: 'a2a' },
};
/** Each without a state that two runs at once would get into each other's way with: five webs of ten. */
const HOSTS = [
  ...['sales-1', 'creative-1', 'signals-1', 'governance-1', 'rights-1', 'brand-1'].map(
    (label) => `${label}.agents.example`,
  ),
  ...['longtail-row.example', 'papercrane.example', 'copperwire.example', 'sales-2.agents.example'],
];

/** The field's bundle and schemas, where `npm run test:peers` has installed them. */
const FIELD = fileURLToPath(new URL('../test/peers/node_modules/@adcp/sdk/', import.meta.url));
const PUBLIC: PublicSet | undefined = existsSync(FIELD)
  ? { bundle: `${FIELD}compliance/cache/3.0.6`, schemas: `${FIELD}dist/lib/schemas-data/3.0` }
  : undefined;

const key = newDeskKey();
const start = (vocabulary: AgentsInput['vocabulary']) =>
  startSide<AgentsReady, null>('agents', {
    hosts: HOSTS,
    numbered: AT_ONCE,
    deskKeys: [publicJwk(key)],
    vocabulary,
  } satisfies AgentsInput);
const agents = await start('proto');
const publicAgents = PUBLIC && (await start('adcp'));
try {
  const rows = [];
  for (const [name, subject] of Object.entries(SUBJECTS)) rows.push(await compare(name, subject));
  if (publicAgents === undefined)
    process.stdout.write('without the public schemas: run `npm run test:peers` once\n');
  else {
    const subject: Subject = { url: 'https://sales-1.agents.example/mcp', protocol: 'mcp' };
    rows.push(await compare('MCP, JSON, public bundle and schemas', subject, PUBLIC));
  }
  printTable(`A run beside its bare calls (n = ${rounds} × ${runs} runs after ${warmUp})`, rows);
  printTable(`${AT_ONCE} runs at once`, [
    await runnersAtOnce(options.quick ? 1 : 3),
    ...(publicAgents === undefined ? [] : [await runnersAtOnce(options.quick ? 1 : 3, PUBLIC)]),
    await heartbeatAtOnce(),
  ]);
} finally {
  await agents.stop();
  await publicAgents?.stop();
}

async function compare(name: string, subject: Subject, publicSet?: PublicSet) {
  const ours: CheckResult[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { ready } = agentsOf(publicSet);
    const { result } = await runSide<CheckResult>('check-ours', {
      ...{ subject, connectTo: ready.connectTo, warmUp, runs, publicSet },
      ...(subject.signed && { key }),
    } satisfies CheckInput);
    ours.push(result);
    bare.push(await bareRound(ready.origin, subject, result));
  }
  const steps = ours[0]?.steps ?? Number.NaN;
  const ourStep = median(ours.map(({ cpuMs }) => cpuMs / steps));
  const bareStep = median(bare) / steps;
  return {
    agent: name,
    steps,
    calls: ours[0]?.calls.length ?? 0,
    'bare, CPU ms a step': bareStep,
    ours: ourStep,
    'ours beside it': ourStep / bareStep,
    'added, ms a step': ourStep - bareStep,
    target: '≤ 1',
    'first run of a process, ms': Math.round(median(ours.map(({ firstCpuMs }) => firstCpuMs))),
  };
}

function agentsOf(publicSet: PublicSet | undefined) {
  return publicSet === undefined ? agents : (publicAgents ?? agents);
}

async function bareRound(origin: string, { url }: Subject, { calls }: CheckResult): Promise<number> {
  const { host, pathname } = new URL(url);
  const input: BareInput = { url: `${origin}/@${host}${pathname}`, calls, warmUp, runs };
  return (await runSide<number>('check-bare', input)).result;
}

async function runnersAtOnce(each: number, publicSet?: PublicSet) {
  const { connectTo } = agentsOf(publicSet).ready;
  const input: CheckManyInput = { urls: AGENTS_AT_ONCE, connectTo, each, publicSet };
  const { result, peakRssMiB, cpuMs, wallMs } = await runSide<CheckMany>('check-many', input);
  return {
    side: `the runner alone, ${each} runs of each agent${publicSet === undefined ? '' : ', public schemas'}`,
    runs: result.runs,
    'most at the same time': result.most,
    'CPU ms a step': cpuMs / result.steps,
    'wall s': wallMs / 1_000,
    'peak RSS MiB': Math.round(peakRssMiB),
    target: MEMORY_TARGET,
  };
}

async function heartbeatAtOnce() {
  const { connectTo } = agents.ready;
  const { runs, passing, wallMs, peakRssMiB } = await measureHeartbeat({ agents: AGENTS_AT_ONCE, connectTo });
  if (passing !== AT_ONCE) throw new Error(`${passing} of ${runs} runs of the heartbeat passed`);
  return {
    side: 'agent-registry heartbeat --once, with its start',
    runs,
    'most at the same time': AT_ONCE,
    'CPU ms a step': '',
    'wall s': wallMs / 1_000,
    'peak RSS MiB': Math.round(peakRssMiB),
    target: MEMORY_TARGET,
  };
}
