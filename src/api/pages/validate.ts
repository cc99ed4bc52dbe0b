import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { defined } from '../../base/json.ts';
import type { Party } from '../../budgets/budgets.ts';
import { verdictInWords } from '../../discovery/check/summary-words.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { MOST_SENT, validatePage } from '../../pages/validate/validate.ts';
import { partyOf } from '../callers.ts';
import { hostIn } from '../domains-near.ts';
import { thrownProblem } from '../error-answers.ts';
import type { BoundedChecks, KeptReport } from '../operations/validation/bounded-checks.ts';
import { MAX_FILE_BODY, offeredChecks } from '../operations/validation/validate.ts';
import { namedDomain, queryText, readParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { type FormFields, takeForms, textField } from './forms.ts';
import { fittingPage, type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';

/** Two files of a domain are fetched, one after the other. */
const HANDLER_MS = 20_000;
/** A longer text is not shown in the editor again. */
const MAX_SHOWN_TEXT = 24 * 1_024;
/** More than any name of a domain has. */
const MAX_SHOWN_NAME = 300;
const MOST_ITEMS = 64;
const FIELDS = ['text', 'file', 'for', 'answer'];

/** Messages of problems that differ between a form and JSON. */
const WORDS: Readonly<Record<string, string>> = {
  body_too_large: `a request may have at most ${MOST_SENT}`,
  unsupported_media_type: 'the form has an unsupported media type; use multipart/form-data',
};

/** What the form shows again. */
interface Asked {
  readonly domain?: string;
  readonly publisher?: string;
  readonly text?: string;
}

/** GET and POST /validate: the validation operations as a page. Nothing that is sent is stored. */
export function validatePages(
  server: FastifyInstance,
  pages: HtmlPages,
  { checks }: { readonly checks?: BoundedChecks },
): void {
  takeForms(server);

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked,
    found?: KeptReport,
  ): Promise<FastifyReply> {
    const { domain } = asked;
    const { text = asked.text } = found?.report ?? {};
    // an edited copy of a published file is validated for its domain
    const publisher = asked.publisher ?? domain;
    const shown = shownAgain({ ...asked, ...defined({ text, publisher }) });
    const site = pages.siteFor(request);
    const page = fittingPage(site, MOST_ITEMS, (most) => {
      const view = found && { ...viewOf(found), ...(domain !== undefined && { domain }), most };
      return validatePage(site, shown, view);
    });
    reply.header('cache-control', 'no-store');
    return pages.send(request, reply, page);
  }

  const route = {
    ...NO_OPERATION,
    handlerTimeout: HANDLER_MS,
    bodyLimit: MAX_FILE_BODY,
    errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply) {
      const problem = thrownProblem(error, request);
      if (problem.status >= 500 && problem.status !== 501 && problem.status !== 503) throw error;
      const refused = WORDS[problem.code] ?? problem.message;
      const site = pages.siteFor(request);
      const page = keptPage(site, validatePage(site, { ...shownAgain(askedAgain(request)), refused }));
      reply.code(problem.status).headers(problem.headers).header('cache-control', 'no-store');
      return pages.send(request, reply, page);
    },
  };

  server.get('/validate', route, async (request, reply) => {
    const filled = filledIn(queryText(request));
    const site = pages.siteFor(request);
    if (filled === '') return pages.send(request, reply, keptPage(site, validatePage(site, {})));
    const domain = domainIn(readParameters(filled, ['domain'], 'the validator').get('domain') ?? '');
    return send(request, reply, { domain }, await checkDomain(checks, partyOf(request), domain));
  });

  server.post('/validate', route, async (request, reply) => {
    const { publisher, given, text, wantsFile } = readQuestion(request.body as FormFields);
    const question = { text: given, withLines: true, ...(publisher !== undefined && { domain: publisher }) };
    const found = await offeredChecks(checks).ask(partyOf(request), {
      ...question,
      ...(wantsFile && { fixedBytes: MAX_FILE_BODY * 2 }),
    });
    const { fixed, kind } = found.report;
    const asked = { text, ...(publisher !== undefined && { publisher }) };
    if (!wantsFile || fixed === undefined) return send(request, reply, asked, found);
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${kind}.json"`)
      .type('application/json; charset=utf-8')
      .send(fixed);
  });
}

/** The adagents.json of a domain; where there is none, its brand.json. */
async function checkDomain(
  checks: BoundedChecks | undefined,
  party: Party,
  domain: string,
): Promise<KeptReport> {
  const own = await offeredChecks(checks).ask(party, { kind: 'adagents', domain });
  const isAbsent = own.report.findings.some(({ code }) => code === 'http_404' || code === 'http_410');
  if (!isAbsent) return own;
  const brand = await offeredChecks(checks).ask(party, { kind: 'brand', domain });
  return brand.report.variant === undefined ? own : brand;
}

/** Throws HttpProblems. */
function readQuestion(fields: FormFields) {
  const other = [...fields.keys()].find((name) => !FIELDS.includes(name));
  if (other !== undefined)
    throw new HttpProblem('unknown_parameter', 'unknown field of the form', {
      parameter: other.slice(0, 100),
    });
  const file = fields.get('file')?.[0] ?? '';
  // browsers end the lines of a field with CR LF, whatever was pasted
  const pasted = textField(fields, 'text').replaceAll('\r\n', '\n');
  if (file.length === 0 && pasted.trim() === '')
    throw new HttpProblem('invalid_value', 'paste a file or upload one');
  const named = textField(fields, 'for').trim();
  const given = file.length > 0 ? file : pasted;
  return {
    given,
    text: typeof given === 'string' ? given : new TextDecoder().decode(given),
    wantsFile: textField(fields, 'answer') === 'file',
    publisher: named === '' ? undefined : domainIn(named, 'for'),
  };
}

/** A domain name, or the domain of a URL. Throws HttpProblems. */
function domainIn(text: string, parameter?: string): string {
  return namedDomain(parseDomain(text).ok ? text : hostIn(text), parameter);
}

/** The fields of a rejected form, so that the user corrects one and keeps the others. */
function askedAgain(request: FastifyRequest): Asked {
  if (request.method !== 'POST')
    return { domain: (new URLSearchParams(queryText(request)).get('domain') ?? '').slice(0, MAX_SHOWN_NAME) };
  if (!(request.body instanceof Map)) return {};
  const [text, publisher] = ['text', 'for'].map((name) => textField(request.body as FormFields, name));
  return { text: text ?? '', publisher: (publisher ?? '').slice(0, MAX_SHOWN_NAME) };
}

function shownAgain(asked: Asked): Asked {
  return asked.text !== undefined && asked.text.length > MAX_SHOWN_TEXT ? { ...asked, text: '' } : asked;
}

/** Without the empty fields of a form. */
function filledIn(query: string): string {
  return query
    .split('&')
    .filter((part) => !part.endsWith('=') && part !== '')
    .join('&');
}

function viewOf({ at, report }: KeptReport) {
  return { report: { ...report, verdict: verdictInWords(report) }, at: new Date(at).toISOString() };
}
