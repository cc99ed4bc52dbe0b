import type { FastifyInstance } from 'fastify';
import { parseObject } from '../../../base/json.ts';
import { jsonBytes } from '../../../base/json-bytes.ts';
import { queryText } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { describedBy, problemAnswer } from '../description.ts';
import { bodyHashOf } from './file-diffs.ts';
import { beginOf, DOMAIN_LIST_PARAMETERS, type ListQuestion, readListQuestion } from './list-properties.ts';
import { type GraphParts, MAX_BYTES, pagesOf, publicReading, sendBody, visitOf } from './reading.ts';
import { BRAND_PARAMETERS, readBrandQuestion, resolveBrands } from './resolve-brands.ts';

const READING = publicReading({
  operationId: 'getBrandJson',
  summary: 'Get the brand.json of a domain',
  description: 'The version in use, after redirects, with its warnings.',
  parameters: BRAND_PARAMETERS,
  answers: 'The file.',
  schema: 'BrandJson',
});
const FILE = {
  ...READING,
  responses: {
    ...READING.responses,
    404: problemAnswer('The domain has no valid brand.json.'),
    501: problemAnswer('`fresh` is not implemented, and files larger than 250 KiB are not returned.'),
  },
};

const LIST = publicReading({
  operationId: 'listBrands',
  summary: 'List brands',
  description: 'Domains with a valid brand.json in ascending order, each with its brand.',
  parameters: DOMAIN_LIST_PARAMETERS,
  answers: 'Brands, with a cursor if more follow.',
  schema: 'BrandList',
});
const MAX_WARNINGS = 100;

/** GET /api/brands/brand-json and /api/brands/registry. */
export function brandFileOperations(server: FastifyInstance, parts: GraphParts): void {
  const { sources } = parts.records;
  server.get('/api/brands/brand-json', describedBy(FILE), async (request, reply) => {
    const domain = readBrandQuestion(queryText(request));
    const stored = await sources.declaration({ kind: 'brand', key: domain });
    const bytes = stored && (await sources.body(bodyHashOf(stored.contentHash)));
    const data = bytes && parseObject(new TextDecoder().decode(bytes));
    if (stored === undefined || data === undefined)
      throw new HttpProblem('not_found', 'the domain has no valid brand.json', {
        parameter: 'domain',
        visit: await visitOf(parts, 'brand', domain),
      });
    if (jsonBytes(data) > MAX_BYTES - 32_768)
      throw new HttpProblem('not_offered', `the file is too large to return; read it at ${stored.url}`);
    const { url, value, findings } = stored;
    return sendBody(request, reply, {
      domain,
      url,
      visit: await visitOf(parts, 'brand', domain),
      variant: value.variant,
      data,
      warnings: findings
        .slice(0, MAX_WARNINGS)
        .map(({ pointer, message }) => ({ field: pointer, message: message.slice(0, 200) })),
    });
  });
  server.get('/api/brands/registry', describedBy(LIST), async (request, reply) => {
    const asked = readListQuestion(queryText(request), 'the list of brands');
    return sendBody(request, reply, await listedBrands(parts, asked));
  });
}

/** Brands whose domain begins so, a page of them. Throws HttpProblems. */
export async function listedBrands(parts: GraphParts, asked: ListQuestion) {
  const { search, limit, offset, cursor } = asked;
  const places = pagesOf(parts, `brands ${search}`);
  const after = places.after(cursor) ?? beginOf(search);
  const domains = await parts.records.brands.domains({ after, skipped: offset, limit: limit + 1 });
  const found = domains.filter((domain) => domain.startsWith(search));
  const shown = found.slice(0, limit);
  const resolved = await resolveBrands(parts, shown);
  return {
    brands: shown.map((domain) => {
      const { brand_name, house_domain, relationship_trust } = resolved.get(domain) ?? {};
      const has = { source: 'brand_json', has_manifest: true, verified: true };
      return { domain, brand_name, ...has, house_domain, relationship_trust };
    }),
    count: shown.length,
    next_cursor: places.next(found.length > limit ? shown.at(-1) : undefined),
  };
}
