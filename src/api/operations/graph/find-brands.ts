import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import { limitOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { describedBy } from '../description.ts';
import { cutTo, type Resolved } from './domain-list.ts';
import { beginOf } from './list-properties.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendBody, textParameter } from './reading.ts';
import { resolveBrands } from './resolve-brands.ts';

const MIN_WORDS = 2;
const MAX_WORDS = 253;
/** Of each kind in a search, as the field has it. */
const FEW = 5;
const [USUAL, MOST] = [10, 50];
const REFERENCES = ['url', 'agent', 'brand.json'];

const WORDS = {
  ...textParameter('q', 'What the domain begins with; words may be written apart.', 'copper kettle'),
  schema: { type: 'string', minLength: MIN_WORDS, maxLength: MAX_WORDS },
};
const SEARCH = publicReading({
  operationId: 'search',
  summary: 'Search brands and publishers by the begin of their domain',
  description:
    'Up to 5 of each kind. For agents use `GET /api/registry/agents/search`; for more, the lists with `search`.',
  parameters: [WORDS],
  answers: 'What was found.',
  schema: 'RegistrySearch',
});
const FIND = publicReading({
  operationId: 'findBrand',
  summary: 'Find brands by the begin of their domain',
  description: 'Domains whose brand.json counts now, in ascending order, each with who it is.',
  parameters: [
    WORDS,
    {
      name: 'limit',
      in: 'query',
      description: 'At most so many.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
    },
  ],
  answers: 'Brands.',
  schema: 'FoundBrands',
});
const REFERENCE = publicReading({
  operationId: 'lookupManifestRef',
  summary: 'Look up where the manifest of a brand stands',
  description: 'Its brand.json, or with `type=agent` the agent that it names as its own.',
  parameters: [
    textParameter('domain', 'The domain of a brand or a house.', 'copperkettle.example'),
    {
      name: 'type',
      in: 'query',
      description: 'A file or an agent.',
      schema: { type: 'string', enum: REFERENCES, default: 'url' },
    },
  ],
  answers: 'The reference, or that there is none.',
  schema: 'ManifestReference',
});

/** GET /api/search, /api/brands/find and /api/manifest-refs/lookup. */
export function findBrandsOperations(server: FastifyInstance, parts: GraphParts): void {
  const { graph, brands } = parts.records;
  server.get('/api/search', describedBy(SEARCH), async (request, reply) => {
    const begins = readWords(readParameters(queryText(request), ['q'], 'the search'));
    const found = await brandsBeginning(parts, begins, FEW);
    const published = await Promise.all(
      begins.map(async (begin) =>
        (await graph.publishers(beginOf(begin), FEW)).filter(({ domain }) => domain.startsWith(begin)),
      ),
    );
    const publishers = [...new Map(published.flat().map((one) => [one.domain, one])).values()].slice(0, FEW);
    const shown = {
      brands: found,
      publishers: publishers.map(({ domain, agents }) => ({ domain, agent_count: agents })),
      properties: publishers
        .filter(({ properties }) => properties > 0)
        .map(({ domain, properties }) => ({
          ...{ publisher_domain: domain, property_count: properties, source: 'adagents_json' },
        })),
    };
    return sendBody(request, reply, cutTo(shown, MAX_BYTES));
  });
  server.get('/api/brands/find', describedBy(FIND), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['q', 'limit'], 'the search');
    const begins = readWords(parameters);
    const limit = limitOf(parameters.get('limit'), USUAL, MOST);
    const results = await brandsBeginning(parts, begins, limit);
    return sendBody(request, reply, cutTo({ results }, MAX_BYTES));
  });
  server.get('/api/manifest-refs/lookup', describedBy(REFERENCE), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'type'], 'the look-up');
    const domain = namedDomain(needed(parameters, 'domain'));
    const type = parameters.get('type') ?? 'url';
    if (!REFERENCES.includes(type))
      throw new HttpProblem('invalid_value', 'there is no such reference', {
        parameter: 'type',
        validValues: REFERENCES,
      });
    const agent =
      type === 'agent' ? (await resolveBrands(parts, [domain])).get(domain)?.brand_agent_url : undefined;
    const [file] = type === 'agent' ? [] : await brands.files([domain], 0);
    const found = agent ?? file?.url;
    const reference = {
      ...{ reference_type: type === 'agent' ? 'agent' : 'url', manifest_url: file?.url ?? null },
      ...{ agent_url: agent ?? null, agent_id: null, verification_status: file ? 'valid' : 'pending' },
    };
    const body =
      found === undefined ? { success: false, found: false } : { success: true, found: true, reference };
    return sendBody(request, reply, body);
  });
}

/** How a domain can begin that somebody means with these words: together, and with hyphens. */
function readWords(parameters: ReadonlyMap<string, string>): readonly string[] {
  const q = needed(parameters, 'q').trim().toLowerCase();
  if (q.length > MAX_WORDS)
    throw new HttpProblem('value_too_long', `at most ${MAX_WORDS} characters are taken`, { parameter: 'q' });
  if (q.length < MIN_WORDS)
    throw new HttpProblem('invalid_value', `at least ${MIN_WORDS} characters are needed`, { parameter: 'q' });
  return [...new Set([q.replaceAll(/\s+/g, ''), q.replaceAll(/\s+/g, '-')])].sort();
}

async function brandsBeginning(
  parts: GraphParts,
  begins: readonly string[],
  limit: number,
): Promise<readonly object[]> {
  const lists = await Promise.all(
    begins.map(async (begin) => {
      const page = { after: beginOf(begin), skipped: 0, limit };
      return (await parts.records.brands.domains(page)).filter((domain) => domain.startsWith(begin));
    }),
  );
  const domains = [...new Set(lists.flat())].sort().slice(0, limit);
  const resolved = await resolveBrands(parts, domains);
  return domains.flatMap((domain) => brandFound(domain, resolved.get(domain)));
}

function brandFound(domain: string, brand: Resolved | undefined): readonly object[] {
  if (brand === undefined) return [];
  const { canonical_domain, brand_name, house_domain, brand_agent_url, source } = brand;
  const kind = house_domain === domain ? 'master' : 'sub_brand';
  return [
    {
      ...{ domain, canonical_domain, brand_name, source },
      ...defined({ house_domain, brand_agent_url }),
      keller_type: house_domain === undefined ? 'independent' : kind,
    },
  ];
}
