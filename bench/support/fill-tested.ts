import { randomUUID } from 'node:crypto';
import { decideRun } from '../../src/compliance/decide.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import type { Records } from '../../src/ports/records.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { loadRows } from '../engines/support/load-rows.ts';
import { syntheticAgents } from '../synthetic-agents.ts';
import { batches } from './batches.ts';
import { beginBulk, endBulk } from './in-bulk.ts';

export interface TestedOptions {
  /** Path of the SQLite file that is made. */
  readonly path: string;
  readonly agents: number;
  /** How many of them are owned and were tested; spread over all of them. */
  readonly tested: number;
  /** A real run, which each of them is given in its own name. */
  readonly run: ComplianceRun;
}

/** What a client has to know to ask for them. */
export interface TestedAgents {
  /** Each with an API key of its owner. */
  readonly tested: readonly { readonly agent: string; readonly key: string }[];
  /** Some of the others, from anywhere among them. */
  readonly untested: readonly string[];
}

const MEMBERS = 100;
const AT_ONCE = 100;
const DAY_MS = 86_400_000;
/** Runs of each, a day apart; the newest is an hour old. */
const RUNS = 2;
/** Largest number of untested agents that are asked for. */
const MAX_UNTESTED = 20_000;

/**
 * Fills a store with agents of which some have a proven owner, runs, a standing and badges. The untested ones are rows
 * straight in the tables, as a million would take an hour on the way of a crawl; the others come as they always do.
 */
export async function fillTested({ path, agents, tested, run }: TestedOptions): Promise<TestedAgents> {
  const records = await openSqliteRecords({ path });
  const now = Date.now();
  beginBulk(records.database);
  loadRows(records.database, { agents, documents: false });
  const keys = await addMembers(records, now);
  const chosen = chooseAgents(agents, tested);
  for (const batch of batches(chosen.tested.entries(), AT_ONCE))
    await Promise.all(batch.map(([at, agent]) => test(records, agent, memberOf(at), run, now)));
  endBulk(records.database);
  await records.close();
  return {
    tested: chosen.tested.map((agent, at) => ({ agent, key: keys[at % MEMBERS] ?? '' })),
    untested: chosen.untested,
  };
}

/** Those that a store filled so has tested, and some of the others. */
export function chooseAgents(agents: number, tested: number) {
  const every = Math.max(2, Math.floor(agents / tested));
  const everyOther = Math.ceil(agents / MAX_UNTESTED);
  const chosen = { tested: [] as string[], untested: [] as string[] };
  let at = 0;
  for (const { agent } of syntheticAgents(agents)) {
    if (at % every === 1 && chosen.tested.length < tested) chosen.tested.push(agent);
    else if (at % everyOther === 0) chosen.untested.push(agent);
    at += 1;
  }
  return chosen;
}

async function addMembers({ members, keys: apiKeys }: Records, now: number): Promise<readonly string[]> {
  const keys = Array.from({ length: MEMBERS }, () => newApiKey());
  const standing = { foundingMember: false, tier: 'builder', subscriptionStatus: 'active' };
  await members.import(
    keys.map((_, at) => ({ slug: memberOf(at), displayName: `Member ${at}`, ...standing })),
    now,
  );
  for (const [at, { id, hash }] of keys.entries())
    await apiKeys.create({ id, hash, member: memberOf(at) }, now);
  return keys.map(({ key }) => key);
}

function memberOf(at: number): string {
  return `member-${at % MEMBERS}`;
}

async function test(
  { members, owners, compliance }: Records,
  agent: string,
  member: string,
  template: ComplianceRun,
  now: number,
): Promise<void> {
  await members.register({ agent, url: agent, member, name: 'Tested' }, now);
  const asked = { agent, member, token: randomUUID(), expiresAt: now + DAY_MS };
  const { token } = await owners.challenge(asked, now);
  await owners.prove({ agent, member, token, via: 'dns' }, now);
  for (let back = RUNS; back > 0; back -= 1) {
    const endedAt = now - 3_600_000 - (back - 1) * DAY_MS;
    const report: ComplianceRun = {
      ...template,
      ...{ run_id: randomUUID(), agent_url: agent },
      started_at: new Date(endedAt - template.duration_ms).toISOString(),
      finished_at: new Date(endedAt).toISOString(),
    };
    const run = { ...judgeRun(report), started_at: report.started_at };
    const kept = await compliance.saveRun({ agent, run, report }, decideRun(run, { now: endedAt }), endedAt);
    if (kept !== 'saved') throw new Error(`the run of ${agent} was not kept: ${kept}`);
  }
}
