import type {
  AskedCredential,
  CredentialKind,
  CredentialOutcome,
  OwnerStore,
  SealedCredential,
} from '../../ports/owners.ts';
import { lockShared } from '../locks.ts';
import { createStateReader } from '../runs/compliance-state.ts';
import { makeDueSooner } from '../runs/run-clock.ts';
import type { TestCredentialTable } from '../schema-agents.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql } from '../statements.ts';
import { auditDeed } from './audit.ts';
import { createAgentLock, ownerOf, refusalToAct } from './proven-owner.ts';

/** What tests of an agent may authenticate with, sealed; one for each owned agent. */
export function createTestCredentials(store: SqlStore): Pick<OwnerStore, 'keepCredential' | 'credential'> {
  const lockAgent = createAgentLock(store);
  const readState = createStateReader(store);

  function* keep(
    { agent, sealed, kind = 'bearer', actor }: AskedCredential,
    now: number,
  ): SqlTask<CredentialOutcome> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    yield* lockAgent(agent);
    const state = yield* readState(agent);
    if (state === undefined) return 'unknown_agent';
    const reason = yield* refusalToAct(store, agent, actor, now);
    if (reason !== undefined) return reason;
    if (state.owner === undefined) return 'not_owner';
    if (yield* write(store, agent, { member: state.owner.member, sealed, kind }, now)) {
      if (sealed !== null) yield* makeDueSooner(store, agent, state, now);
      const details = sealed === null ? { kept: false } : { kept: true, ...(kind !== 'bearer' && { kind }) };
      yield* auditDeed(store, { at: now, actor, action: 'agent.credential', subject: agent, details });
    }
    return sealed === null ? 'forgotten' : 'kept';
  }
  function* read(agent: string) {
    const owner = yield* ownerOf(store, agent);
    if (owner === undefined) return undefined;
    const kept = sql.selectFrom('test_credential').selectAll().where('agent', '=', agent);
    const row = yield* first(store, kept.where('member', '=', owner.member));
    return row && sealedCredential(row);
  }
  return {
    keepCredential: (asked, now) => store.durably(() => keep(asked, now)),
    credential: (agent) => store.read(() => read(agent)),
  };
}

interface WrittenCredential {
  readonly member: string;
  readonly sealed: string | null;
  readonly kind: CredentialKind;
}

function sealedCredential({ member, sealed, kind, set_at: setAt }: TestCredentialTable): SealedCredential {
  return { member, sealed, kind, setAt };
}

/** Returns whether it changed anything: the same sealed text again is the same deed, whose answer was lost. */
function* write(
  store: SqlStore,
  agent: string,
  { member, sealed, kind }: WrittenCredential,
  now: number,
): SqlTask<boolean> {
  const those = sql.deleteFrom('test_credential').where('agent', '=', agent);
  if (sealed === null) return (yield* run(store, those)) > 0;
  const row = { member, sealed, kind, set_at: now };
  const put = sql.insertInto('test_credential').values({ agent, ...row });
  const changed = yield* run(
    store,
    put.onConflict((same) =>
      same.column('agent').doUpdateSet(row).where('test_credential.sealed', '<>', sealed),
    ),
  );
  return changed > 0;
}

/** All stored credentials, page by page, and putting one under another seal. */
export function createCredentialSeals(store: SqlStore): Pick<OwnerStore, 'credentials' | 'resealCredential'> {
  return {
    async credentials({ after, limit }) {
      const stored = sql.selectFrom('test_credential').selectAll().orderBy('agent').limit(limit);
      const page = after === undefined ? stored : stored.where('agent', '>', after);
      const rows = await store.read(() => all(store, page));
      return rows.map((row) => ({ agent: row.agent, ...sealedCredential(row) }));
    },
    resealCredential: ({ agent, from, to }) =>
      store.durably(function* () {
        const same = sql.updateTable('test_credential').set({ sealed: to }).where('agent', '=', agent);
        const changed = yield* run(store, same.where('sealed', '=', from));
        return changed > 0;
      }),
  };
}
