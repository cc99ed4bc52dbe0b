import type { FastifyInstance } from 'fastify';
import { agentPublishersPage } from '../../pages/agent/publishers.ts';
import { agentPath } from '../../pages/texts.ts';
import { publishersOfAgent } from '../operations/graph/agent-publishers.ts';
import { readPublishersQuestion } from '../operations/graph/directory.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import { type AgentRequest, agentOf } from '../parameters.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';
import { askedOf } from './known-domains.ts';

/** A page of so many stays under its weight. */
const MOST = '50';

/** GET /agents/{encodedUrl}/publishers for people: who authorises an agent. Of one that nobody ever named its own page tells. */
export function agentPublishersPages(
  server: FastifyInstance,
  { site, send }: HtmlPages,
  parts: GraphParts,
): void {
  server.get('/agents/:encodedUrl/publishers', NO_OPERATION, async (request: AgentRequest, reply) => {
    const agent = agentOf(request.params.encodedUrl);
    const asked = askedOf(request, ['search', 'status', 'cursor']);
    const query = new URLSearchParams([...asked, ['limit', MOST]]);
    const found = await publishersOfAgent(parts, agent, readPublishersQuestion(String(query)));
    if (found === undefined) return reply.redirect(agentPath(site, agent), 302);
    const { publishers, next_cursor: cursor } = found;
    return send(
      request,
      reply,
      keptPage(site, agentPublishersPage(site, { agent, asked, publishers, cursor })),
    );
  });
}
