import type { AskedCredential, CredentialOutcome, OwnerStore } from '../../../../ports/owners.ts';
import { lockShared } from '../../locks.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { first, run, sql } from '../../statements.ts';

import { createStateReader } from '../runs/compliance-state.ts';
import { hastenClock } from '../runs/run-clock.ts';
import { whyNot } from './acting.ts';
import { auditDeed } from './audit.ts';
import { createAgentLock, ownerOf } from './proven-owner.ts';

/** What tests of an agent may authenticate with, sealed; one for each owned agent. */
export function createTestCredentials(store: SqlStore): Pick<OwnerStore, 'keepCredential' | 'credential'> {
  const lockAgent = createAgentLock(store);
  const readState = createStateReader(store);

  function* keep({ agent, sealed, actor }: AskedCredential, now: number): SqlTask<CredentialOutcome> {
    yield* lockShared(store, 'contents'); // or the agent may be pruned meanwhile
    yield* lockAgent(agent);
    const state = yield* readState(agent);
    if (state === undefined) return 'unknown_agent';
    const reason = yield* whyNot(store, agent, actor);
    if (reason !== undefined) return reason;
    if (state.owner === undefined) return 'not_owner';
    if (yield* write(store, agent, state.owner.member, sealed, now)) {
      if (sealed !== null) yield* hastenClock(store, agent, state, now);
      const details = { kept: sealed !== null };
      yield* auditDeed(store, { at: now, actor, action: 'agent.credential', subject: agent, details });
    }
    return sealed === null ? 'forgotten' : 'kept';
  }
  function* read(agent: string) {
    const owner = yield* ownerOf(store, agent);
    if (owner === undefined) return undefined;
    const kept = sql.selectFrom('test_credential').selectAll().where('agent', '=', agent);
    const row = yield* first(store, kept.where('member', '=', owner.member));
    return row && { member: row.member, sealed: row.sealed, setAt: row.set_at };
  }
  return {
    keepCredential: (asked, now) => store.durably(() => keep(asked, now)),
    credential: (agent) => store.read(() => read(agent)),
  };
}

/** Ends what was stored for an agent, but not what its owner `but` has stored. */
export function* forgetCredential(store: SqlStore, agent: string, but?: string): SqlTask<void> {
  const kept = sql.deleteFrom('test_credential').where('agent', '=', agent);
  yield* run(store, but === undefined ? kept : kept.where('member', '<>', but));
}

/** Returns whether it changed anything: the same sealed text again is the same deed, whose answer was lost. */
function* write(
  store: SqlStore,
  agent: string,
  member: string,
  sealed: string | null,
  now: number,
): SqlTask<boolean> {
  const those = sql.deleteFrom('test_credential').where('agent', '=', agent);
  if (sealed === null) return (yield* run(store, those)) > 0;
  const row = { member, sealed, set_at: now };
  const put = sql.insertInto('test_credential').values({ agent, ...row });
  const changed = yield* run(
    store,
    put.onConflict((same) =>
      same.column('agent').doUpdateSet(row).where('test_credential.sealed', '<>', sealed),
    ),
  );
  return changed > 0;
}
