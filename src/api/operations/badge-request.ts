import type { FastifyReply, FastifyRequest } from 'fastify';
import { BADGE_ROLES, type BadgeRole, lineOf } from '../../domain/badge.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { agentOf } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { ETAG, header } from './description.ts';

export const BADGE_PATH = '/api/registry/agents/:encodedUrl/badge';

export const ROLE = {
  name: 'role',
  in: 'path',
  required: true,
  schema: { type: 'string', enum: BADGE_ROLES },
  example: 'media-buy',
};
export const KEPT_HEADERS = {
  ETag: ETAG,
  'Cache-Control': header('public, max-age=300'),
};

const MAX_LABEL = 64;
const LINE = {
  type: 'string',
  maxLength: MAX_LABEL,
  pattern: '^v?\\d+\\.\\d+(\\.\\d+)?(-[0-9A-Za-z.-]+)?$',
};
const LINE_TEXT = 'The protocol line, or a version of it, such as `3.1-beta`.';
export const LINE_IN_PATH = {
  name: 'version',
  in: 'path',
  required: true,
  description: LINE_TEXT,
  schema: LINE,
  example: '3.0',
};
/** The same as a parameter of the query, which can be left out. */
export const LINE_IN_QUERY = {
  name: 'line',
  in: 'query',
  description: `${LINE_TEXT} Default: the newest line with a badge.`,
  schema: LINE,
  example: '3.0',
};

/** A request about the badge of an agent for a role, of one protocol line or of the newest. */
export type BadgeRequest = FastifyRequest<{ Params: { encodedUrl: string; role: string; version?: string } }>;

interface AskedBadge {
  readonly agent: string;
  readonly role: BadgeRole;
  readonly line?: string;
}

/** The badge that a request is about. Throws HttpProblems. */
export function badgeOf({ params }: BadgeRequest): AskedBadge {
  const role = BADGE_ROLES.find((one) => one === params.role);
  if (role === undefined)
    throw new HttpProblem('not_found', 'unknown badge role', {
      parameter: 'role',
      validValues: BADGE_ROLES,
    });
  const agent = agentOf(params.encodedUrl);
  return params.version === undefined
    ? { agent, role }
    : { agent, role, line: protocolLine(params.version, 'version') };
}

/** The protocol line of a version label: `3.0` for `3.0` and `3.0.0-rc.1`. Throws an HttpProblem for other text. */
export function protocolLine(label: string, parameter: string): string {
  const line = label.length > MAX_LABEL ? undefined : lineOf(label);
  if (line !== undefined) return line;
  throw invalidValue(parameter, 'a protocol line such as 3.0 is expected');
}

/** Caches may keep it for five minutes, so a revoked badge may be shown for that long. */
export function sendBadge(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  mediaType: string,
): FastifyReply {
  const body = Buffer.from(text);
  reply.header('cache-control', 'public, max-age=300');
  return sendTagged(request, reply, { body, etag: entityTag(body), mediaType });
}
