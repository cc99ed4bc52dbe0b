import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BADGE_ROLES, type BadgeRole } from '../../domain/badge.ts';
import type { ComplianceStore } from '../../ports/compliance.ts';
import { agentOf, refuseParameters } from '../agent-address.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { HttpProblem } from '../problem.ts';
import { queryText } from '../query-text.ts';
import { badgePicture } from '../render/badge-picture.ts';

export interface BadgeParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state'> };
}

type Asked = FastifyRequest<{ Params: { encodedUrl: string; role: string } }>;

/** The picture is no page: opened by itself it may load nothing and run nothing. */
const HEADERS = {
  'cache-control': 'public, max-age=300',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
} as const;

/** GET …/badge/{role}.svg (specification, 2.7): the same picture for everyone, the owner too. */
export function badgeRoute(server: FastifyInstance, { records }: BadgeParts): void {
  server.get('/api/registry/agents/:encodedUrl/badge/:role.svg', async (request: Asked, reply) => {
    refuseParameters(queryText(request), 'a badge');
    const role = roleOf(request.params.role);
    const agent = agentOf(request.params.encodedUrl);
    const state = await records.compliance.state(agent);
    const body = Buffer.from(badgePicture(agent, role, state));
    reply.headers(HEADERS);
    return sendTagged(request, reply, {
      body,
      etag: entityTag(body),
      mediaType: 'image/svg+xml; charset=utf-8',
    });
  });
}

function roleOf(text: string): BadgeRole {
  const role = BADGE_ROLES.find((one) => one === text);
  if (role !== undefined) return role;
  throw new HttpProblem('not_found', 'there are no badges for such a role', {
    parameter: 'role',
    validValues: BADGE_ROLES,
  });
}
