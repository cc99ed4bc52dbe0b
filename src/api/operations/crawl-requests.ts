import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../base/json.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { isRegistrySuffix, registrableDomain } from '../../domain/domain-name.ts';
import type { NewVisit } from '../../domain/source.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AskVisitOutcome, CrawlRequest } from '../../ports/crawl-requests.ts';
import type { Records } from '../../ports/records.ts';
import { partyOf } from '../callers.ts';
import { type AgentRequest, agentOf, namedDomain, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { crawlRequest } from '../render/crawl-request.ts';
import { answer, describedBy, ENCODED_URL, header, linkTo, problemAnswer, problems } from './description.ts';

const PATH = '/api/registry/crawl-request';
/** More than any request can have, bytes. */
const MAX_BODY = 4_096;
/** When to read a request again, seconds. */
const POLL_S = 10;
/** Between the end of a visit and the next one on demand. */
const COOLDOWN_MS = 10 * 60_000;
/** How long a visit may hold the turn of its site, seconds: the defaults of REGISTRY_VISIT_DEADLINE_MS and REGISTRY_PROBE_DEADLINE_MS. */
const VISIT_SECONDS = { domain: 15, agent: 30 };

const ACCEPTED = {
  ...answer('The visit that was asked for.', 'CrawlRequestAccepted', {
    Location: header('The request, to be looked at until it is over.'),
    'Retry-After': header('Seconds until that is worth while.'),
  }),
  ...linkTo('getCrawlRequest', { id: '$response.body#/crawl_request_id' }),
};
const RESPONSES = {
  202: ACCEPTED,
  ...problems(400, 401, 500, 503),
  429: problemAnswer(
    'It was visited less than 10 minutes ago, or too much was asked for; Retry-After says when to come back.',
  ),
};
const DESCRIPTION =
  'It moves the next visit forward; the crawler makes it. While one is open, everybody is given that one. A key allows more.';

function bodyOf(member: string): object {
  const schema = {
    type: 'object',
    required: [member],
    additionalProperties: false,
    properties: { [member]: { type: 'string', maxLength: 253 } },
  };
  return {
    required: true,
    content: { 'application/json': { schema, example: { [member]: 'noticeboard.example' } } },
  };
}

interface DomainAsking {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Names the domain in the body; the last is what the document says. */
  readonly members: readonly [string, ...string[]];
  readonly message: string;
}

const ASKINGS: readonly DomainAsking[] = [
  {
    ...{ path: PATH, operationId: 'requestCrawl', summary: 'Ask for a visit of a domain now' },
    ...{ members: ['domain'], message: 'Crawl request accepted' },
  },
  {
    path: '/api/registry/brand-crawl-request',
    ...{ operationId: 'requestBrandCrawl', summary: 'Ask for a visit of a domain now, for its brand.json' },
    ...{ members: ['domain'], message: 'Brand crawl request accepted' },
  },
  {
    path: '/api/registry/manager-revalidation-request',
    operationId: 'requestManagerRevalidation',
    summary: "Ask for a visit of a manager's domain now; its publishers keep their schedule",
    ...{ members: ['domain', 'manager_domain'], message: 'Manager revalidation request accepted' },
  },
];

const REFRESH = {
  operationId: 'refreshAgent',
  summary: 'Ask for a probe of an agent now',
  description: `${DESCRIPTION} A probe that somebody asked for counts for no badge.`,
  parameters: [ENCODED_URL],
  responses: { ...RESPONSES, 404: problemAnswer('Nobody declares or registers this agent.') },
};
const READ = {
  operationId: 'getCrawlRequest',
  summary: 'See what became of a visit that was asked for',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } }],
  responses: {
    200: answer(
      'The request, and each file or the agent as it is now: last good, last tried, why, next.',
      'CrawlRequestState',
      {},
    ),
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('There is no such request, or it is older than 7 days.'),
  },
};

export interface CrawlRequestParts {
  readonly records: Pick<Records, 'requests'>;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly baseUrl: string;
}

/** POST …/crawl-request for a domain and its two namesakes, POST …/refresh for an agent, and GET …/crawl-request/{id}. */
export function crawlRequestOperations(server: FastifyInstance, parts: CrawlRequestParts): void {
  const { records, clock } = parts;
  for (const { path, members, message, ...texts } of ASKINGS) {
    const body = bodyOf(members.at(-1) ?? 'domain');
    const operation = { ...texts, description: DESCRIPTION, requestBody: body, responses: RESPONSES };
    server.post(path, { ...describedBy(operation), bodyLimit: MAX_BODY }, async (request, reply) => {
      refuseParameters(queryText(request), 'asking for a visit');
      const domain = domainOf(request.body, members);
      const asked = await ask(parts, request, { kind: 'domain', key: domain, foundVia: 'crawl_request' });
      return accepted(reply, asked, { message, ...parts });
    });
  }
  server.post(
    '/api/registry/agents/:encodedUrl/refresh',
    describedBy(REFRESH),
    async (request: AgentRequest, reply) => {
      refuseParameters(queryText(request), 'asking for a probe');
      const agent = agentOf(request.params.encodedUrl);
      const asked = await ask(parts, request, { kind: 'agent', key: agent, foundVia: 'crawl_request' });
      return accepted(reply, asked, { message: 'Agent refresh accepted', ...parts });
    },
  );
  server.get(
    `${PATH}/:id`,
    describedBy(READ),
    async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
      refuseParameters(queryText(request), 'a crawl request');
      const now = clock.now();
      const found = await records.requests.request(request.params.id, now);
      if (found === undefined)
        throw new HttpProblem('not_found', 'there is no such crawl request', { parameter: 'id' });
      return reply.header('cache-control', 'no-store').type(JSON_TYPE).send(crawlRequest(found, now));
    },
  );
}

const JSON_TYPE = 'application/json; charset=utf-8';

function domainOf(body: unknown, members: readonly string[]): string {
  const named = isObject(body) ? Object.keys(body) : [];
  const [name] = named;
  if (!isObject(body) || name === undefined || named.length > 1 || !members.includes(name))
    throw new HttpProblem(
      'bad_request',
      `send a JSON object with the member ${members.at(-1)} and no other; for an agent ask POST /api/registry/agents/{encodedUrl}/refresh`,
    );
  const text = body[name];
  if (typeof text !== 'string' || text.length > 253) throw invalidValue(name, 'a domain name is expected');
  const domain = namedDomain(text, name);
  if (isRegistrySuffix(domain))
    throw invalidValue(name, 'names are registered below this one, which has no site; name the site');
  return domain;
}

async function ask(
  { records: { requests }, clock, budgets }: CrawlRequestParts,
  request: FastifyRequest,
  visit: NewVisit,
): Promise<CrawlRequest> {
  const { kind, key } = visit;
  const wanted = { id: randomUUID(), visit, cooldownMs: COOLDOWN_MS };
  const expected = await requests.mayAsk(wanted, clock.now());
  if (!expected.ok) throw refusedVisit(expected);
  if (!expected.isNew) return expected.request;
  const site = registrableDomain(kind === 'agent' ? new URL(key).hostname : key);
  const use = { party: partyOf(request), site };
  const takeBack = await budgets.spendAll([
    ['crawlRequests', use],
    ['siteSeconds', { ...use, amount: VISIT_SECONDS[kind] }],
    ...(expected.isNewDomain ? ([['newDomains', use]] as const) : []),
  ]);
  const outcome = await requests.ask(wanted, clock.now()).catch(async (error) => {
    await takeBack();
    throw error;
  });
  if (outcome.ok && outcome.isNew) return outcome.request;
  await takeBack(); // somebody else was quicker
  if (!outcome.ok) throw refusedVisit(outcome);
  return outcome.request;
}

function refusedVisit(outcome: Extract<AskVisitOutcome, { ok: false }>): HttpProblem {
  if (outcome.reason === 'unknown_agent')
    return new HttpProblem('unknown_agent', 'nobody declares or registers this agent, so it is not visited', {
      parameter: 'encodedUrl',
    });
  const why =
    outcome.reason === 'visited'
      ? 'it was visited less than 10 minutes ago'
      : 'it asked us to come back later';
  const seconds = Math.ceil(outcome.waitMs / 1_000);
  const headers = { 'retry-after': String(seconds) };
  return new HttpProblem('crawl_cooldown', `${why}; ask again in ${seconds} s`, {}, headers);
}

function accepted(
  reply: FastifyReply,
  request: CrawlRequest,
  { message, baseUrl, clock }: { readonly message: string; readonly baseUrl: string; readonly clock: Clock },
): FastifyReply {
  const { domain, agent_url, status, requested_at } = crawlRequest(request, clock.now());
  return reply
    .code(202)
    .headers({
      location: `${baseUrl}${PATH}/${request.id}`,
      'retry-after': String(POLL_S),
      'cache-control': 'no-store',
    })
    .type(JSON_TYPE)
    .send({
      ...{ message, domain, ...(agent_url !== undefined && { agent_url }) },
      ...{ crawl_request_id: request.id, status, requested_at },
    });
}
