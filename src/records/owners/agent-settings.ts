import { present } from '../../base/json.ts';
import type { Actor } from '../../domain/actor.ts';
import {
  type AgentSettings,
  effectiveChange,
  type SettingsChange,
  settingsAfter,
} from '../../domain/compliance.ts';
import type { CredentialKind } from '../../domain/ownership.ts';
import { markOneDirty, withdrawResults } from '../agents/documents.ts';
import { type Db, jsonOrNull, type RecordsDatabase } from '../database.ts';
import { CHOSEN_COLUMNS, chosenSettings, readState } from '../runs/compliance-state.ts';
import { adjustClock, makeDueSooner } from '../runs/run-clock.ts';
import type { TestCredentialTable } from '../tables.ts';
import { audit } from './audit.ts';
import { beginChange } from './checks.ts';
import { mayAct, ownerOf } from './proven-owner.ts';

/*
 * What the owner of an agent decides: its settings, the credential that tests use, and the statement that is shown beside
 * the results. Each change is checked, written and audited in one transaction.
 */

/** A requested change of settings, and the actor who requested it. */
interface AskedChange {
  readonly agent: string;
  readonly change: SettingsChange;
  readonly actor: Actor;
}

/** The credential with which tests of an agent authenticate, sealed: the store cannot read it. */
export interface SealedCredential {
  readonly member: string;
  /** A JWE; see src/owners/credentials.ts. */
  readonly sealed: string;
  readonly kind: CredentialKind;
  readonly setAt: number;
}

/** A test credential to store, or null to delete it. */
export interface AskedCredential {
  readonly agent: string;
  readonly sealed: string | null;
  /** Default `bearer`. */
  readonly kind?: CredentialKind;
  readonly actor: Exclude<Actor, { kind: 'signature' }>;
}

/** The owner's statement next to the results of the tests of its agent. */
interface OwnerStatement {
  /** One line of plain text. */
  readonly text: string;
  readonly statedAt: number;
}

/** A statement to store, or null to withdraw it. */
export interface AskedStatement {
  readonly agent: string;
  readonly text: string | null;
  readonly actor: Exclude<Actor, { kind: 'signature' }>;
}

type StatementOutcome = 'stored' | 'deleted' | 'opted_out' | 'unknown_agent' | 'not_owner' | 'key_revoked';

/** The same credential under another key, if `from` is still what is stored. */
interface ResealedCredential {
  readonly agent: string;
  readonly from: string;
  readonly to: string;
}

export type CredentialOutcome = 'stored' | 'deleted' | 'unknown_agent' | 'not_owner' | 'key_revoked';

type SettingsOutcome =
  | { readonly ok: true; readonly settings: AgentSettings; readonly changed: boolean }
  | { readonly ok: false; readonly reason: 'unknown_agent' | 'not_owner' | 'key_revoked' };

/** When an owner first set and last changed its settings; absent: never. */
export interface SettingsTimes {
  readonly decidedAt?: number;
  readonly changedAt?: number;
  /** Since when its tests are paused. */
  readonly pausedAt?: number;
}

interface CredentialPage {
  readonly after?: string;
  readonly limit: number;
}

/** What the owner of an agent decides about its tests: settings, a test credential, a statement. */
export function createAgentSettings(database: RecordsDatabase) {
  return {
    /** Undefined for an unknown agent. */
    settings: (agent: string) => database.read((db) => agentSettingsOf(db, agent)),
    settingsTimes: (agent: string) => database.read((db) => settingsTimes(db, agent)),
    /**
     * A member can change them while it is the proven owner, a key while it is valid; both are checked in the
     * transaction.
     */
    changeSettings: (asked: AskedChange, now: number) =>
      database.durably((db) => changeSettings(db, asked, now)),
    /** Undefined when the proven owner has stored none. */
    credential: (agent: string) => database.read((db) => readCredential(db, agent)),
    /** The stored credentials by agent, `limit` of them after one. */
    credentials: (page: CredentialPage) => database.read((db) => readCredentials(db, page)),
    /**
     * Stores or deletes the test credential of an owned agent (`agent.credential`; the audit record never contains the
     * credential). It is deleted when the ownership ends or changes. If the last test failed for lack of a credential,
     * a stored one makes the agent due as soon as a run on demand is allowed.
     */
    keepCredential: (asked: AskedCredential, now: number) =>
      database.durably((db) => keepCredential(db, asked, now)),
    /** Seals the same credential with another key; its time stays. False: the stored one has changed since it was read. */
    resealCredential: (change: ResealedCredential) => database.durably((db) => resealCredential(db, change)),
    /** The public statement: undefined for an agent without an owner, and for one that is opted out of tests. */
    statement: (agent: string) => database.read((db) => readStatement(db, agent)),
    /**
     * Stores, replaces or withdraws the owner's statement about the tests of its agent (`agent.statement`). It is
     * deleted when the ownership ends. The same text again keeps its time. The statement of an agent that is opted out
     * of tests can only be withdrawn.
     */
    keepStatement: (asked: AskedStatement, now: number) =>
      database.durably((db) => keepStatement(db, asked, now)),
  };
}

/** The settings of an agent, with defaults for those that its owner has not set. Undefined for an unknown agent. */
export async function agentSettingsOf(db: Db, agent: string): Promise<AgentSettings | undefined> {
  const row = await db
    .selectFrom('agent')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'agent.agent')
    .select(CHOSEN_COLUMNS)
    .where('agent.agent', '=', agent)
    .executeTakeFirst();
  return row && chosenSettings(row);
}

async function settingsTimes(db: Db, agent: string): Promise<SettingsTimes> {
  const row = await db
    .selectFrom('agent_settings')
    .select(['created_at', 'updated_at', 'paused_at', 'monitoring_paused'])
    .where('agent', '=', agent)
    .executeTakeFirst();
  return present({
    decidedAt: row?.created_at,
    changedAt: row?.updated_at,
    pausedAt: row?.monitoring_paused === 1 ? row.paused_at : null,
  });
}

async function changeSettings(
  db: Db,
  { agent, change, actor }: AskedChange,
  now: number,
): Promise<SettingsOutcome> {
  const refusal = await beginChange(db, agent, actor, now);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const before = await agentSettingsOf(db, agent);
  if (before === undefined) return { ok: false, reason: 'unknown_agent' };
  if (!(await mayAct(db, agent, actor, now))) return { ok: false, reason: 'not_owner' };
  const effective = effectiveChange(before, change);
  const settings = settingsAfter(before, effective);
  if (Object.keys(effective).length === 0) return { ok: true, settings, changed: false };

  await writeSettings(db, agent, settings, effective.monitoringPaused, now);
  const isOwned = (await ownerOf(db, agent)) !== undefined;
  await adjustClock(db, agent, { settings, isOwned }, now);
  await markOneDirty(db, agent, now);
  if (effective.optedOut) await withdrawResults(db, agent, settings.lifecycleStage, now);
  const changed = Object.keys(effective) as (keyof AgentSettings)[];
  const details = {
    before: Object.fromEntries(changed.map((name) => [name, before[name] ?? null])),
    after: effective,
  };
  await audit(db, { at: now, actor, action: 'agent.settings', subject: agent, details });
  return { ok: true, settings, changed: true };
}

async function writeSettings(
  db: Db,
  agent: string,
  settings: AgentSettings,
  /** Undefined: unchanged. */
  paused: boolean | undefined,
  now: number,
): Promise<void> {
  const row = {
    opted_out: settings.optedOut ? 1 : 0,
    monitoring_paused: settings.monitoringPaused ? 1 : 0,
    check_interval_hours: settings.checkIntervalHours,
    lifecycle_stage: settings.lifecycleStage,
    compliance_target: settings.complianceTarget ?? null,
    test_setup: jsonOrNull(settings.testSetup),
    updated_at: now,
    ...(paused !== undefined && { paused_at: paused ? now : null }),
  };
  await db
    .insertInto('agent_settings')
    .values({ agent, created_at: now, ...row })
    .onConflict((same) => same.column('agent').doUpdateSet(row))
    .execute();
}

async function readCredential(db: Db, agent: string): Promise<SealedCredential | undefined> {
  const owner = await ownerOf(db, agent);
  if (owner === undefined) return undefined;
  const row = await db
    .selectFrom('test_credential')
    .selectAll()
    .where('agent', '=', agent)
    .where('member', '=', owner.member)
    .executeTakeFirst();
  return row && sealedCredential(row);
}

async function readCredentials(
  db: Db,
  { after = '', limit }: CredentialPage,
): Promise<readonly (SealedCredential & { readonly agent: string })[]> {
  const rows = await db
    .selectFrom('test_credential')
    .selectAll()
    .where('agent', '>', after)
    .orderBy('agent')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ agent: row.agent, ...sealedCredential(row) }));
}

function sealedCredential({ member, sealed, kind, set_at: setAt }: TestCredentialTable): SealedCredential {
  return { member, sealed, kind, setAt };
}

async function keepCredential(
  db: Db,
  { agent, sealed, kind = 'bearer', actor }: AskedCredential,
  now: number,
): Promise<CredentialOutcome> {
  const refusal = await beginChange(db, agent, actor, now);
  if (refusal !== undefined) return refusal;
  const state = await readState(db, agent);
  if (state === undefined) return 'unknown_agent';
  if (!(await mayAct(db, agent, actor, now))) return 'not_owner';
  if (state.owner === undefined) return 'not_owner';
  const { member } = state.owner;
  const isChanged =
    sealed === null
      ? await deleteCredential(db, agent)
      : await writeCredential(db, { agent, member, sealed, kind, set_at: now });
  if (isChanged) {
    if (sealed !== null) await makeDueSooner(db, agent, state, now);
    const details = sealed === null ? { kept: false } : { kept: true, ...(kind !== 'bearer' && { kind }) };
    await audit(db, { at: now, actor, action: 'agent.credential', subject: agent, details });
  }
  return sealed === null ? 'deleted' : 'stored';
}

async function deleteCredential(db: Db, agent: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('test_credential')
    .where('agent', '=', agent)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns whether it changed anything: the same sealed text again is a repeated request, whose answer was lost. */
async function writeCredential(db: Db, { agent, ...row }: TestCredentialTable): Promise<boolean> {
  const written = await db
    .insertInto('test_credential')
    .values({ agent, ...row })
    .onConflict((same) =>
      same.column('agent').doUpdateSet(row).where('test_credential.sealed', '<>', row.sealed),
    )
    .returning('agent')
    .executeTakeFirst();
  return written !== undefined;
}

async function resealCredential(db: Db, { agent, from, to }: ResealedCredential): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('test_credential')
    .set({ sealed: to })
    .where('agent', '=', agent)
    .where('sealed', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function readStatement(db: Db, agent: string): Promise<OwnerStatement | undefined> {
  const owner = await ownerOf(db, agent);
  const row = owner && (await statementOf(db, agent, owner.member));
  if (row === undefined) return undefined;
  const settings = await agentSettingsOf(db, agent);
  return settings?.optedOut === false ? { text: row.text, statedAt: row.stated_at } : undefined;
}

function statementOf(db: Db, agent: string, member: string) {
  return db
    .selectFrom('owner_statement')
    .select(['text', 'stated_at'])
    .where('agent', '=', agent)
    .where('member', '=', member)
    .executeTakeFirst();
}

async function keepStatement(
  db: Db,
  { agent, text, actor }: AskedStatement,
  now: number,
): Promise<StatementOutcome> {
  const refusal = await beginChange(db, agent, actor, now);
  if (refusal !== undefined) return refusal;
  const settings = await agentSettingsOf(db, agent);
  if (settings === undefined) return 'unknown_agent';
  if (!(await mayAct(db, agent, actor, now))) return 'not_owner';
  const owner = await ownerOf(db, agent);
  if (owner === undefined) return 'not_owner';
  if (text !== null && settings.optedOut) return 'opted_out';
  const { member } = owner;
  const before = (await statementOf(db, agent, member))?.text ?? null;
  const outcome = text === null ? 'deleted' : 'stored';
  if (before === text) return outcome; // repeated, because the answer was lost
  if (text === null) {
    await db.deleteFrom('owner_statement').where('agent', '=', agent).execute();
  } else {
    const row = { member, text, stated_at: now };
    await db
      .insertInto('owner_statement')
      .values({ agent, ...row })
      .onConflict((same) => same.column('agent').doUpdateSet(row))
      .execute();
  }
  const details = { before, after: text };
  await audit(db, { at: now, actor, action: 'agent.statement', subject: agent, details });
  return outcome;
}
