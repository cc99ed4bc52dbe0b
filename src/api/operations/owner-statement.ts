import type { FastifyInstance } from 'fastify';
import { isObject } from '../../base/json.ts';
import { cleanText, codePoints } from '../../domain/text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { OwnerStore } from '../../records/owners/owner-store.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { invalidKey } from '../callers.ts';
import { keyActor, notOwner, type OwnerRequest, requireOwner } from '../owner-only.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem, invalidValue, unknownAgent } from '../problem.ts';
import { agentReading, describedBy, ownerOperation, problemAnswer, scopedBy } from './description.ts';

const PATH = '/api/registry/agents/:encodedUrl/statement';
/** The longest statement, characters. */
const MAX_STATEMENT = 1_000;
/** More than it takes with each character escaped, bytes. */
const MAX_BODY = 16_384;
const OPERATION = 'the statement of an owner';

const READ = agentReading('getOwnerStatement', 'Get the statement of the owner about test results', {
  answers: 'The statement; the same for every caller.',
  schema: 'OwnerStatement',
});
const BODY = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string', minLength: 1, maxLength: MAX_STATEMENT } },
  examples: [{ text: 'The failing step asks for a currency that we do not sell in.' }],
};
const KEEP = ownerOperation(
  'keepOwnerStatement',
  'Dispute a test result of an agent that you own',
  'OwnerStatement',
  {
    description:
      'Publishes one plain-text statement beside the results, with its date. It replaces the previous statement and does not change the result. Runs of white space become single spaces. Recorded in the audit log.',
    requestBody: { required: true, content: { 'application/json': { schema: BODY } } },
  },
);
const TAKE_BACK = ownerOperation('takeBackOwnerStatement', 'Delete the statement', 'OwnerStatement');

export interface StatementParts {
  readonly records: Pick<Records, 'owners' | 'compliance'>;
  readonly clock: Clock;
}

/** GET, PUT and DELETE …/statement: public to read, and written by the verified owner. */
export function ownerStatementOperations(server: FastifyInstance, parts: StatementParts): void {
  const { owners, compliance } = parts.records;
  server.get(PATH, describedBy(READ), async (request: AgentRequest, reply) => {
    refuseParameters(queryText(request), OPERATION);
    const agent = agentOf(request.params.encodedUrl);
    if ((await compliance.state(agent)) === undefined) throw unknownAgent('encodedUrl');
    const body = Buffer.from(JSON.stringify(await statementAnswer(owners, agent)));
    reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
  const kept = {
    ...KEEP,
    responses: { ...KEEP.responses, 409: problemAnswer('The owner has opted out of tests.') },
  };
  server.put(
    PATH,
    { ...scopedBy('settings', kept), bodyLimit: MAX_BODY },
    async (request: AgentRequest, reply) => {
      const asked = await requireOwner(owners, request, reply, OPERATION);
      await keepStatement(asked, readBody(request.body), parts);
      return reply.type('application/json; charset=utf-8').send(await statementAnswer(owners, asked.agent));
    },
  );
  server.delete(
    PATH,
    { ...scopedBy('settings', TAKE_BACK), bodyLimit: MAX_BODY },
    async (request: AgentRequest, reply) => {
      const asked = await requireOwner(owners, request, reply, OPERATION);
      await keepStatement(asked, null, parts);
      return reply.type('application/json; charset=utf-8').send(await statementAnswer(owners, asked.agent));
    },
  );
}

/** The statement of the owner; times are RFC 3339. */
export async function shownStatement(owners: Pick<OwnerStore, 'statement'>, agent: string) {
  const said = await owners.statement(agent);
  return said && { text: said.text, said_at: new Date(said.statedAt).toISOString() };
}

async function statementAnswer(owners: Pick<OwnerStore, 'statement'>, agent: string) {
  return { agent_url: agent, statement: (await shownStatement(owners, agent)) ?? null };
}

/** Stores the statement of an owner, or deletes it for null. Throws HttpProblems. */
export async function keepStatement(
  { agent, viewer }: OwnerRequest,
  text: string | null,
  { records, clock }: StatementParts,
): Promise<void> {
  const outcome = await records.owners.keepStatement({ agent, text, actor: keyActor(viewer) }, clock.now());
  if (outcome === 'key_revoked') throw invalidKey();
  if (outcome === 'opted_out')
    throw new HttpProblem('opted_out', 'the agent is opted out of tests, so there is no result to dispute');
  if (outcome !== 'stored' && outcome !== 'deleted') throw notOwner();
}

function readBody(body: unknown): string {
  const { text, ...others } = isObject(body) ? body : {};
  if (typeof text === 'string' && Object.keys(others).length === 0) return statementText(text);
  throw new HttpProblem('bad_request', 'send a JSON object with the single field text');
}

/** A statement as one line of plain text. Throws an HttpProblem for an invalid one. */
export function statementText(given: string): string {
  const text = cleanText(given);
  if (text !== '' && codePoints(text) <= MAX_STATEMENT) return text;
  throw invalidValue('text', `a statement of 1 to ${MAX_STATEMENT} characters is expected`);
}
