import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import type { NewVisit } from '../../domain/source.ts';
import { type CrawlTarget, crawlPage, crawlRefusedPage } from '../../pages/crawl.ts';
import { withoutWait } from '../../pages/problem.ts';
import { segmentOf } from '../../pages/texts.ts';
import type { Records } from '../../ports/records.ts';
import type { CrawlRequest } from '../../records/sources/crawl-requests.ts';
import { partyOf } from '../callers.ts';
import { thrownProblem } from '../error-answers.ts';
import {
  askForVisit,
  type CrawlRequestParts,
  crawlableDomain,
  NO_REQUEST,
} from '../operations/crawl-requests.ts';
import { agentOf, queryText, readParameters } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { crawlRequest } from '../render/crawl-request.ts';
import { whyText } from '../render/visit-state.ts';
import { type FormFields, takeForms, textField } from './forms.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

const MAX_BODY = 16 * 1_024;
/** Seconds between two looks at a request that is not over, and until its result makes way for the record. */
const REFRESH_S = 3;
const RESULT_S = 4;
const PAGES = ['publishers', 'brands', 'networks'];

interface CrawlPageParts extends Omit<CrawlRequestParts, 'baseUrl'> {
  readonly records: Pick<Records, 'requests' | 'sources' | 'agents' | 'graph' | 'brands'>;
}

/** POST /crawl and GET /crawl/{id}: a crawl request as pages. */
export function crawlPages(server: FastifyInstance, pages: HtmlPages, parts: CrawlPageParts): void {
  takeForms(server);
  const { site } = pages;
  const { records, clock } = parts;
  const route = {
    ...NO_OPERATION,
    bodyLimit: MAX_BODY,
    errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply) {
      const problem = thrownProblem(error, request);
      if (problem.status >= 500 && problem.code !== 'overloaded') throw error;
      const { domain, agent, page } = request.body instanceof Map ? fieldsOf(request.body) : {};
      const seconds = Number(problem.headers['retry-after'] ?? 0);
      const refused = {
        name: agent ?? domain ?? '',
        detail: withoutWait(problem.message),
        ...(seconds > 0 && { from: new Date(clock.now() + seconds * 1_000).toISOString() }),
        ...pathBefore({ domain, agent, page }),
      };
      reply.code(problem.status).headers(problem.headers).header('cache-control', 'no-store');
      return pages.send(request, reply, keptPage(site, crawlRefusedPage(site, refused)));
    },
  };
  server.post('/crawl', route, async (request, reply) => {
    const { domain, agent, page } = fieldsOf(request.body as FormFields);
    const visit: Pick<NewVisit, 'kind' | 'key'> =
      domain === undefined
        ? { kind: 'agent', key: agentOf(agent ?? '', 'agent') }
        : { kind: 'domain', key: crawlableDomain(domain) };
    const { id } = await askForVisit(parts, partyOf(request), { ...visit, foundVia: 'crawl_request' });
    const from = domain === undefined ? {} : { agent, page };
    return reply.header('cache-control', 'no-store').redirect(`${site.root}${progressPath(id, from)}`, 303);
  });
  server.get('/crawl/:id', route, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const { id } = request.params;
    const parameters = readParameters(queryText(request), ['agent', 'page'], 'a crawl request');
    const [agent, page] = [parameters.get('agent'), parameters.get('page')];
    if (page !== undefined && !PAGES.includes(page)) throw invalidValue('page', 'no such page', PAGES);
    const now = clock.now();
    const found = await records.requests.request(id, now);
    if (found === undefined) throw new HttpProblem('not_found', NO_REQUEST, { parameter: 'id' });
    const { status, requested_at: askedAt, visits } = crawlRequest(found, now);
    const isOver = found.state === 'over';
    const recordPath = await recordOf(records, found, { agent, page });
    const [oldest] = isOver ? [] : await records.sources.due(found.kind, 1, now);
    const view = {
      ...{ id, name: found.key, status, askedAt, recordPath, path: progressPath(id, { agent, page }) },
      behindSeconds: oldest === undefined ? 0 : Math.max(0, (now - oldest.dueAt) / 1_000),
      visits: visits.map(({ what, outcome, why }) => {
        const text = why === null ? undefined : whyText(what, why)?.message;
        return { what, outcome, ...(text !== undefined && { why: text }) };
      }),
    };
    reply.header('refresh', isOver ? `${RESULT_S}; url=${site.root}${recordPath}` : String(REFRESH_S));
    reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
    return pages.send(request, reply, keptPage(site, crawlPage(site, view)));
  });
}

type Given = { readonly [Name in keyof CrawlTarget]: string | undefined };

function fieldsOf(fields: FormFields): Given {
  const given = (name: string) => textField(fields, name).trim().slice(0, 2_000) || undefined;
  const page = given('page');
  return {
    ...{ domain: given('domain'), agent: given('agent') },
    page: page !== undefined && PAGES.includes(page) ? page : undefined,
  };
}

/** The page of a request; its parameters lead to the record in the end. */
function progressPath(id: string, { agent, page }: Pick<Given, 'agent' | 'page'>): string {
  const query = [agent && `agent=${segmentOf(agent)}`, page && `page=${page}`].filter((one) => one);
  return `/crawl/${encodeURIComponent(id)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Where the record is: of the agent if it is known, else of the file that the domain publishes. */
async function recordOf(
  { agents, graph, brands }: CrawlPageParts['records'],
  { kind, key }: Pick<CrawlRequest, 'kind' | 'key'>,
  { agent, page }: Pick<Given, 'agent' | 'page'>,
): Promise<string> {
  if (kind === 'agent') return `/agents/${segmentOf(key)}`;
  const parsed = agent === undefined ? undefined : parseAgentUrl(agent);
  if (parsed?.ok && (await agents.facts([parsed.url])).length > 0) return `/agents/${segmentOf(parsed.url)}`;
  return `/${page ?? (await kindOfDomain({ graph, brands }, key))}/${encodeURIComponent(key)}`;
}

/** The page that shows most of a domain: its publisher's, unless only a brand.json is known. */
export async function kindOfDomain(
  { graph, brands }: Pick<Records, 'graph' | 'brands'>,
  domain: string,
): Promise<'publishers' | 'brands'> {
  const [[publisher], [brand]] = await Promise.all([
    graph.publishersAmong([domain]),
    brands.files([domain], 0),
  ]);
  return publisher?.isValid !== true && brand !== undefined ? 'brands' : 'publishers';
}

/** The page that contains the form. */
function pathBefore({ domain, agent, page }: Given): { readonly recordPath?: string } {
  const parsed = parseDomain(domain ?? '');
  if (agent !== undefined) return { recordPath: `/agents/${segmentOf(agent)}` };
  return parsed.ok ? { recordPath: `/${page ?? 'publishers'}/${parsed.domain}` } : {};
}
