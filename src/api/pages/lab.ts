import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { labPage, labReportPage } from '../../pages/lab/lab.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { partyOf } from '../callers.ts';
import { thrownProblem } from '../error-answers.ts';
import type { Lab } from '../operations/lab/exams.ts';
import { shownStatement } from '../operations/owner-statement.ts';
import { queryText, readParameters } from '../parameters.ts';
import { LAB_PATH, labStatus } from '../render/lab-report.ts';
import { type FormFields, takeForms, textField } from './forms.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

/** Larger than any form, bytes. */
const MAX_BODY = 32 * 1_024;
/** The page of a running exam reloads after so many seconds, without a script. */
const RELOAD_S = 3;

interface LabPageParts {
  readonly lab: Lab;
  readonly clock: Clock;
  readonly records: Pick<Records, 'owners'>;
}

/** GET and POST /lab, GET /lab/{id}: the exam of an agent as pages. */
export function labPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { lab, clock, records }: LabPageParts,
): void {
  takeForms(server);
  const { site } = pages;
  const route = {
    ...NO_OPERATION,
    bodyLimit: MAX_BODY,
    errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply) {
      const problem = thrownProblem(error, request);
      if (problem.status === 500) throw error;
      const { location = '', ...headers } = problem.headers;
      const url = request.body instanceof Map ? textField(request.body, 'url') : '';
      const keptId = location.startsWith(`${LAB_PATH}/`) ? location.slice(LAB_PATH.length + 1) : undefined;
      const shown = { url: url.slice(0, 2_000), refused: problem.message.split('; the report is')[0] ?? '' };
      const page = keptPage(site, labPage(site, { ...shown, ...(keptId !== undefined && { keptId }) }));
      reply.code(problem.status).headers(headers).header('cache-control', 'no-store');
      return pages.send(request, reply, page);
    },
  };
  server.get('/lab', route, async (request, reply) => {
    const query = queryText(request).replace(/^url=$/, '');
    const url = readParameters(query, ['url'], 'the lab').get('url') ?? '';
    return pages.send(request, reply, keptPage(site, labPage(site, { url: url.slice(0, 2_000) })));
  });
  server.post('/lab', route, async (request, reply) => {
    const { id } = await lab.begin(partyOf(request), textField(request.body as FormFields, 'url').trim());
    return reply.header('cache-control', 'no-store').redirect(`${site.root}/lab/${id}`, 303);
  });
  server.get('/lab/:id', route, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const report = await lab.find(request.params.id);
    const { id, agent, askedAt, result } = report;
    const statement = await shownStatement(records.owners, agent);
    const status = labStatus(report, clock.now());
    const view = {
      id,
      agent,
      status,
      askedAt: new Date(askedAt).toISOString(),
      ...(result && { result }),
      ...(statement && { statement }),
    };
    if (status === 'running') reply.header('refresh', String(RELOAD_S));
    reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
    return pages.send(request, reply, keptPage(site, labReportPage(pages.siteFor(request), view)));
  });
}
