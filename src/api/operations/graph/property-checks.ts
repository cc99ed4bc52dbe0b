import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  DOMAIN_PROBLEMS,
  isPublicSuffix,
  parseDomain,
  registrableDomain,
} from '../../../domain/domain-name.ts';
import { letOthersIn } from '../../list-cache.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { answer, describedBy, linkTo, problemAnswer, problems } from '../description.ts';
import {
  CHECKED_AT_ONCE,
  MAX_CHECK_BODY,
  MAX_SHOWN,
  openReport,
  readTexts,
  sealReport,
} from './check-report.ts';
import { cutTo } from './domain-list.ts';
import { type GraphParts, MAX_LIST_BYTES, textParameter } from './reading.ts';

const REPORTS = 'reports of property checks';

const CHECK = {
  operationId: 'checkPropertyList',
  summary: 'Check a list of domains',
  description:
    '`ok` have an adagents.json that counts, and `assess` have none or are unknown. `modify` are written in another way. `remove` are listed twice, or are no domains. The lists are cut at 2 MiB; the counts are exact.',
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/PropertyCheckQuestion' } } },
  },
  responses: {
    200: {
      ...answer('The result, with the id of its report.', 'PropertyCheck', {}),
      ...linkTo('getPropertyCheckReport', { reportId: '$response.body#/report_id' }),
    },
    ...problems(400, 401, 429, 500, 503),
    413: problemAnswer('The body is larger than 1 MiB.'),
  },
};
const REPORT = {
  operationId: 'getPropertyCheckReport',
  summary: 'Read the counts of an earlier check',
  description:
    'For 7 days. The id carries the counts, signed; this registry keeps no list that somebody sent.',
  parameters: [
    { ...textParameter('reportId', 'The id of the report.', '', { in: 'path' }), example: undefined },
  ],
  responses: {
    200: answer('The counts.', 'PropertyCheckReport', {}),
    ...problems(400, 401, 429, 500, 503),
    404: problemAnswer('There is no such report, or it is older than 7 days.'),
  },
};

/** POST /api/properties/check and GET /api/properties/check/{reportId}. */
export function propertyCheckOperations(server: FastifyInstance, parts: GraphParts): void {
  const options = { ...describedBy(CHECK), bodyLimit: MAX_CHECK_BODY };
  server.post('/api/properties/check', options, async (request, reply) => {
    refuseParameters(queryText(request), 'the check');
    const lists = await sorted(parts, readTexts(request.body, 'domains'));
    const { remove, modify, assess, ok } = lists;
    const counts = { remove: remove.length, modify: modify.length, assess: assess.length, ok: ok.length };
    const summary = { total: counts.remove + counts.modify + counts.assess + counts.ok, ...counts };
    const shown = { summary, ...lists, report_id: sealReport(parts, REPORTS, summary) };
    return reply.header('cache-control', 'no-store').send(cutTo(shown, MAX_LIST_BYTES));
  });
  server.get(
    '/api/properties/check/:reportId',
    describedBy(REPORT),
    async (request: FastifyRequest<{ Params: { reportId: string } }>, reply) => {
      refuseParameters(queryText(request), 'the report');
      reply.header('cache-control', 'no-store');
      return openReport(parts, REPORTS, request.params.reportId);
    },
  );
}

/** Each text in one of four lists, in the order in which they came. */
async function sorted({ records: { graph } }: GraphParts, texts: readonly string[]) {
  const lists = {
    remove: [] as object[],
    modify: [] as object[],
    assess: [] as object[],
    ok: [] as object[],
  };
  const seen = new Set<string>();
  for (let at = 0; at < texts.length; at += CHECKED_AT_ONCE) {
    await letOthersIn();
    const found = texts.slice(at, at + CHECKED_AT_ONCE).map((text) => ({ text, ...canonicalOf(text) }));
    const known = await graph.publishersAmong([...new Set(found.flatMap(({ domain }) => domain ?? []))]);
    const valid = new Set(known.filter(({ isValid }) => isValid).map(({ domain }) => domain));
    for (const { text, domain, problem } of found) {
      const input = text.slice(0, MAX_SHOWN);
      const status = domain !== undefined && valid.has(domain) ? 'ok' : 'assess';
      if (domain === undefined)
        lists.remove.push({ input, canonical: input, reason: 'blocked', blocked_reason: problem });
      else if (seen.has(domain)) lists.remove.push({ input, canonical: domain, reason: 'duplicate' });
      else if (domain !== text)
        lists.modify.push({ input, canonical: domain, reason: 'written in another way', status });
      else if (status === 'ok') lists.ok.push({ domain, source: 'adagents_json' });
      else lists.assess.push({ domain });
      if (domain !== undefined) seen.add(domain);
    }
  }
  return lists;
}

/** The domain that somebody means who writes it as people do: with a scheme, a path, `www.` or capitals. */
export function canonicalOf(text: string): { readonly domain?: string; readonly problem?: string } {
  const [host = ''] = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .split(/[/?#]/, 1);
  const parsed = parseDomain(host.replace(/:\d{1,5}$/, ''));
  if (!parsed.ok) return { problem: DOMAIN_PROBLEMS[parsed.problem] };
  const { domain } = parsed;
  if (isPublicSuffix(domain)) return { problem: 'anybody registers names below a public suffix' };
  const bare = domain.replace(/^(?:www|m)\./, '');
  return { domain: registrableDomain(domain) === bare ? bare : domain };
}
