import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { AGENT_TABLES } from './001-agents.ts';
import { CRAWL_TABLES } from './001-crawl.ts';
import { MANY_MACHINES } from './002-many-machines.ts';
import { OWNERS } from './003-owners.ts';
import { COMPLIANCE } from './004-compliance.ts';
import { KEYS_AND_AUDIT } from './005-keys-and-audit.ts';
import { FILES_AND_GRAPH } from './006-files-and-graph.ts';
import { PEOPLE } from './007-people.ts';
import { ASKED_AND_UNCHANGED } from './008-asked-and-unchanged.ts';
import { EDGE_LOG } from './008-edge-log.ts';
import { BRAND_WORDS, ROOM_IN_PAGES } from './009-files-and-words.ts';
import { CHANGES_OF_AGENTS, PUBLISHER_FILES, SEQUENCED_LOG } from './009-logs.ts';
import { CREDENTIAL_KINDS, JOINING } from './009-people.ts';
import { LIVE_TEXTS, PROBES } from './009-probes.ts';
import { SUBSCRIPTIONS } from './009-subscriptions.ts';
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
  // what is carried over makes its tables first
  PROBES +
    PUBLISHER_FILES +
    BRAND_WORDS +
    SEQUENCED_LOG +
    CHANGES_OF_AGENTS +
    ROOM_IN_PAGES +
    CREDENTIAL_KINDS +
    LIVE_TEXTS +
    JOINING +
    SUBSCRIPTIONS,
];

/**
 * What carries rows over that a migration is about to drop: before it, in its transaction, by its number. Bounded in
 * memory; killed in between, it begins again, as nothing of it was kept.
 */
export const CARRIED: Readonly<Record<number, (engine: Engine) => SqlTask<void>>> = { 9: carryProbes };

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
