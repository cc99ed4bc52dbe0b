import type { FastifyInstance } from 'fastify';
import type { Records } from '../../ports/records.ts';
import type { AuditEntry } from '../../records/owners/audit.ts';
import type { OwnerStore } from '../../records/owners/owner-store.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { type OwnerRequest, requireOwner } from '../owner-only.ts';
import { type AgentRequest, limitOf } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { CURSOR, ENCODED_URL, limitParameter, ownerOperation, scopedBy } from './description.ts';

const READ = ownerOperation('listAgentAudit', 'Get the audit log of an agent that you own', 'AgentAudit', {
  description:
    'Newest first: changes of settings and credentials, requested test runs and verifications. Entries about other members are left out.',
  parameters: [ENCODED_URL, limitParameter('records'), CURSOR],
});
/** The details that the owner sees; the rest is for the operator. */
const TOLD = ['before', 'after', 'kept', 'run_id', 'trigger', 'role', 'line', 'reason'];
/** Records that are read at once, and how often: those of other members are left out. */
const AT_ONCE = 200;
const MOST_LOOKS = 10;

/** GET …/audit: the audit log of an agent, for the key of its verified owner; everyone else gets the same 404. */
export function agentAuditOperation(
  server: FastifyInstance,
  { records: { owners } }: { readonly records: Pick<Records, 'owners'> },
): void {
  server.get(
    '/api/registry/agents/:encodedUrl/audit',
    scopedBy('read', READ),
    async (request: AgentRequest, reply) => {
      const asked = await requireOwner(owners, request, reply, 'the audit log', ['limit', 'cursor']);
      const limit = limitOf(asked.parameters.get('limit'), 20, 100);
      const page = await agentAudit(owners, asked, { limit, cursor: asked.parameters.get('cursor') });
      const body = Buffer.from(JSON.stringify({ agent_url: asked.agent, ...page }));
      return sendTagged(request, reply, { body, etag: entityTag(body) });
    },
  );
}

/** A page of the audit log of an agent, for its owner, newest first. Throws an HttpProblem for an invalid cursor. */
export async function agentAudit(
  owners: Pick<OwnerStore, 'auditLog'>,
  { agent, owner }: OwnerRequest,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
) {
  const found: AuditEntry[] = [];
  let before = placeOf(cursor);
  let isOver = false;
  for (let look = 0; look < MOST_LOOKS && found.length < limit && !isOver; look += 1) {
    const page = await owners.auditLog({
      ...{ subject: agent, limit: AT_ONCE },
      ...(before !== undefined && { before }),
    });
    isOver = page.length < AT_ONCE;
    before = page.at(-1)?.id ?? before;
    // records without a member are shown from the time of the owner's verification on
    found.push(
      ...page.filter(
        ({ at, details: { member } }) =>
          member === owner.member || (member === undefined && at >= owner.provenAt),
      ),
    );
  }
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1)?.id : before;
  const isWhole = found.length <= limit && isOver;
  return {
    records: shown.map(record),
    next_cursor: isWhole || last === undefined ? null : `a${last}`,
  };
}

function record({ at, actor, action, details }: AuditEntry) {
  const changes = Object.fromEntries(
    TOLD.filter((name) => name in details).map((name) => [name, details[name]]),
  );
  return { at: new Date(at).toISOString(), actor, action, changes };
}

function placeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const id = /^a(\d{1,15})$/.exec(cursor)?.[1];
  if (id !== undefined) return Number(id);
  throw new HttpProblem('invalid_cursor', 'the cursor is invalid; use a next_cursor of this operation', {
    parameter: 'cursor',
  });
}
