import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../base/event-loop.ts';
import { defined } from '../../base/json.ts';
import { withinBytes } from '../../base/json-bytes.ts';
import type { Contact } from '../../domain/agent-facts.ts';
import type { Records } from '../../ports/records.ts';
import type { RegisteredAgent } from '../../records/owners/registrations.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { requireMemberKey } from '../owner-only.ts';
import { limitOf, queryText, readParameters } from '../parameters.ts';
import { invalidValue } from '../problem.ts';
import { answer, CACHE_CONTROL, CURSOR, header, MEMBER_REFUSALS, scopedBy } from './description.ts';
import { type GraphParts, MAX_BYTES, pagesOf } from './graph/reading.ts';

const MOST = 100;
/** Documents that are read at once: one may have 256 KiB. */
const READ_AT_ONCE = 10;

/** Some clients of this protocol name the member. */
export const ORG = {
  name: 'org',
  in: 'query',
  description: 'The member of the API key; any other is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 63 },
};
const OPERATION = {
  operationId: 'listMyAgents',
  summary: 'List the agents of your member',
  security: [{ apiKey: [] }],
  parameters: [
    ORG,
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of agents.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: MOST },
    },
    { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
  ],
  responses: {
    200: answer('Ordered by URL, with a cursor if there are more.', 'MyAgents', {
      'Cache-Control': CACHE_CONTROL,
      Vary: header('Authorization.'),
    }),
    ...MEMBER_REFUSALS,
  },
};

export interface MyAgentsParts extends GraphParts {
  readonly records: GraphParts['records'] & Pick<Records, 'owners' | 'agents' | 'members' | 'compliance'>;
}

/** GET /api/me/agents, for a member's key. */
export function myAgentsOperation(server: FastifyInstance, parts: MyAgentsParts): void {
  server.get('/api/me/agents', scopedBy('read', OPERATION), async (request, reply) => {
    const { member } = requireMemberKey(request, reply);
    const parameters = readParameters(
      queryText(request),
      ['org', 'limit', 'cursor'],
      'the list of your agents',
    );
    refuseOtherMember(parameters.get('org'), member);
    const limit = limitOf(parameters.get('limit'), MOST, MOST);
    const page = await agentsOfMember(parts, member, { limit, cursor: parameters.get('cursor') });
    const { agents, next_cursor } = page;
    const body = Buffer.from(JSON.stringify({ agents, count: agents.length, next_cursor }));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
}

/** Clients may name the member; a key belongs to one. Throws an HttpProblem for another one. */
export function refuseOtherMember(org: string | undefined, member: string): void {
  if ((org ?? member) === member) return;
  throw invalidValue('org', 'the API key belongs to another member', [member]);
}

/** A page of the agents of a member. Throws HttpProblems for an invalid cursor. */
export async function agentsOfMember(
  parts: MyAgentsParts,
  member: string,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<{ readonly agents: readonly MyAgent[]; readonly next_cursor: string | null }> {
  const { owners, agents } = parts.records;
  const places = pagesOf(parts, `agents of ${member}`);
  const after = places.after(cursor);
  const known = await owners.registered({
    member,
    limit: limit + 1,
    ...(after !== undefined && { after }),
  });
  const rows: MyAgent[] = [];
  for (let at = 0; at < Math.min(known.length, limit); at += READ_AT_ONCE) {
    rows.push(...(await shownAgents(known.slice(at, Math.min(at + READ_AT_ONCE, limit)), agents)));
    await yieldToEventLoop();
  }
  const page = withinBytes(rows, MAX_BYTES);
  const last = page.length < known.length ? known[page.length - 1]?.agent : undefined;
  return { agents: page, next_cursor: places.next(last) ?? null };
}

export interface MyAgent {
  readonly url: string;
  readonly visibility: 'private' | 'public';
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: Contact;
  readonly proven: boolean;
  readonly pending: boolean;
  readonly proof_asked_again: boolean;
}

/** With the published type and name; with those that the member entered where nothing is published yet, or where it is the verified owner. */
export async function shownAgents(
  registered: readonly RegisteredAgent[],
  agents: Pick<Records['agents'], 'saved'>,
): Promise<readonly MyAgent[]> {
  const saved = await agents.saved(registered.map(({ agent }) => agent));
  const documents = new Map(saved.map(({ agent, document }) => [agent, document]));
  return registered.map(({ agent, provenAt, askedAgainAt, isPending = false, details }) => {
    const base = isPending ? undefined : documents.get(agent)?.base;
    const owner = provenAt === undefined ? {} : details; // its details are authoritative, and are shown before the document is stitched
    return {
      url: agent,
      visibility: base === undefined ? 'private' : 'public',
      type: owner.type ?? base?.type ?? details.type ?? 'unknown',
      ...defined({
        name: owner.name ?? base?.name ?? details.name,
        description: details.description,
        contact: details.contact,
      }),
      proven: provenAt !== undefined,
      pending: isPending,
      proof_asked_again: askedAgainAt !== undefined,
    };
  });
}
