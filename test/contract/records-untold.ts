import { expect } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import { NOW } from './records-fixtures.ts';

const ENTRY =
  'INSERT INTO authorisation (id, publisher, agent, entry, declared_url, via, scope, count_by_type, tags, seen_from, seen_until, told_at)';
const FILE =
  'INSERT INTO declaration (id, source, value_hash, via, url, content_hash, seen_from, seen_until, told_at)';
const said = (id: number) =>
  `${id}, 'news.example', 'https://a${id}.example/', 'e', 'u', 'own', 'all', '{}', '[]', ${NOW}`;

/** The rows of a store of schema 11, of which some are not told of yet. */
export const UNTOLD_OF_BEFORE = [
  `INSERT INTO source (id, kind, key, visit, registrable_domain, found_via, first_seen_at, next_visit_at)
    VALUES (1, 'adagents', 'news.example', 'domain', 'news.example', 'operator', ${NOW}, ${NOW})`,
  `${ENTRY} VALUES (${said(1)}, NULL, ${NOW}), (${said(2)}, ${NOW}, ${NOW}), (${said(3)}, ${NOW}, NULL), (${said(4)}, NULL, NULL)`,
  `${FILE} VALUES (1, 1, 'a', 'own', 'u', 'a', ${NOW}, ${NOW}, ${NOW}), (2, 1, 'b', 'own', 'u', 'b', ${NOW}, NULL, NULL)`,
];

/** What was not told of is, and nothing else. */
export async function expectToldOfBefore({ edgeLog }: Records): Promise<void> {
  expect(await edgeLog.tellEdges(10, NOW)).toBe(3);
  const rows = await edgeLog.edgeChanges(0, 10);
  expect(rows.map((row) => [row.kind, row.kind === 'file' ? row.publisher : row.id])).toEqual([
    ['ended', 3],
    ['began', 4],
    ['file', 'news.example'],
  ]);
  expect(await edgeLog.hasUntold()).toBe(false);
}
