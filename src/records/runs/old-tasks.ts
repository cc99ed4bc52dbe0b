import { markOneDirty as markOneDirtyTask } from '../agents/stitched-documents.ts';
import { type Db, isPostgres } from '../database.ts';
import { agentSettingsOf as agentSettingsTask } from '../owners/agent-settings.ts';
import { auditDeed as auditDeedTask, writeAuditEntry as auditEntryTask } from '../owners/audit.ts';
import { createAgentLock, refusalToAct as refusalTask } from '../owners/proven-owner.ts';
import { runTask, type SqlStore } from '../sql-tasks.ts';

/**
 * Functions of `owners` and `agents` that still are tasks, with the parameters that they have as plain functions. This file
 * goes when they are converted: the imports from it then name `owners/` and `agents/`.
 */
const storeOf = (db: Db) => ({ dialect: isPostgres(db) ? 'postgres' : 'sqlite' }) as SqlStore;

export const auditDeed = (db: Db, deed: Parameters<typeof auditDeedTask>[1]) =>
  runTask(db, auditDeedTask(storeOf(db), deed));

export const writeAuditEntry = (db: Db, entry: Parameters<typeof auditEntryTask>[1]) =>
  runTask(db, auditEntryTask(storeOf(db), entry));

export const lockAgent = (db: Db, agent: string) => runTask(db, createAgentLock(storeOf(db))(agent));

export const refusalToAct = (db: Db, agent: string, actor: Parameters<typeof refusalTask>[2], now: number) =>
  runTask(db, refusalTask(storeOf(db), agent, actor, now));

export const agentSettingsOf = (db: Db, agent: string) => runTask(db, agentSettingsTask(storeOf(db), agent));

export const markOneDirty = (db: Db, agent: string, now: number) =>
  runTask(db, markOneDirtyTask(storeOf(db), agent, now));
