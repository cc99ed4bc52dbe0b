import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { decideRun } from '../../src/compliance/decide.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import { stitchAndIndex } from '../../src/index/generations/stitch-and-index.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { of } from '../compliance/support/badge-story.ts';
import { run } from '../compliance/support/judged-runs.ts';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';

/** What a directory holds, sorted: urls of agents, `agent publisher` of each that is authorised, `agent status` of each verdict. */
export interface Held {
  readonly agents: readonly string[];
  readonly edges: readonly string[];
  /** The same of a directory that is loaded from the list of agents. */
  readonly sold: readonly string[];
  readonly verdicts: readonly string[];
  /** `agent role`. */
  readonly badges: readonly string[];
}

interface Answer {
  readonly rows?: readonly { readonly agent_url: string; readonly publisher_domain: string }[];
  readonly results?: readonly {
    readonly url: string;
    readonly compliance_summary?: { readonly status: string };
  }[];
}

const [AGENTS, OWNED, PUBLISHERS, SCOPES] = [9, 3, 5, 3];
const urlOf = (n: number) => `https://agent-${n}.example/mcp`;
const domainOf = (n: number) => `publisher-${n}.example`;
/** All agents and publishers that there ever are. */
export const AGENT_URLS = Array.from({ length: AGENTS }, (_, n) => urlOf(n));
export const PUBLISHER_DOMAINS = Array.from({ length: PUBLISHERS }, (_, n) => domainOf(n));

/** A registry in a file, whose publishers change their files and whose agents are tested. Its server is another process, which dies at times. The clock is ours. */
export async function changingRegistry() {
  const clock = { value: NOW, now: () => clock.value };
  const folder = await mkdtemp(join(tmpdir(), 'followers-'));
  const path = join(folder, 'registry.sqlite');
  const random = randomNumbers(7);
  const records = await openSqliteRecords({ path });
  const written = { records, index: await openSqliteIndex(records.store, { clock }), clock };
  const key = newApiKey();
  const member = { slug: 'm', displayName: 'M', foundingMember: false };
  await records.members.import([{ ...member, tier: 'builder', subscriptionStatus: 'active' }], NOW);
  await records.keys.create({ id: key.id, hash: key.hash, member: 'm' }, NOW);
  for (let n = 0; n < OWNED; n += 1) await own(urlOf(n));
  const exports = join(folder, 'exports');
  const cursorSecret = await cursorSecretOf(records);
  await writeExport({ records, clock, cursorSecret }, exports);
  let port = 0;
  let server = await start();

  async function own(agent: string): Promise<void> {
    await records.members.register({ agent, url: agent, member: 'm' }, NOW);
    const challenge = { agent, member: 'm', token: `token of ${agent}`, expiresAt: NOW + 60_000 };
    const { token } = await records.owners.challenge(challenge, NOW);
    await records.owners.prove({ agent, member: 'm', token, via: 'file' }, NOW);
  }
  async function start(): Promise<ChildProcess> {
    const program = join(import.meta.dirname, 'serve-feed.ts');
    const child = fork(program, [path, String(port), String(clock.value), exports]);
    [port] = await once(child, 'message');
    return child;
  }
  async function kill(): Promise<void> {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
  async function settle(): Promise<void> {
    await stitchAndIndex({ ...written, rederive: deriveStored });
    const set = once(server, 'message');
    server.send(clock.value);
    await set;
  }
  /** It passes or fails, and so earns a badge or loses it. */
  async function test(agent: string): Promise<void> {
    const now = clock.value;
    const report = run(now, of({ 'sales-guaranteed': random(3) > 0 ? 'pass' : 'fail' }));
    const judged = judgeRun(report);
    const kept = { ...judged, run_id: `run-${now}`, started_at: report.started_at };
    await records.compliance.saveRun({ agent, run: kept, report }, decideRun(judged, { now }), now);
  }

  return {
    key: key.key,
    url: () => `http://127.0.0.1:${port}`,
    /** Whoever begins afterwards may begin with the export that is written meanwhile. */
    async killed() {
      await kill();
      await writeExport({ records, clock, cursorSecret }, exports);
      server = await start();
    },
    async change() {
      clock.value += 60_000;
      if (random(4) === 0) await test(urlOf(random(OWNED)));
      const authorized_agents = Array.from({ length: random(3) }, () => ({
        url: urlOf(random(AGENTS)),
        authorized_for: `offer ${random(SCOPES)}`,
      }));
      await publish(records, domainOf(random(PUBLISHERS)), { authorized_agents }, clock.value);
      await settle();
    },
    async wait(ms: number) {
      clock.value += ms;
      await settle();
    },
    async known(): Promise<Held> {
      const read = async (asked: string) =>
        (await (await fetch(`http://127.0.0.1:${port}/api/registry/${asked}`)).json()) as Answer;
      const { rows = [] } = await read('authorizations/snapshot');
      const { results = [] } = await read('agents/search?limit=200');
      const edges = new Set(rows.map((row) => `${row.agent_url} ${row.publisher_domain}`));
      const saved = await records.agents.saved(results.map(({ url }) => url));
      return {
        agents: results.map(({ url }) => url).sort(),
        edges: [...edges].sort(),
        sold: [...edges].sort(),
        verdicts: results.map(({ url, compliance_summary: of }) => `${url} ${of?.status}`).sort(),
        badges: saved
          .flatMap(({ agent, document }) => document?.badges.map(({ role }) => `${agent} ${role}`) ?? [])
          .sort(),
      };
    },
    async close() {
      await kill();
      await records.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The same numbers in each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
