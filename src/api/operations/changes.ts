import type { FastifyInstance } from 'fastify';
import type { Records } from '../../ports/records.ts';
import { readTimelinePage } from '../history-pages.ts';
import { queryText } from '../parameters.ts';
import { type ChangeListBody, changeList } from '../render/change-list.ts';
import { CURSOR, describedBy, limitParameter } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';

const OPERATION = publicReading({
  operationId: 'listChanges',
  summary: 'List changes of the directory',
  description: 'Returns the agents that were listed, changed or delisted, newest first.',
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

/** A page of the change log. Throws HttpProblems. */
export async function changesOf({ records }: ChangeParts, query: string): Promise<ChangeListBody> {
  const { limit, before } = readTimelinePage(query);
  const page = { limit: limit + 1, ...(before !== undefined && { before }) };
  return changeList(await records.agents.lastChanges(page), limit);
}
