import type { SavedDocument } from '../../../src/domain/agent-document.ts';
import type { SqliteDatabase } from '../../../src/records/sqlite/database.ts';
import { batches } from '../../support/batches.ts';
import { syntheticAgents } from '../../synthetic-agents.ts';

const BATCH = 10_000;
const HEALTH = JSON.stringify({ online: true, responseTimeMs: 12, toolsCount: 6, resourcesCount: 0 });
const AGENT = `
  INSERT INTO agent (agent, first_seen_at, revision, stitched_revision, last_seen_at, last_checked_at, health)
  VALUES (?1, ?2, 1, 1, ?2, ?2, '${HEALTH}')`;
const SOURCE = `
  INSERT INTO source (kind, key, visit, registrable_domain, found_via, first_seen_at, next_visit_at)
  VALUES ('agent', ?1, 'agent', 'vendor.example', 'bench', ?2, ?2 + 3600000)`;
const DOCUMENT = "INSERT INTO document (agent, version, hash, value) VALUES (?, ?, 'bench', ?)";
const LAST_CHANGE =
  "INSERT INTO change_log (seq, agent, kind, at) VALUES (?1, 'https://last.example/', 'listed', ?2)";

export interface RowOptions {
  readonly agents: number;
  /** Also the stored documents, as a rebuild reads them; without them only what a list joins. */
  readonly documents: boolean;
}

/**
 * Puts the rows of synthetic agents straight into the tables, as the way of a crawl would take an hour for a million:
 * what a list joins (agent and its source), the documents if wanted, and the end of the change log.
 */
export function loadRows(database: SqliteDatabase, { agents, documents }: RowOptions): void {
  const now = Date.now();
  const insert = ({ agent, version, document }: SavedDocument) => {
    database.statement(AGENT).run(agent, now);
    database.statement(SOURCE).run(agent, now);
    if (documents) database.statement(DOCUMENT).run(agent, version, JSON.stringify(document));
  };
  for (const batch of batches(markedAgents(agents, 0), BATCH))
    database.transaction(() => {
      for (const saved of batch) insert(saved);
    });
  database.statement(LAST_CHANGE).run(agents, now);
}

/** Synthetic agents with the number of their set in the name, so that an answer says what it was made from. */
export function* markedAgents(count: number, set: number): Generator<SavedDocument> {
  for (const saved of syntheticAgents(count)) {
    const { document } = saved;
    if (document === undefined) continue;
    const base = { ...document.base, name: `${document.base.name}, ${markOf(set)}` };
    yield { ...saved, document: { ...document, base } };
  }
}

export function markOf(set: number): string {
  return `set ${set};`;
}
