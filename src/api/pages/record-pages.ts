import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { encodingFor } from '../answers.ts';
import { createBodyCache, dataVersion, type RenderedBody } from '../list-cache.ts';
import { queryText, searchParams } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { type HtmlPages, NO_OPERATION } from './html-pages.ts';
import type { MadePage } from './made-page.ts';
import type { MakePage, PageOrder } from './page-makers.ts';
import { ENTRY_FILTERS } from './publishers.ts';

/** Each path with its page, and the parameters that the page reads. */
const PAGES: Readonly<Record<string, readonly [PageOrder['kind'], readonly string[]]>> = {
  '/agents/*': ['agent', []],
  '/agents/:encodedUrl/publishers': ['agentPublishers', ['search', 'status', 'cursor']],
  '/publishers': ['publishers', ['search', 'sort', 'cursor', 'domain']],
  '/publishers/:domain': ['publisher', [...ENTRY_FILTERS, 'revision']],
  '/look-up': ['lookUp', ['q']],
  '/brands': ['brands', ['search', 'cursor']],
  '/brands/:domain': ['brand', ['revision']],
  '/networks/:domain': ['network', ['show', 'search', 'cursor']],
};

export interface RecordPagesParts {
  readonly records: Pick<Records, 'version'>;
  readonly index: Pick<AgentIndex, 'version'>;
  readonly clock: Clock;
  readonly make: MakePage;
}

type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Every page that is made of the records. Returns the handler of the page `/`, a path that also answers programs. */
export function recordPages(server: FastifyInstance, pages: HtmlPages, parts: RecordPagesParts): SendPage {
  const made = keepMade(parts);
  const send = async (request: FastifyRequest, reply: FastifyReply, asked: Omit<PageOrder, 'origin'>) => {
    const encoding = encodingFor(request);
    const { origin } = pages.siteFor(request);
    const page = await made({ ...asked, origin, ...(encoding && { encoding }) });
    if ('location' in page) return reply.redirect(page.location, page.status);
    return pages.send(request, reply.code(page.status), page);
  };
  for (const [path, [kind, names]] of Object.entries(PAGES))
    server.get(path, NO_OPERATION, async (request, reply) => {
      const [of = ''] = Object.values(request.params as Readonly<Record<string, string>>);
      return send(request, reply, { kind, of, query: String(askedOf(request, names)) });
    });
  // the prefix of every agent page
  for (const path of ['/agents', '/agents/'])
    server.get(path, NO_OPERATION, async (_request, reply) => reply.redirect(`${pages.site.root}/`, 302));
  return (request, reply) => send(request, reply, { kind: 'directory', of: '', query: queryText(request) });
}

/** Characters of all parameters but the cursor, which are in each link of a page. */
const MAX_ASKED = 1_500;

/** The parameters of a page; empty fields of a form are ignored. Throws HttpProblems. */
function askedOf(request: FastifyRequest, names: readonly string[]): URLSearchParams {
  const given = [...searchParams(queryText(request))];
  const asked = new URLSearchParams(given.filter(([name, value]) => value !== '' && names.includes(name)));
  const rest = new URLSearchParams([...asked].filter(([name]) => name !== 'cursor'));
  if (String(rest).length > MAX_ASKED)
    throw new HttpProblem('value_too_long', `the parameters of a page have at most ${MAX_ASKED} characters`);
  return asked;
}

const CACHE_BYTES = 32 * 1_024 * 1_024;
/** Changes that depend on the clock alone, such as staleness, may be this late, milliseconds. */
const KEPT_MS = 10_000;

/** Caches pages like lists, until the data change. A 404 is not cached. */
function keepMade({ records, index, clock, make }: RecordPagesParts): MakePage {
  const cache = createBodyCache<MadePage & RenderedBody>(CACHE_BYTES);
  return async (order) => {
    const { kind, of, query, origin } = order;
    const name = `${origin} ${kind} ${of} ${query}`;
    const now = clock.now();
    // read before the data: a change in between makes the page again the next time
    const version = await dataVersion({ records, index });
    const kept = cache.get(name, version, now);
    if (kept !== undefined) return kept;
    const made = await make(order);
    if (made.status === 200 && 'body' in made)
      cache.set(name, version, { ...made, validUntil: now + KEPT_MS });
    return made;
  };
}
