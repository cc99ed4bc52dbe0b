import type { FastifyInstance } from 'fastify';
import { stableUuid } from '../../../base/stable-uuid.ts';
import type { Change } from '../../../domain/change.ts';
import { type AtomEntry, type AtomFeed, atomText } from '../../../pages/atom.ts';
import { ATOM } from '../../../pages/layout.ts';
import { segmentOf } from '../../../pages/texts.ts';
import type { Records } from '../../../ports/records.ts';
import type { FileVersion } from '../../../records/agents/publishers.ts';
import { entityTag, sendPublic } from '../../answers.ts';
import { readTimelineCursor, timelineCursor } from '../../history-pages.ts';
import { agentOf, namedDomain, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue, unknownAgent } from '../../problem.ts';
import { type ChangeBody, changeList } from '../../render/change-list.ts';
import {
  CACHE_CONTROL,
  CURSOR,
  describedBy,
  ETAG,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problems,
} from '../description.ts';
import { textParameter, timeText } from '../graph/reading.ts';

const ENTRIES = 50;
const optional = { required: false } as const;

const OPERATION = {
  operationId: 'getAtomFeed',
  summary: 'Read changes as an Atom feed',
  description:
    'Atom feed (RFC 4287) of changes to all agents, to one agent, or to the file of one publisher: the latest 50, newest first. Entry ids never change.',
  parameters: [
    textParameter('agent_url', 'Only changes of this agent.', undefined, optional),
    textParameter('domain', 'Only changes of the adagents.json of this publisher.', undefined, optional),
    { ...CURSOR, description: 'Cursor from the `next` link. Not available with `domain`.' },
    IF_NONE_MATCH,
  ],
  responses: {
    200: {
      description: 'Entries, newest first.',
      headers: { ETag: ETAG, 'Cache-Control': CACHE_CONTROL },
      content: { 'application/atom+xml': { schema: { type: 'string' } } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 404, 429, 500, 503),
  },
};

interface AtomParts {
  readonly records: Pick<Records, 'id'> & {
    readonly agents: Pick<Records['agents'], 'lastChanges' | 'saved'>;
    readonly graph: Pick<Records['graph'], 'versions'>;
  };
  /** Without a trailing slash; '' for relative URLs. */
  readonly baseUrl: string;
}

/** GET /api/registry/feed.atom. */
export function atomOperation(server: FastifyInstance, parts: AtomParts): void {
  server.get(ATOM, describedBy(OPERATION), async (request, reply) => {
    const query = queryText(request);
    const parameters = readParameters(query, ['agent_url', 'domain', 'cursor'], 'the feed');
    const [agent, domain] = [parameters.get('agent_url'), parameters.get('domain')];
    const cursor = parameters.get('cursor');
    if (domain !== undefined && (agent ?? cursor) !== undefined)
      throw invalidValue('domain', 'domain cannot be combined with agent_url or cursor');
    const made =
      domain === undefined
        ? await ofAgents(parts, agent && agentOf(agent, 'agent_url'), cursor)
        : await ofPublisher(parts, namedDomain(domain));
    const self = `${parts.baseUrl}${ATOM}${query === '' ? '' : `?${query}`}`;
    const body = Buffer.from(atomText({ ...made, self }));
    reply.header('cache-control', 'public, no-cache');
    const mediaType = 'application/atom+xml; charset=utf-8';
    return sendPublic(request, reply, { body, etag: entityTag(body), mediaType });
  });
}

type Made = Omit<AtomFeed, 'self'>;

async function ofAgents(
  { records, baseUrl }: AtomParts,
  agent: string | undefined,
  cursor: string | undefined,
): Promise<Made> {
  const before = readTimelineCursor(cursor);
  if (cursor !== undefined && before === undefined)
    throw new HttpProblem('invalid_cursor', 'invalid cursor; use the `next` link of the previous page', {
      parameter: 'cursor',
    });
  const asked = { ...(agent !== undefined && { agent }), ...(before !== undefined && { before }) };
  const changes = await records.agents.lastChanges({ ...asked, limit: ENTRIES + 1 });
  if (agent !== undefined && before === undefined && changes.length === 0) throw unknownAgent('agent_url');
  const registry = await records.id();
  const pageOf = (url: string) => `${baseUrl}/agents/${segmentOf(url)}`;
  const shown = changes.slice(0, ENTRIES);
  const { changes: bodies } = changeList(shown, ENTRIES);
  const saved = await records.agents.saved([...new Set(shown.map((one) => one.agent))]);
  const names = new Map(saved.map((one) => [one.agent, one.document?.base.name]));
  const entries = bodies.map((change, place): AtomEntry => {
    const { seq } = shown[place] as Change;
    const texts = entryTexts(change, names.get(change.agent_url));
    const id = idOf(registry, 'change', String(seq));
    return { ...texts, id, updated: change.at, link: pageOf(change.agent_url) };
  });
  const last = shown.at(-1);
  const more = new URLSearchParams(agent === undefined ? [] : [['agent_url', agent]]);
  if (last !== undefined) more.set('cursor', timelineCursor({ id: last.seq }));
  return {
    id: idOf(registry, 'changes', agent ?? ''),
    title: agent === undefined ? 'Changes of the directory' : `Changes of ${agent}`,
    alternate: agent === undefined ? `${baseUrl}/changes` : pageOf(agent),
    entries,
    ...(changes.length > ENTRIES && { next: `${baseUrl}${ATOM}?${more}` }),
  };
}

async function ofPublisher({ records, baseUrl }: AtomParts, domain: string): Promise<Made> {
  const versions = await records.graph.versions(domain, 'adagents', ENTRIES);
  if (versions.length === 0)
    throw new HttpProblem('not_found', 'this domain has never had an adagents.json', { parameter: 'domain' });
  const registry = await records.id();
  const link = `${baseUrl}/publishers/${domain}`;
  const entry = ({ contentHash, agents, properties, seenFrom }: FileVersion): AtomEntry => ({
    id: idOf(registry, `file of ${domain}`, `${seenFrom} ${contentHash}`),
    title: `The adagents.json of ${domain} changed: agents ${agents}, properties ${properties}`,
    ...{ updated: timeText(seenFrom), link },
  });
  return {
    ...{ id: idOf(registry, 'file', domain), title: `The adagents.json of ${domain}`, alternate: link },
    entries: versions.map(entry),
  };
}

/** The same id wherever these records are served. */
function idOf(registry: string, what: string, which: string): string {
  return `urn:uuid:${stableUuid('atom', registry, what, which)}`;
}

const KINDS = { listed: 'was listed', changed: 'changed', delisted: 'was delisted' };
const MAX_NAME = 120;

/** Title and summary of a change. The name of a delisted agent is unknown, or that of its return. */
function entryTexts(
  change: ChangeBody,
  name = change.agent_url,
): { readonly title: string; readonly summary: string } {
  const { kind, agent_url: url, parts } = change;
  const outcome = outcomeOf(change);
  const about = outcome.length > 0 ? outcome : parts;
  return {
    title: `${name.slice(0, MAX_NAME)} ${KINDS[kind]}${about.length === 0 ? '' : `: ${about.join(', ')}`}`,
    summary: [
      `${url} ${KINDS[kind]}.`,
      ...(outcome.length === 0 ? [] : [`Result: ${outcome.join(', ')}.`]),
      ...(parts.length === 0 ? [] : [`Changed: ${parts.join(', ')}.`]),
    ].join(' '),
  };
}

function outcomeOf(change: ChangeBody): readonly string[] {
  const { kind, compliance_status: status, lifecycle_stage: stage } = change;
  const { badges_earned: earned = [], badges_lost: lost = [] } = change;
  // a new agent was never tested
  const isTested = status !== undefined && (status !== 'unknown' || kind !== 'listed');
  return [
    ...(isTested ? [`tests ${status.replace('_', ' ')}`] : []),
    ...earned.map((role) => `verified for ${role}`),
    ...lost.map((role) => `no longer verified for ${role}`),
    ...(stage === undefined ? [] : [`stage ${stage}`]),
  ];
}
