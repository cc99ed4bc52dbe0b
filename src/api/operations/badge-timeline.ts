import type { FastifyInstance } from 'fastify';
import type { ComplianceStore } from '../../records/runs/compliance-store.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { readTimelinePage } from '../history-pages.ts';
import { type AgentRequest, queryText } from '../parameters.ts';
import { readBadgeTimeline } from '../render/badge-timeline.ts';
import { COMPLIANCE_PATH, readCompliance } from './compliance.ts';
import {
  answer,
  CACHE_CONTROL,
  CURSOR,
  describedBy,
  ENCODED_URL,
  ETAG,
  IF_NONE_MATCH,
  limitParameter,
  NOT_MODIFIED,
  problems,
} from './description.ts';

const OPERATION = {
  operationId: 'listBadgeEvents',
  summary: 'Get the badge history of one agent',
  parameters: [ENCODED_URL, limitParameter('events'), CURSOR, IF_NONE_MATCH],
  responses: {
    200: answer(
      'The active badges, and a page of the badge history, newest first. Each event has its reason.',
      'BadgeTimeline',
      {
        ETag: ETAG,
        'Cache-Control': CACHE_CONTROL,
      },
    ),
    304: NOT_MODIFIED,
    ...problems(400, 401, 404, 429, 500, 503),
  },
};

export interface TimelineParts {
  readonly records: { readonly compliance: Pick<ComplianceStore, 'state' | 'badgeEvents'> };
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
}

/** GET …/compliance/badges: the badge history, the same for everyone, the owner too. */
export function badgeTimelineOperation(server: FastifyInstance, { records, baseUrl }: TimelineParts): void {
  const { compliance } = records;
  server.get(`${COMPLIANCE_PATH}/badges`, describedBy(OPERATION), async (request: AgentRequest, reply) => {
    reply.header('cache-control', 'public, no-cache');
    const page = readTimelinePage(queryText(request));
    const { agent, state } = await readCompliance(compliance, request);
    const timeline = await readBadgeTimeline(compliance, { agent, state, baseUrl }, page);
    const body = Buffer.from(JSON.stringify(timeline));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
}
