import { AGENT_TABLES } from './001-agents.ts';
import { CRAWL_TABLES } from './001-crawl.ts';

/**
 * The first schema. Times are epoch milliseconds, booleans 0 or 1, JSON is text. History is rows with
 * `seen_from` and `seen_until`; a row is live while `seen_until` is null.
 */
export const RECORDS_SCHEMA = CRAWL_TABLES + AGENT_TABLES;
