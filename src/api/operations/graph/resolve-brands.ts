import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { defined } from '../../../base/json.ts';
import { brandIdentity, claimedHouseOf, type ResolvedIdentity } from '../../../domain/brand-relationship.ts';
import type { BrandFile } from '../../../records/agents/brands.ts';
import { namedDomain, needed, queryText, readParameters, refuseParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { describedBy, problemAnswer } from '../description.ts';
import {
  aboutDomains,
  cutTo,
  MAX_DOMAINS_BODY,
  type Resolved,
  readDomainList,
  resolveEach,
} from './domain-list.ts';
import {
  type GraphParts,
  MAX_BYTES,
  publicReading,
  sendBody,
  textParameter,
  timeText,
  visitOf,
} from './reading.ts';

/** Of files that are read for one question: of those asked for, of their houses, and of those that name them. */
const MAX_READ = 4 * 1024 * 1024;
/** Anybody may name a domain. */
const MAX_NAMING = 3;

export const BRAND_PARAMETERS = [
  textParameter('domain', 'The domain of a brand or a house.', 'copperkettle.example'),
  {
    name: 'fresh',
    in: 'query',
    description: 'Not implemented: the site is not read on demand. Use POST /api/brands/validate for that.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
];

const READING = publicReading({
  operationId: 'resolveBrand',
  summary: 'Resolve a domain to its brand and its house',
  description: 'Uses the valid brand.json files of both. A house is returned only if both sides confirm it.',
  parameters: BRAND_PARAMETERS,
  answers: 'The brand.',
  schema: 'ResolvedBrand',
});
const ONE = {
  ...READING,
  responses: {
    ...READING.responses,
    404: problemAnswer('No brand.json mentions this domain.'),
    501: problemAnswer('`fresh` is not implemented.'),
  },
};
const BULK = aboutDomains(
  'resolveBrandsInBulk',
  'Resolve up to 100 domains to their brands and houses',
  'The same as for one domain. A brand is `truncated` if its files did not fit into the answer; request that domain alone.',
  'ResolvedBrands',
);

/** GET /api/brands/resolve and POST /api/brands/resolve/bulk. */
export function resolveBrandsOperations(server: FastifyInstance, parts: GraphParts): void {
  const withVisit = async (domain: string, brand: Resolved): Promise<Resolved> => ({
    ...brand,
    visit: await visitOf(parts, 'brand', domain),
  });
  server.get('/api/brands/resolve', describedBy(ONE), async (request, reply) => {
    const domain = readBrandQuestion(queryText(request));
    const resolved = (await resolveBrands(parts, [domain])).get(domain);
    if (resolved === undefined)
      throw new HttpProblem('not_found', 'no brand.json mentions this domain', {
        parameter: 'domain',
        visit: await visitOf(parts, 'brand', domain),
      });
    return sendBody(request, reply, cutTo(await withVisit(domain, resolved), MAX_BYTES));
  });
  const options = { ...describedBy(BULK), bodyLimit: MAX_DOMAINS_BODY };
  server.post('/api/brands/resolve/bulk', options, async (request, reply) => {
    refuseParameters(queryText(request), 'the resolution');
    const list = readDomainList(request.body);
    const resolved = await resolveBrands(parts, [...new Set(list.domains.values())]);
    const body = await resolveEach(list, async (domain) => {
      const brand = resolved.get(domain);
      return brand && (await withVisit(domain, brand));
    });
    return reply.header('cache-control', 'no-store').send(body);
  });
}

/** The domain of a question about one brand. Throws HttpProblems. */
export function readBrandQuestion(text: string): string {
  const parameters = readParameters(text, ['domain', 'fresh'], 'the resolution');
  const fresh = parameters.get('fresh') ?? 'false';
  if (fresh === 'true')
    throw new HttpProblem('not_built', 'fresh is not implemented; use POST /api/brands/validate', {
      parameter: 'fresh',
    });
  if (fresh !== 'false') throw invalidValue('fresh', 'use true or false', ['true', 'false']);
  return namedDomain(needed(parameters, 'domain'));
}

/** The brand of each of these domains; a domain that no file mentions is left out. */
export async function resolveBrands(
  { records: { brands }, clock }: GraphParts,
  domains: readonly string[],
): Promise<ReadonlyMap<string, Resolved>> {
  const now = clock.now();
  const known = new Map<string, BrandFile>();
  const read = async (more: readonly string[]): Promise<void> => {
    await yieldToEventLoop(); // files that are large take a while
    const unread = [...new Set(more)].filter((domain) => !known.has(domain));
    for (const file of await brands.files(unread, MAX_READ)) known.set(file.domain, file);
  };
  await read(domains);
  const houses = new Map(
    domains.flatMap((domain) => {
      const value = known.get(domain)?.value;
      const house = value && claimedHouseOf(domain, value);
      return house === undefined ? [] : [[domain, house] as const];
    }),
  );
  await read([...houses.values()]);
  const naming = new Map<string, readonly string[]>();
  for (const domain of domains)
    if (!houses.has(domain)) naming.set(domain, await brands.naming(domain, MAX_NAMING));
  await read([...naming.values()].flat());
  return new Map(
    domains.flatMap((domain) => {
      const file = known.get(domain);
      if (file !== undefined && file.value === undefined) return [[domain, unread(domain)] as const];
      const claimed = known.get(houses.get(domain) ?? '');
      const identity = brandIdentity(domain, {
        ...defined({ own: file?.value, house: claimed?.value }),
        naming: (naming.get(domain) ?? []).flatMap((one) => {
          const value = known.get(one)?.value;
          return value?.house?.domain === one && one !== domain ? [{ domain: one, value }] : [];
        }),
        now,
      });
      const isCut = claimed !== undefined && claimed.value === undefined;
      return identity === undefined ? [] : [[domain, brandItem(identity, file, isCut)] as const];
    }),
  );
}

function unread(domain: string): Resolved {
  return {
    ...{ canonical_id: domain, canonical_domain: domain, brand_name: domain, source: 'brand_json' },
    truncated: true,
  };
}

function brandItem(identity: ResolvedIdentity, file: BrandFile | undefined, isCut: boolean): Resolved {
  const { house, names } = identity;
  const { lastSuccessAt } = file ?? {};
  return {
    canonical_id: identity.canonicalId,
    canonical_domain: identity.canonicalDomain,
    brand_name: identity.name,
    names: names.map(({ language, name }) => ({ [language]: name })),
    ...defined({ house_domain: house?.domain, house_name: house?.name }),
    ...defined({ claimed_house_domain: identity.claimedHouse, brand_agent_url: identity.brandAgent }),
    relationship_trust: identity.relationship,
    source: 'brand_json',
    ...(lastSuccessAt !== undefined && { last_validated: timeText(lastSuccessAt) }),
    ...(isCut && { truncated: true }),
  };
}
