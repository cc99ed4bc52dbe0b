import { expect } from 'vitest';
import { decideRun } from '../../src/compliance/decide.ts';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import type { SettingsChange } from '../../src/domain/compliance.ts';
import { type JudgedRun, NOTHING_RECORDED } from '../../src/domain/judged-run.ts';
import type { Records } from '../../src/ports/records.ts';
import type { ImportedRun, NewRun } from '../../src/records/runs/compliance-store.ts';
import { of } from '../compliance/support/badge-story.ts';
import { run } from '../compliance/support/judged-runs.ts';
import { HOUR, NOW } from './records-fixtures.ts';
import { clean, own, registered } from './records-owners.ts';

export const AGENT = 'https://agent.acme.example/mcp';
export const DAY = 24 * HOUR;
export const SELLER = of({ 'sales-guaranteed': 'pass' });
export const SELLER_FAILS = of({ 'sales-guaranteed': 'fail' });

interface KeepOptions extends Pick<NewRun, 'agent' | 'lease' | 'actor'> {
  readonly now: number;
  readonly role: NonNullable<JudgedRun['role']>;
}

/** Keeps a run that ended at `at`, as the heartbeat does. */
export async function keepRun(
  { compliance }: Records,
  at: number,
  more: Partial<FinishedRun> = {},
  { agent = AGENT, now = at, role, ...under }: Partial<KeepOptions> = {},
) {
  const report = run(at, more);
  const judged = judgeRun(report, role);
  const wanted = { agent, run: { ...judged, started_at: report.started_at }, report, ...under };
  return compliance.saveRun(wanted, decideRun(judged, { now }), now);
}

/** Changes settings of the agent. */
export async function changeTo({ owners }: Records, change: SettingsChange, now = NOW): Promise<void> {
  const changed = await owners.changeSettings({ agent: AGENT, change, actor: { kind: 'operator' } }, now);
  expect(changed).toMatchObject({ ok: true, changed: true });
}

/** A run recorded elsewhere, older than targets and versions. */
export function legacyRun(at: number, over: Partial<ImportedRun> = {}): ImportedRun {
  const time = new Date(at).toISOString();
  return {
    ...{ run_id: `legacy-${at}`, started_at: time, finished_at: time, trigger: null, dry_run: false },
    ...{ outcome: 'complete', requested_compliance_target: null, proto_version: null },
    verdict: { ...NOTHING_RECORDED, status: 'passing', tracks: { core: 'pass' } },
    ...over,
  };
}

/** Agents that a member owns, each due at once at its time. */
export async function ownedAt(records: Records, agents: Readonly<Record<string, number>>): Promise<void> {
  const member = { slug: 'acme', displayName: 'Acme', foundingMember: false };
  await records.members.import([member], NOW);
  for (const [agent, at] of Object.entries(agents)) {
    await records.members.register({ agent, url: agent, member: 'acme' }, at);
    await own(records, 'acme', at, agent);
  }
}

/** An agent whose owner can earn badges. */
export async function owned(records: Records): Promise<void> {
  await registered(records);
  const member = { slug: 'acme', displayName: 'Acme', foundingMember: false };
  await records.members.import([{ ...member, tier: 'builder', subscriptionStatus: 'active' }], NOW);
  await own(records, 'acme');
  await clean(records);
}
