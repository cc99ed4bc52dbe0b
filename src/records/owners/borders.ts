import type { SelectQueryBuilder } from 'kysely';
import type { AgentSettings, LifecycleStage } from '../../domain/compliance.ts';
import type { NewVisit } from '../../domain/source.ts';
import type { ComplianceState } from '../../ports/compliance.ts';
import { createSequencer } from '../agents/change-log.ts';
import * as stitched from '../agents/stitched-documents.ts';
import { type Db, isPostgres, type RecordsDatabase } from '../database.ts';
import { createStateReader, type StoredState } from '../runs/compliance-state.ts';
import * as clock from '../runs/run-clock.ts';
import type { Tables } from '../schema.ts';
import { createKnownSources } from '../sources/known-sources.ts';
import { runTask, type SqlStore } from '../sql-tasks.ts';

/**
 * Functions of other folders that are still generators, with the signatures that they will have. Each goes when the
 * function itself is asynchronous, and this file with the last of them.
 */
const storeOf = (db: Db) => ({ dialect: isPostgres(db) ? 'postgres' : 'sqlite' }) as SqlStore;

export const markDirty = (
  db: Db,
  agents: SelectQueryBuilder<Tables, 'agent' | 'registration', { agent: string }>,
  now: number,
): Promise<void> => runTask(db, stitched.markDirty(storeOf(db), agents, now));

export const markOneDirty = (db: Db, agent: string, now: number): Promise<void> =>
  runTask(db, stitched.markOneDirty(storeOf(db), agent, now));

export const withdraw = (db: Db, agent: string, stage: LifecycleStage, now: number): Promise<void> =>
  runTask(db, stitched.createWithdrawal(storeOf(db))(agent, stage, now));

export const numberChanges = (database: RecordsDatabase): Promise<number> =>
  createSequencer(database as SqlStore, database.durably)();

export const beginClock = (
  db: Db,
  agent: string,
  given: Parameters<typeof clock.beginClock>[2],
  now: number,
): Promise<void> => runTask(db, clock.beginClock(storeOf(db), agent, given, now));

export const endClock = (db: Db, agent: string, now: number): Promise<void> =>
  runTask(db, clock.endClock(storeOf(db), agent, now));

export const adjustClock = (
  db: Db,
  agent: string,
  given: { readonly settings: AgentSettings; readonly isOwned: boolean },
  now: number,
): Promise<void> => runTask(db, clock.adjustClock(storeOf(db), agent, given, now));

export const makeDueSooner = (
  db: Db,
  agent: string,
  state: Pick<ComplianceState, 'standing' | 'settings'>,
  now: number,
): Promise<void> => runTask(db, clock.makeDueSooner(storeOf(db), agent, state, now));

export const reconsiderSoon = (db: Db, members: readonly string[], now: number): Promise<void> =>
  runTask(db, clock.reconsiderSoon(storeOf(db), members, now));

export const readState = (db: Db, agent: string): Promise<StoredState | undefined> =>
  runTask(db, createStateReader(storeOf(db))(agent));

export const addSources = (
  db: Db,
  named: readonly { readonly visit: NewVisit; readonly at: number }[],
): Promise<readonly boolean[]> => runTask(db, createKnownSources(storeOf(db)).add(named));

export const addAgents = (
  db: Db,
  agents: readonly { readonly agent: string; readonly now: number; readonly trace: string | null }[],
): Promise<readonly number[]> => runTask(db, createKnownSources(storeOf(db)).addAgents(agents));
