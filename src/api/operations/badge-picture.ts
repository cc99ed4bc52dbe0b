import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Badge, type BadgeChoice, shownBadge } from '../../domain/badge.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import { queryText, refuseParameters } from '../parameters.ts';
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
  describedBy,
  ENCODED_URL,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';

const PICTURE = {
  operationId: 'getAgentBadge',
  summary: 'Get a badge as an SVG image',
  parameters: [ENCODED_URL, ROLE, IF_NONE_MATCH],
  responses: {
    200: {
      description:
        'The badge. It says "not verified" for an agent without this badge, one that opted out and an unknown one.',
      headers: KEPT_HEADERS,
      content: { 'image/svg+xml': { schema: { type: 'string' } } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('Unknown role.'),
  },
};

const VERSIONED = {
  ...PICTURE,
  operationId: 'getAgentBadgeOfLine',
  summary: 'Get a badge of one protocol line as an SVG image',
  parameters: [ENCODED_URL, ROLE, LINE_IN_PATH, IF_NONE_MATCH],
};

/** The image must not load or run anything when it is opened as a page. */
const NO_PAGE = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" } as const;

/** GET …/badge/{role}.svg (specification, 2.7), and of one protocol line: the same for everyone, the owner too. */
export function badgePictureOperation(
  server: FastifyInstance,
  { records: { compliance } }: { readonly records: { readonly compliance: Pick<ComplianceStore, 'state'> } },
): void {
  const send = async (request: BadgeRequest, reply: FastifyReply) => {
    refuseParameters(queryText(request), 'a badge');
    const { agent, ...choice } = badgeOf(request);
    const picture = badgePicture(agent, choice, await compliance.state(agent));
    reply.headers(NO_PAGE);
    return sendBadge(request, reply, picture, 'image/svg+xml; charset=utf-8');
  };
  server.get(`${BADGE_PATH}/:role.svg`, describedBy(PICTURE), send);
  server.get(`${BADGE_PATH}/:role/:version.svg`, describedBy(VERSIONED), send);
}

/** The text of an image: a short one that is drawn, and a sentence for screen readers. */
interface Words {
  readonly text: string;
  readonly description: string;
  readonly colour: string;
}

// White text on either has a contrast of more than 4.5 to 1 (WCAG 2.2, 1.4.3).
const GREEN = '#1a7f37';
const GREY = '#57606a';

const NOT_VERIFIED: Words = {
  text: 'not verified',
  description: 'This agent has no active badge for this role.',
  colour: GREY,
};

/**
 * The badge of an agent for a role as an SVG document; of several lines the newest. A badge in its grace period looks like
 * any other (specification, 2.7). An agent without an active badge, one that opted out and an unknown one (`undefined`)
 * get the same image, byte for byte.
 */
export function badgePicture(
  agentUrl: string,
  choice: BadgeChoice,
  state: ComplianceState | undefined,
): string {
  const badge = shownBadge(state, choice);
  return drawn(badge === undefined ? NOT_VERIFIED : wordsOf(agentUrl, badge));
}

function wordsOf(agentUrl: string, { role, line, axes, specialisms, verifiedAt }: Badge): Words {
  const date = new Date(verifiedAt).toISOString().slice(0, 10);
  return {
    text: `${role} ${line} · ${axes.join(', ')}`,
    description: `${agentUrl} is verified for ${role}, version ${line}, since ${date}: ${specialisms.join(', ')}.`,
    colour: GREEN,
  };
}

/** Always 320 by 24 pixels, so that a page does not shift when the image loads. */
function drawn({ text, description, colour }: Words): string {
  const title = escaped(text);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="24" viewBox="0 0 320 24" role="img" aria-labelledby="badge-title badge-text">
<title id="badge-title">${title}</title>
<desc id="badge-text">${escaped(description)}</desc>
<rect width="320" height="24" rx="4" fill="${colour}"/>
<path d="M4 0h106v24H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#24292f"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle" aria-hidden="true">
<text x="55" y="16">Agent Registry</text>
<text x="215" y="16">${title}</text>
</g>
</svg>
`;
}

/** Escaped for XML; characters that XML 1.0 does not allow (section 2.2) become replacement characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
