import type { FastifyInstance, FastifyReply } from 'fastify';
import { badgeTexts, shownBadge } from '../../domain/badge.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { publicAddress } from '../public-address.ts';
import { verifiedBadges } from '../render/compliance-detail.ts';
import {
  BADGE_PATH,
  type BadgeRequest,
  badgeOf,
  KEPT_HEADERS,
  LINE_IN_PATH,
  ROLE,
  sendBadge,
} from './badge-request.ts';
import {
  answer,
  describedBy,
  ENCODED_URL,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';

const EMBED = {
  operationId: 'getAgentBadgeEmbed',
  summary: 'Get the embed code of a badge',
  description:
    'HTML and Markdown that show the badge of one agent for a role and link to its page. The image says "not verified" if there is no active badge.',
  parameters: [ENCODED_URL, ROLE, IF_NONE_MATCH],
  responses: {
    200: answer('The embed code and the URL of the image.', 'BadgeEmbed', KEPT_HEADERS),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('Unknown role.'),
  },
};
const EMBED_OF_LINE = {
  ...EMBED,
  operationId: 'getAgentBadgeOfLineEmbed',
  summary: 'Get the embed code of a badge of one protocol line',
  parameters: [ENCODED_URL, ROLE, LINE_IN_PATH, IF_NONE_MATCH],
};
const VERIFICATION = {
  operationId: 'getAgentVerification',
  summary: 'Get the active badges of one agent',
  parameters: [ENCODED_URL, IF_NONE_MATCH],
  responses: {
    200: answer(
      'The active badges. Empty for an agent without badges, one that opted out and an unknown one.',
      'AgentVerification',
      KEPT_HEADERS,
    ),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

interface EmbedParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state'> };
  /** Without a trailing slash; empty: unknown. */
  readonly baseUrl: string;
}

/** GET …/verification, and …/badge/{role}/embed with or without a protocol line: the same for everyone, the owner too. */
export function badgeEmbedOperations(
  server: FastifyInstance,
  { records: { compliance }, baseUrl }: EmbedParts,
): void {
  server.get(
    '/api/registry/agents/:encodedUrl/verification',
    describedBy(VERIFICATION),
    async (request: AgentRequest, reply) => {
      refuseParameters(queryText(request), 'the verification operation');
      const agent = agentOf(request.params.encodedUrl);
      const state = await compliance.state(agent);
      const held = state === undefined || state.settings.optedOut ? [] : state.badges;
      const badges = verifiedBadges(agent, held, baseUrl);
      const body = {
        agent_url: agent,
        verified: badges.length > 0,
        badges: badges.map((badge) => ({
          adcp_version: badge.verified_protocol_version,
          ...badge,
        })),
        registry_url: aboutAgent(baseUrl, agent),
      };
      return sendBadge(request, reply, JSON.stringify(body), 'application/json; charset=utf-8');
    },
  );
  const send = async (request: BadgeRequest, reply: FastifyReply) => {
    refuseParameters(queryText(request), 'the embedding of a badge');
    const { agent, ...choice } = badgeOf(request);
    const badge = shownBadge(await compliance.state(agent), choice);
    const { role } = choice;
    // other sites embed them, so they need absolute URLs
    const here = publicAddress(request, baseUrl);
    const { picture, html, markdown } = badgeTexts(here, { agent: inText(agent), ...choice });
    const body = {
      agent_url: agent,
      role,
      verified: badge !== undefined,
      ...(badge !== undefined && { adcp_version: badge.line }),
      badge_svg_url: picture,
      registry_url: aboutAgent(here, agent),
      html,
      markdown,
    };
    return sendBadge(request, reply, JSON.stringify(body), 'application/json; charset=utf-8');
  };
  server.get(`${BADGE_PATH}/:role/embed`, describedBy(EMBED), send);
  server.get(`${BADGE_PATH}/:role/:version/embed`, describedBy(EMBED_OF_LINE), send);
}

function aboutAgent(baseUrl: string, agent: string): string {
  return `${baseUrl}/api/registry/agents/${inText(agent)}/verification`;
}

/** As one path segment that is safe in an HTML attribute and a Markdown link: quotes and brackets are escaped too. */
function inText(agent: string): string {
  return encodeURIComponent(agent).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
