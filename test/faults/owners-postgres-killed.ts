import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/compose/clock.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { openRecords } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/compliance.ts';
import type { Records } from '../../src/ports/records.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type Command, type Environment, runCommand, startCommand } from './support/registry.ts';

const KILLS = 10;
const LEAST_KILLS = 2;
const AGENTS = 300;
const LEAST_AGENTS = 24;
/** Owners that ask at once. */
const OWNERS = 8;
const BETWEEN_KILLS_MS = 700;
const PATIENCE_MS = 30_000;
const AGAIN_MS = 50;
const MEMBER = 'faulty';
const INTERVALS = [6, 24, 48, 96];
/** Before the owner has chosen one; no other is the same. */
const INTERVAL = DEFAULT_SETTINGS.checkIntervalHours;

export default {
  name: 'owners-postgres-killed',
  sentence:
    'settings, credentials and runs that were acknowledged are there; the others are a 503 with Retry-After',
  run: killUnderOwners,
} satisfies Fault;

/** What may be kept: what the owner was last told is kept (at first: the default), and what they asked for since. */
interface Told {
  interval: readonly number[];
  token: readonly (string | undefined)[];
  runId?: string;
}

interface Scene {
  readonly origin: string;
  readonly key: string;
  readonly told: Map<string, Told>;
  readonly checks: Checks;
  readonly counts: { acknowledged: number; refused: number; broken: number };
  goesOn: boolean;
}

async function killUnderOwners(context: FaultContext) {
  const checks = new Checks();
  const postgres = await context.engines.postgres();
  const kills = Math.max(LEAST_KILLS, scaled(KILLS, context.scale));
  const agents = Array.from(
    { length: Math.max(LEAST_AGENTS, scaled(AGENTS, context.scale)) },
    (_, at) => `https://a${at}.example/mcp`,
  );
  const env: Environment = {
    REGISTRY_STORE: await postgres.createDatabase(),
    REGISTRY_INDEX: (await context.engines.openSearch()).url,
    REGISTRY_INDEX_PREFIX: `faults-${randomBytes(4).toString('hex')}`,
    REGISTRY_CREDENTIAL_KEYS: join(context.folder, 'sealing.json'),
    REGISTRY_RATE_LIMIT: '10000000',
    REGISTRY_LOG_LEVEL: 'warn',
  };
  const key = await prepare(env, agents);
  const serving = startCommand(['serve', '--port', '0'], env);
  const text = await serving.until('stdout', /listening on \S+\n/);
  const scene: Scene = {
    ...{ origin: /listening on (\S+)/.exec(text)?.[1] ?? '', key, checks, goesOn: true },
    told: new Map(agents.map((agent) => [agent, { interval: [INTERVAL], token: [undefined] }])),
    counts: { acknowledged: 0, refused: 0, broken: 0 },
  };
  const owners = Array.from({ length: OWNERS }, (_, at) => own(agents, at, scene));
  for (let kill = 1; kill <= kills; kill += 1) {
    const before = scene.counts.acknowledged;
    await waitUntil(() => scene.counts.acknowledged > before + OWNERS, PATIENCE_MS);
    await pause(context.random.int(BETWEEN_KILLS_MS));
    await postgres.kill();
    await postgres.restart();
    context.log(`kill ${kill}: ${JSON.stringify(scene.counts)}`);
  }
  await waitUntil(() => [...scene.told.values()].every(({ runId }) => runId !== undefined), PATIENCE_MS);
  scene.goesOn = false;
  await Promise.all(owners);
  await stop(serving, checks);
  await checkAll(env, scene);
  const { acknowledged, refused, broken } = scene.counts;
  checks.that(
    'something was acknowledged, and something was not',
    acknowledged > 0 && refused > 0,
    scene.counts,
  );
  checks.that('no answer was broken off', broken === 0, broken);
  checks.note(`${acknowledged} acknowledged, ${refused} answered with 503`);
  return checks.result(`${kills} kills of PostgreSQL under ${OWNERS} owners of ${agents.length} agents`);
}

/** Owned agents, and the key of their owner. */
async function prepare(env: Environment, agents: readonly string[]): Promise<string> {
  const keys = ['keys', 'generate', '--kind', 'credential', '--out', env.REGISTRY_CREDENTIAL_KEYS ?? ''];
  const { REGISTRY_CREDENTIAL_KEYS: _, ...without } = env;
  const made = await runCommand(keys, without);
  if (made.code !== 0) throw new Error(made.stderr);
  const { records } = await openRecords(readConfig(env), { create: true });
  const now = systemClock.now();
  await records.members.import([{ slug: MEMBER, displayName: 'Faulty', foundingMember: false }], now);
  for (const agent of agents) {
    await records.members.register({ agent, url: agent, member: MEMBER }, now);
    const wanted = { agent, member: MEMBER, token: 'token', expiresAt: now + 60_000 };
    const { token } = await records.owners.challenge(wanted, now);
    await records.owners.prove({ agent, member: MEMBER, token, via: 'file' }, now);
  }
  await records.close();
  const created = await runCommand(['keys', 'create', '--member', MEMBER, '--json'], env);
  if (created.code !== 0) throw new Error(created.stderr);
  return (JSON.parse(created.stdout) as { key: string }).key;
}

/** One owner goes through every eighth agent, changes what there is to change, and asks for one run of each. */
async function own(agents: readonly string[], first: number, scene: Scene): Promise<void> {
  for (let round = 0; scene.goesOn; round += 1)
    for (let at = first; at < agents.length && scene.goesOn; at += OWNERS) {
      const agent = agents[at] as string;
      const told = scene.told.get(agent) as Told;
      const hours = INTERVALS[(round + at) % INTERVALS.length] as number;
      told.interval = [...told.interval, hours];
      if (await asked(scene, agent, 'PATCH', 'settings', { check_interval_hours: hours }))
        told.interval = [hours];
      const token = `token-${at}-${round}`;
      told.token = [...told.token, token];
      if (await asked(scene, agent, 'PUT', 'credential', { token })) told.token = [token];
      if (told.runId !== undefined) continue;
      const run = await asked(scene, agent, 'POST', 'compliance/runs');
      if (run) told.runId = String((run as { run_id?: string }).run_id);
    }
}

/** The body of an answer that acknowledges; undefined for a 503. */
async function asked(
  { origin, key, checks, counts }: Scene,
  agent: string,
  method: string,
  what: string,
  body?: object,
): Promise<object | undefined> {
  const url = `${origin}/api/registry/agents/${encodeURIComponent(agent)}/${what}`;
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  try {
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const answered = (await answer.json()) as object;
    if (answer.ok) {
      counts.acknowledged += 1;
      return answered;
    }
    // of a run: an attempt before was kept, and its answer was lost
    if (answer.status === 429 && method === 'POST') return { run_id: 'unknown' };
    counts.refused += 1;
    if (answer.status === 429) return undefined; // the member has used its changes of this hour
    const isPrompt = answer.status === 503 && answer.headers.get('retry-after') !== null;
    checks.that(
      'what is not kept is a 503 with Retry-After',
      isPrompt,
      `${answer.status} ${JSON.stringify(answered)}`,
    );
  } catch {
    counts.broken += 1;
  }
  await pause(AGAIN_MS);
  return undefined;
}

async function stop(serving: Command, checks: Checks): Promise<void> {
  checks.that('the API lives through all of it', serving.isRunning(), serving.stderr().slice(-1_000));
  checks.that('it tells by name what is away', serving.stderr().includes('store_unavailable'));
  const { code } = await serving.end('SIGTERM');
  checks.that('it stops in order', code === 0, serving.stderr().slice(-1_000));
}

async function checkAll(env: Environment, { told, checks }: Scene): Promise<void> {
  const config = readConfig(env);
  const { records } = await openRecords(config, { create: false });
  try {
    const { credentialOf } = await composeCredentials(config, records, systemClock);
    for (const [agent, { interval, token, runId }] of told) {
      const kept = (await records.owners.settings(agent))?.checkIntervalHours;
      checks.that(
        `the interval of ${agent} is one that was told`,
        kept !== undefined && interval.includes(kept),
        {
          kept,
          interval,
        },
      );
      const stored = (await credentialOf(agent))?.token;
      checks.that(`the credential of ${agent} is one that was told`, token.includes(stored), {
        stored,
        token,
      });
      if (runId !== undefined && runId !== 'unknown')
        checks.that(`the run of ${agent} waits`, await isAsked(records, agent, runId), runId);
    }
  } finally {
    await records.close();
  }
}

async function isAsked({ runs }: Records, agent: string, runId: string): Promise<boolean> {
  return (await runs.requested(agent))?.runId === runId;
}
