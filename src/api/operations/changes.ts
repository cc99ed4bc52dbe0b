import type { FastifyInstance } from 'fastify';
import type { Records } from '../../ports/records.ts';
import { readTimelinePage } from '../history-pages.ts';
import { queryText } from '../parameters.ts';
import { type ChangeListBody, changeList } from '../render/change-list.ts';
import { CURSOR, describedBy, limitParameter } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';

const OPERATION = publicReading({
  operationId: 'listChanges',
  summary: 'List what happened in the directory',
  description: 'Agents that came into the list, changed in it or left it, the newest first.',
  parameters: [limitParameter('changes'), CURSOR],
  answers: 'A page of the change log.',
  schema: 'ChangeList',
});

interface ChangeParts {
  readonly records: { readonly agents: Pick<Records['agents'], 'lastChanges'> };
}

/** GET /api/registry/changes. */
export function changesOperation(server: FastifyInstance, parts: ChangeParts): void {
  server.get('/api/registry/changes', describedBy(OPERATION), async (request, reply) =>
    sendBody(request, reply, await changesOf(parts, queryText(request))),
  );
}

/** The page of the log that a query string asks for. Throws HttpProblems. */
export async function changesOf({ records }: ChangeParts, query: string): Promise<ChangeListBody> {
  const { limit, before } = readTimelinePage(query);
  const page = { limit: limit + 1, ...(before !== undefined && { before }) };
  return changeList(await records.agents.lastChanges(page), limit);
}
