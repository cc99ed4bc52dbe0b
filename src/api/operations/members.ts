import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withinBytes } from '../../base/json-bytes.ts';
import { MEMBER_SLUG } from '../../domain/member-text.ts';
import type { Records } from '../../ports/records.ts';
import type { ShownMember } from '../../records/owners/members.ts';
import { limitOf, queryText, readParameters, refuseParameters } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { CURSOR, describedBy, problemAnswer } from './description.ts';
import { type GraphParts, MAX_BYTES, pagesOf, publicReading, sendBody } from './graph/reading.ts';

const MOST = 100;
/** Agents of each member in the list, and of a single member. */
const [FEW_AGENTS, MANY_AGENTS] = [20, 1_000];

const LIST = publicReading({
  operationId: 'listMembers',
  summary: 'List members',
  description: 'Members with at least one listed agent, ordered by slug, each with up to 20 of its agents.',
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of members.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: MOST },
    },
    CURSOR,
  ],
  answers: 'Members, with a cursor if there are more.',
  schema: 'MemberList',
});
const READING = publicReading({
  operationId: 'getMember',
  summary: 'Get a member and its agents',
  parameters: [
    {
      name: 'slug',
      in: 'path',
      required: true,
      description: 'The slug of the member.',
      schema: { type: 'string', pattern: MEMBER_SLUG.source },
      example: 'tidewater',
    },
  ],
  answers: 'The member.',
  schema: 'ShownMember',
});
const ONE = {
  ...READING,
  responses: { ...READING.responses, 404: problemAnswer('No member with this slug has a listed agent.') },
};

/** GET /api/members and /api/members/{slug}. */
export function memberOperations(
  server: FastifyInstance,
  parts: GraphParts & { readonly records: Pick<Records, 'members'> },
): void {
  const { members } = parts.records;
  server.get('/api/members', describedBy(LIST), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['limit', 'cursor'], 'the list of members');
    const limit = limitOf(parameters.get('limit'), MOST, MOST);
    const places = pagesOf(parts, 'members');
    const after = places.after(parameters.get('cursor'));
    const page = { limit: limit + 1, agents: FEW_AGENTS, ...(after !== undefined && { after }) };
    const found = await members.shown(page);
    const shown = withinBytes(found.slice(0, limit).map(memberItem), MAX_BYTES);
    const last = shown.length < found.length ? found[shown.length - 1]?.slug : undefined;
    return sendBody(request, reply, { members: shown, count: shown.length, next_cursor: places.next(last) });
  });
  server.get(
    '/api/members/:slug',
    describedBy(ONE),
    async (request: FastifyRequest<{ Params: { slug: string } }>, reply) => {
      refuseParameters(queryText(request), 'a member');
      const { slug } = request.params;
      if (!MEMBER_SLUG.test(slug))
        throw invalidValue('slug', 'a slug consists of lower case letters, digits and hyphens');
      const [member] = await members.shown({ slug, limit: 1, agents: MANY_AGENTS });
      if (member === undefined)
        throw new HttpProblem('not_found', 'no member with this slug has a listed agent', {
          parameter: 'slug',
        });
      return sendBody(request, reply, memberItem(member));
    },
  );
}

/** In the shape that clients of this protocol read; the id is the slug. */
function memberItem({ agents, isCut, ...card }: ShownMember): object {
  const items = agents.map(({ agent, proven }) => ({ url: agent, proven }));
  const shown = withinBytes(items, MAX_BYTES / 2);
  return {
    id: card.slug,
    ...card,
    agents: shown,
    ...((isCut || shown.length < items.length) && { agents_truncated: true }),
  };
}
