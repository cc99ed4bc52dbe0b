import { present } from '../../base/json.ts';
import { type AgentSettings, effectiveChange, settingsAfter } from '../../domain/compliance.ts';
import type { AskedChange, OwnerStore, SettingsOutcome, SettingsTimes } from '../../ports/owners.ts';
import { createSequencer } from '../agents/change-log.ts';
import { createWithdrawal, markOneDirty } from '../agents/stitched-documents.ts';
import { lockShared } from '../locks.ts';
import { CHOSEN_COLUMNS, chosenSettings } from '../runs/compliance-state.ts';
import { adjustClock } from '../runs/run-clock.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { first, run, sql } from '../statements.ts';
import { auditDeed } from './audit.ts';
import { createAgentLock, ownerOf, refusalToAct } from './proven-owner.ts';

/** What owners decide about their agents; read, changed and written down in one transaction. */
export function createAgentSettings(
  store: SqlStore,
): Pick<OwnerStore, 'settings' | 'changeSettings' | 'settingsTimes'> {
  const lockAgent = createAgentLock(store);
  const withdraw = createWithdrawal(store);
  const numberChanges = createSequencer(store, store.durably);

  function* change({ agent, change, actor }: AskedChange, now: number): SqlTask<SettingsOutcome> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    yield* lockAgent(agent);
    const before = yield* agentSettingsOf(store, agent);
    const reason = before === undefined ? 'unknown_agent' : yield* refusalToAct(store, agent, actor, now);
    if (before === undefined || reason !== undefined) return { ok: false, reason: reason ?? 'unknown_agent' };
    const effective = effectiveChange(before, change);
    const settings = settingsAfter(before, effective);
    if (Object.keys(effective).length === 0) return { ok: true, settings, changed: false };
    yield* write(store, agent, { settings, paused: effective.monitoringPaused }, now);
    const isOwned = (yield* ownerOf(store, agent)) !== undefined;
    yield* adjustClock(store, agent, { settings, isOwned }, now);
    yield* markOneDirty(store, agent, now);
    if (effective.optedOut) yield* withdraw(agent, settings.lifecycleStage, now);
    const was = Object.keys(effective).map((name) => [name, before[name as keyof AgentSettings] ?? null]);
    const details = { before: Object.fromEntries(was), after: effective };
    yield* auditDeed(store, { at: now, actor, action: 'agent.settings', subject: agent, details });
    return { ok: true, settings, changed: true };
  }
  return {
    settings: (agent) => store.read(() => agentSettingsOf(store, agent)),
    async changeSettings(asked, now) {
      const outcome = await store.durably(() => change(asked, now));
      // what cannot be numbered now is with the next pass of the index
      if (outcome.ok && outcome.changed) await numberChanges().catch(() => {});
      return outcome;
    },
    settingsTimes: (agent) => store.read(() => timesOf(store, agent)),
  };
}

/** Undefined for an agent never heard of; inside the caller's transaction. */
export function* agentSettingsOf(store: SqlStore, agent: string): SqlTask<AgentSettings | undefined> {
  const known = sql.selectFrom('agent').leftJoin('agent_settings as chosen', 'chosen.agent', 'agent.agent');
  const row = yield* first(store, known.select(CHOSEN_COLUMNS).where('agent.agent', '=', agent));
  return row && chosenSettings(row);
}

function* write(
  store: SqlStore,
  agent: string,
  { settings, paused }: { readonly settings: AgentSettings; readonly paused: boolean | undefined },
  now: number,
): SqlTask<void> {
  const row = {
    opted_out: settings.optedOut ? 1 : 0,
    monitoring_paused: settings.monitoringPaused ? 1 : 0,
    check_interval_hours: settings.checkIntervalHours,
    lifecycle_stage: settings.lifecycleStage,
    compliance_target: settings.complianceTarget ?? null,
    test_setup: settings.testSetup === undefined ? null : JSON.stringify(settings.testSetup),
    updated_at: now,
    ...(paused !== undefined && { paused_at: paused ? now : null }),
  };
  const put = sql.insertInto('agent_settings').values({ agent, created_at: now, ...row });
  yield* run(
    store,
    put.onConflict((same) => same.column('agent').doUpdateSet(row)),
  );
}

function* timesOf(store: SqlStore, agent: string): SqlTask<SettingsTimes> {
  const columns = ['created_at', 'updated_at', 'paused_at', 'monitoring_paused'] as const;
  const row = yield* first(
    store,
    sql.selectFrom('agent_settings').select(columns).where('agent', '=', agent),
  );
  return present({
    decidedAt: row?.created_at,
    changedAt: row?.updated_at,
    pausedAt: row?.monitoring_paused === 1 ? row.paused_at : null,
  });
}
