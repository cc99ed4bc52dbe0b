import type { AskedStatement, OwnerStore, StatementOutcome } from '../../ports/owners.ts';
import { lockShared } from '../locks.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { first, run, sql } from '../statements.ts';
import { agentSettingsOf } from './agent-settings.ts';
import { auditDeed } from './audit.ts';
import { createAgentLock, ownerOf, refusalToAct } from './proven-owner.ts';

/** What owners say beside the results of tests; one text for each owned agent. */
export function createOwnerStatements(store: SqlStore): Pick<OwnerStore, 'keepStatement' | 'statement'> {
  const lockAgent = createAgentLock(store);

  function* keep({ agent, text, actor }: AskedStatement, now: number): SqlTask<StatementOutcome> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    yield* lockAgent(agent);
    const settings = yield* agentSettingsOf(store, agent);
    if (settings === undefined) return 'unknown_agent';
    const reason = yield* refusalToAct(store, agent, actor, now);
    if (reason !== undefined) return reason;
    const owner = yield* ownerOf(store, agent);
    if (owner === undefined) return 'not_owner';
    if (text !== null && settings.optedOut) return 'opted_out';
    const before = (yield* statementOf(store, agent, owner.member))?.text ?? null;
    const outcome = text === null ? 'taken_back' : 'kept';
    if (before === text) return outcome; // done again, as the answer was lost
    if (text === null) yield* run(store, sql.deleteFrom('owner_statement').where('agent', '=', agent));
    else {
      const row = { member: owner.member, text, said_at: now };
      const put = sql.insertInto('owner_statement').values({ agent, ...row });
      yield* run(
        store,
        put.onConflict((same) => same.column('agent').doUpdateSet(row)),
      );
    }
    const details = { before, after: text };
    yield* auditDeed(store, { at: now, actor, action: 'agent.statement', subject: agent, details });
    return outcome;
  }
  function* read(agent: string) {
    const owner = yield* ownerOf(store, agent);
    const row = owner && (yield* statementOf(store, agent, owner.member));
    if (row === undefined || (yield* agentSettingsOf(store, agent))?.optedOut !== false) return undefined;
    return { text: row.text, saidAt: row.said_at };
  }
  return {
    keepStatement: (asked, now) => store.durably(() => keep(asked, now)),
    statement: (agent) => store.read(() => read(agent)),
  };
}

function statementOf(store: SqlStore, agent: string, member: string) {
  const kept = sql.selectFrom('owner_statement').select(['text', 'said_at']).where('agent', '=', agent);
  return first(store, kept.where('member', '=', member));
}
