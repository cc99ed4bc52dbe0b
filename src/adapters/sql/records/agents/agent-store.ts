import type { AgentStore } from '../../../../ports/agent-store.ts';
import { type SqlStore, together } from '../../sql-tasks.ts';

import { createFactsReader } from './agent-facts.ts';
import { createAgentViews } from './agent-views.ts';
import { createDocumentViews } from './document-views.ts';
import { createStitchedDocuments } from './stitched-documents.ts';

/** The agents of a store: facts, documents, change log and live state. */
export function createAgentStore(store: SqlStore, isLogDurable: boolean): AgentStore {
  const readFacts = createFactsReader(store);
  return {
    ...createStitchedDocuments(store, isLogDurable),
    ...createDocumentViews(store),
    ...createAgentViews(store),
    facts: (agents) =>
      store.read(function* () {
        const facts = yield* together(agents.map(readFacts));
        return facts.filter((known) => known !== undefined);
      }),
  };
}
