import type { FastifyInstance } from 'fastify';
import { wordsOf } from '../../../domain/text.ts';
import { limitOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { describedBy } from '../description.ts';
import { cutTo } from './domain-list.ts';
import { type AskedBrands, foundBrands } from './found-brands.ts';
import { beginOf } from './list-properties.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendBody, textParameter } from './reading.ts';
import { resolveBrands } from './resolve-brands.ts';

const MIN_CHARACTERS = 2;
const MAX_CHARACTERS = 253;
const MAX_WORDS = 32;
/** Of each kind in a search, as the field has it. */
const FEW = 5;
const [USUAL, MOST] = [10, 50];
const REFERENCES = ['url', 'agent', 'brand.json'];

const WORDS = {
  ...textParameter('q', 'Words of a name, or the beginning of a domain.', 'copper kettle'),
  schema: { type: 'string', minLength: MIN_CHARACTERS, maxLength: MAX_CHARACTERS },
};
const SEARCH = publicReading({
  operationId: 'search',
  summary: 'Search brands by name, and publishers by domain',
  description:
    'Up to 5 of each kind; publishers match by the beginning of their domain. For agents use `GET /api/registry/agents/search`; for more results, use the lists with `search`.',
  parameters: [WORDS],
  answers: 'The results.',
  schema: 'RegistrySearch',
});
const FIND = publicReading({
  operationId: 'findBrand',
  summary: 'Find brands by the words of their names, or by the beginning of their domain',
  description:
    'Domains with a valid brand.json, each with its brand: first those that start with the text, then those with a name that contains all words. The first three letters of a word are enough. A brand that is declared in the file of its house has its own name.',
  parameters: [
    WORDS,
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of brands.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
    },
  ],
  answers: 'Brands.',
  schema: 'FoundBrands',
});
const REFERENCE = publicReading({
  operationId: 'lookupManifestRef',
  summary: 'Look up the manifest of a brand',
  description: 'The URL of its brand.json, or with `type=agent` the agent that it declares as its own.',
  parameters: [
    textParameter('domain', 'The domain of a brand or a house.', 'copperkettle.example'),
    {
      name: 'type',
      in: 'query',
      description: 'A file or an agent.',
      schema: { type: 'string', enum: REFERENCES, default: 'url' },
    },
  ],
  answers: 'The reference; `found` is false without one.',
  schema: 'ManifestReference',
});

/** GET /api/search, /api/brands/find and /api/manifest-refs/lookup. */
export function findBrandsOperations(server: FastifyInstance, parts: GraphParts): void {
  const { brands } = parts.records;
  server.get('/api/search', describedBy(SEARCH), async (request, reply) => {
    const asked = readWords(readParameters(queryText(request), ['q'], 'the search'));
    const found = await foundBrands(parts, asked, FEW);
    const publishers = await publishersBeginning(parts, asked);
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
    const asked = readWords(parameters);
    const limit = limitOf(parameters.get('limit'), USUAL, MOST);
    const results = await foundBrands(parts, asked, limit);
    return sendBody(request, reply, cutTo({ results }, MAX_BYTES));
  });
  server.get('/api/manifest-refs/lookup', describedBy(REFERENCE), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'type'], 'the look-up');
    const domain = namedDomain(needed(parameters, 'domain'));
    const type = parameters.get('type') ?? 'url';
    if (!REFERENCES.includes(type)) throw invalidValue('type', 'unknown type', REFERENCES);
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

/** Brands with this name, and brands and publishers whose domain begins with it: up to 5 of each. */
export async function foundByName(parts: GraphParts, name: string) {
  if (name.length < MIN_CHARACTERS) return { brands: [], publishers: [] };
  const asked = wordsAsked(name.toLowerCase());
  const brands = (await foundBrands(parts, asked, FEW)) as readonly {
    readonly domain: string;
    readonly brand_name: string;
  }[];
  return { brands, publishers: await publishersBeginning(parts, asked) };
}

async function publishersBeginning({ records: { graph } }: GraphParts, { begins }: AskedBrands) {
  const published = await Promise.all(
    begins.map(async (begin) =>
      (await graph.publishers(beginOf(begin), FEW)).filter(({ domain }) => domain.startsWith(begin)),
    ),
  );
  return [...new Map(published.flat().map((one) => [one.domain, one])).values()].slice(0, FEW);
}

/** What is searched for. Throws HttpProblems. */
function readWords(parameters: ReadonlyMap<string, string>): AskedBrands {
  const q = needed(parameters, 'q').trim().toLowerCase();
  if (q.length > MAX_CHARACTERS)
    throw new HttpProblem('value_too_long', `at most ${MAX_CHARACTERS} characters are accepted`, {
      parameter: 'q',
    });
  if (q.length < MIN_CHARACTERS)
    throw invalidValue('q', `at least ${MIN_CHARACTERS} characters are required`);
  return wordsAsked(q);
}

/** The words of a name, and how a domain can begin that is meant by them: written as one, and with hyphens. Throws an HttpProblem. */
function wordsAsked(q: string): AskedBrands {
  const words = [...new Set(wordsOf(q))];
  if (words.length > MAX_WORDS)
    throw new HttpProblem('too_many_values', `at most ${MAX_WORDS} words are accepted`, { parameter: 'q' });
  const begins = [...new Set([q.replaceAll(/\s+/g, ''), q.replaceAll(/\s+/g, '-')])].sort();
  return { words, begins };
}
