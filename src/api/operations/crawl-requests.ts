import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../base/json.ts';
import type { Budgets, Party } from '../../budgets/budgets.ts';
import { isRegistrySuffix, registrableDomain } from '../../domain/domain-name.ts';
import type { NewVisit } from '../../domain/source.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { AskVisitOutcome, CrawlRequest } from '../../records/sources/crawl-requests.ts';
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
export const COOLDOWN_MS = 10 * 60_000;
/** How long a visit may hold the turn of its site, seconds: the defaults of REGISTRY_VISIT_DEADLINE_MS and REGISTRY_PROBE_DEADLINE_MS. */
const VISIT_SECONDS = { domain: 15, agent: 30 };

const ACCEPTED = {
  ...answer('The crawl request.', 'CrawlRequestAccepted', {
    Location: header('URL of the crawl request. Poll it until `completed_at` is set.'),
    'Retry-After': header('Seconds to wait before polling.'),
  }),
  ...linkTo('getCrawlRequest', { id: '$response.body#/crawl_request_id' }),
};
const RESPONSES = {
  202: ACCEPTED,
  ...problems(400, 401, 500, 503),
  429: problemAnswer(
    'The last visit ended less than 10 minutes ago, or a budget is used up. Retry-After has the number of seconds to wait.',
  ),
};
const DESCRIPTION =
  'Schedules the next visit earlier; the crawler makes it. While a request is open, all callers get the same one. Callers with an API key have larger budgets.';

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
  /** Fields that may name the domain in the body; the last one is documented. */
  readonly members: readonly [string, ...string[]];
  readonly message: string;
}

const ASKINGS: readonly DomainAsking[] = [
  {
    ...{ path: PATH, operationId: 'requestCrawl', summary: 'Request a crawl of a domain' },
    ...{ members: ['domain'], message: 'Crawl request accepted' },
  },
  {
    path: '/api/registry/brand-crawl-request',
    ...{ operationId: 'requestBrandCrawl', summary: 'Request a crawl of a domain for its brand.json' },
    ...{ members: ['domain'], message: 'Brand crawl request accepted' },
  },
  {
    path: '/api/registry/manager-revalidation-request',
    operationId: 'requestManagerRevalidation',
    summary: "Request a crawl of a manager's domain; its publishers keep their schedule",
    ...{ members: ['domain', 'manager_domain'], message: 'Manager revalidation request accepted' },
  },
];

const REFRESH = {
  operationId: 'refreshAgent',
  summary: 'Request a probe of an agent',
  description: `${DESCRIPTION} A requested probe does not count for badges.`,
  parameters: [ENCODED_URL],
  responses: { ...RESPONSES, 404: problemAnswer('No file declares this agent and no member registered it.') },
};
const READ = {
  operationId: 'getCrawlRequest',
  summary: 'Get the state of a crawl request',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } }],
  responses: {
    200: answer(
      'The request, and the current state of each file or of the agent: last success, last try, error code, next visit.',
      'CrawlRequestState',
      {},
    ),
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('No crawl request with this id in the last 7 days.'),
  },
};

export interface CrawlRequestParts {
  readonly records: Pick<Records, 'requests'>;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly baseUrl: string;
}

type AskParts = Omit<CrawlRequestParts, 'baseUrl'>;

/** POST …/crawl-request for a domain and its two namesakes, POST …/refresh for an agent, and GET …/crawl-request/{id}. */
export function crawlRequestOperations(server: FastifyInstance, parts: CrawlRequestParts): void {
  const { records, clock } = parts;
  for (const { path, members, message, ...texts } of ASKINGS) {
    const body = bodyOf(members.at(-1) ?? 'domain');
    const operation = { ...texts, description: DESCRIPTION, requestBody: body, responses: RESPONSES };
    server.post(path, { ...describedBy(operation), bodyLimit: MAX_BODY }, async (request, reply) => {
      refuseParameters(queryText(request), 'a crawl request');
      const domain = domainOf(request.body, members);
      const asked = await askForVisit(parts, partyOf(request), {
        kind: 'domain',
        key: domain,
        foundVia: 'crawl_request',
      });
      return accepted(reply, asked, { message, ...parts });
    });
  }
  server.post(
    '/api/registry/agents/:encodedUrl/refresh',
    describedBy(REFRESH),
    async (request: AgentRequest, reply) => {
      refuseParameters(queryText(request), 'a refresh request');
      const agent = agentOf(request.params.encodedUrl);
      const asked = await askForVisit(parts, partyOf(request), {
        kind: 'agent',
        key: agent,
        foundVia: 'crawl_request',
      });
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
      if (found === undefined) throw new HttpProblem('not_found', NO_REQUEST, { parameter: 'id' });
      return reply.header('cache-control', 'no-store').type(JSON_TYPE).send(crawlRequest(found, now));
    },
  );
}

const JSON_TYPE = 'application/json; charset=utf-8';
export const NO_REQUEST = 'no crawl request with this id in the last 7 days';

function domainOf(body: unknown, members: readonly string[]): string {
  const named = isObject(body) ? Object.keys(body) : [];
  const [name] = named;
  if (!isObject(body) || name === undefined || named.length > 1 || !members.includes(name))
    throw new HttpProblem(
      'bad_request',
      `send a JSON object with the field ${members.at(-1)} and no other; for an agent use POST /api/registry/agents/{encodedUrl}/refresh`,
    );
  const text = body[name];
  if (typeof text !== 'string' || text.length > 253) throw invalidValue(name, 'a domain name is expected');
  return crawlableDomain(text, name);
}

/** The domain that is named, if it can have a site. Throws HttpProblems. */
export function crawlableDomain(text: string, parameter = 'domain'): string {
  const domain = namedDomain(text, parameter);
  if (isRegistrySuffix(domain))
    throw invalidValue(parameter, 'this is a public suffix, which has no site; name a domain below it');
  return domain;
}

/** Requests a visit within the budgets of its caller, or returns the request that is open. Throws HttpProblems and BudgetExceeded. */
export async function askForVisit(
  { records: { requests }, clock, budgets }: AskParts,
  party: Party,
  visit: NewVisit,
): Promise<CrawlRequest> {
  const { kind, key } = visit;
  const wanted = { id: randomUUID(), visit, cooldownMs: COOLDOWN_MS };
  const expected = await requests.mayAsk(wanted, clock.now());
  if (!expected.ok) throw refusedVisit(expected);
  if (!expected.isNew) return expected.request;
  const site = registrableDomain(kind === 'agent' ? new URL(key).hostname : key);
  const use = { party, site };
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
  await takeBack(); // another caller was faster
  if (!outcome.ok) throw refusedVisit(outcome);
  return outcome.request;
}

function refusedVisit(outcome: Extract<AskVisitOutcome, { ok: false }>): HttpProblem {
  if (outcome.reason === 'unknown_agent')
    return new HttpProblem(
      'unknown_agent',
      'no file declares this agent and no member registered it, so it is not probed; request a crawl of its domain',
      {
        parameter: 'encodedUrl',
      },
    );
  const why =
    outcome.reason === 'visited'
      ? 'the last visit ended less than 10 minutes ago'
      : 'the site asked for a pause';
  const seconds = Math.ceil(outcome.waitMs / 1_000);
  const headers = { 'retry-after': String(seconds) };
  return new HttpProblem('crawl_cooldown', `${why}; try again in ${seconds} s`, {}, headers);
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
