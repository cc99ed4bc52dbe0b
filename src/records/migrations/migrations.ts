import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { AGENT_TABLES } from './001-agents.ts';
import { CRAWL_TABLES } from './001-crawl.ts';
import { COMPLIANCE, KEYS_AND_AUDIT, MANY_MACHINES, OWNERS } from './002-to-005.ts';
import { FILES_AND_GRAPH } from './006-files-and-graph.ts';
import { ASKED_AND_UNCHANGED, EDGE_LOG, PEOPLE } from './007-and-008.ts';
import { FEED_AND_PROBES } from './009.ts';
import { BODIES_BESIDE } from './010-bodies.ts';
import { VISIT_DUE } from './011-visit-due.ts';
import { DUE_AT_ONCE } from './012-due-at-once.ts';
import { UNTOLD_MARKS } from './012-untold.ts';
import { AGREED_RECEIVERS } from './013-agreed-receivers.ts';
import { BUDGET_USE } from './013-budgets.ts';
import { JOINED_MEMBERS } from './013-joined-members.ts';
import { KEY_MAKERS } from './013-key-makers.ts';
import { OPTED_OUT } from './013-opted-out.ts';
import { BUNDLES } from './014-bundles.ts';
import { carryProbes } from './carry-probes.ts';

type Engine = Pick<SqlStore, 'dialect'>;

/**
 * In order; the number of a migration is its place, counted from 1. A released one is never edited. Times are epoch
 * milliseconds, booleans 0 or 1, JSON is text. History is rows with `seen_from` and `seen_until`; a row is live while
 * `seen_until` is null.
 */
export const MIGRATIONS: readonly string[] = [
  CRAWL_TABLES + AGENT_TABLES,
  MANY_MACHINES,
  OWNERS,
  COMPLIANCE,
  KEYS_AND_AUDIT,
  FILES_AND_GRAPH,
  PEOPLE,
  ASKED_AND_UNCHANGED + EDGE_LOG,
  FEED_AND_PROBES,
  BODIES_BESIDE,
  VISIT_DUE,
  DUE_AT_ONCE + UNTOLD_MARKS,
  KEY_MAKERS + JOINED_MEMBERS + BUDGET_USE + AGREED_RECEIVERS + OPTED_OUT,
  BUNDLES,
];

/**
 * What carries rows over that a migration is about to drop: before it, in its transaction, by its number. Bounded in
 * memory; killed in between, it begins again, as nothing of it was kept.
 */
export const CARRIED: Readonly<Record<number, (engine: Engine) => SqlTask<void>>> = { 9: carryProbes };

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
