import type { AgentStore } from '../../../ports/agent-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { createFactsReader } from './agent-facts.ts';
import { createAgentViews } from './agent-views.ts';
import { createDocumentViews } from './document-views.ts';
import { createStitchedDocuments } from './stitched-documents.ts';

/** The agents of a store: facts, documents, change log and live state. */
export function createAgentStore(database: SqliteDatabase): AgentStore {
  const readFacts = createFactsReader(database);
  return {
    ...createStitchedDocuments(database),
    ...createDocumentViews(database),
    ...createAgentViews(database),
    facts: async (agents) => database.guard(() => agents.flatMap((agent) => readFacts(agent) ?? [])),
  };
}
