import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ProjectFile, readProject } from './project.ts';

const FILES = readProject(resolve(import.meta.dirname, '../..'), [
  'src',
  'pipelines',
  'reference-agents/src',
]);

/**
 * The dependency rule of docs/architecture.md: what the files of one area may import. `errors` stands for
 * src/errors.ts; an area may always import itself and `base`.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  errors: [],
  version: [],
  'this-process': ['domain'],
  domain: [],
  ports: ['domain', 'errors'],
  discovery: ['domain', 'ports', 'errors'],
  probe: ['domain', 'ports', 'errors', 'protocol', 'calling'],
  compliance: ['domain', 'ports', 'errors', 'protocol', 'calling', 'signing'],
  protocol: ['domain', 'ports', 'errors'],
  signing: ['domain', 'ports', 'errors'],
  records: ['domain', 'ports', 'errors', 'this-process', 'adapters', 'index'],
  // the embedded index is in the SQLite file of the records
  index: ['domain', 'ports', 'errors', 'this-process', 'adapters', 'records'],
  crawl: ['domain', 'ports', 'errors', 'ops'],
  config: ['domain', 'errors'],
  budgets: ['domain', 'ports', 'owners'],
  ops: ['domain', 'ports', 'errors', 'config', 'edge'],
  adapters: ['domain', 'ports', 'errors', 'records'],
  calling: ['domain', 'ports', 'errors', 'protocol'],
  // For browsers too, and for programs of others: nothing of Node, and of the server only the rules.
  client: ['domain'],
  edge: ['domain', 'ports', 'errors'],
  webhooks: ['budgets', 'domain', 'ports', 'errors', 'edge', 'signing', 'this-process'],
  'trusted-match': ['domain', 'ports', 'errors', 'edge'],
  // What others may import from outside: agent-kit, command-line and registry.
  surface: [
    'budgets',
    'calling',
    'cli',
    'compliance',
    'compose',
    'config',
    'discovery',
    'api',
    'domain',
    'edge',
    'errors',
    'ops',
    'owners',
    'pipelines',
    'ports',
    'protocol',
    'signing',
    'version',
    'webhooks',
  ],
  // Through the surface alone: see below.
  'reference-agents': [],
  pipelines: [
    'this-process',
    'domain',
    'ports',
    'errors',
    'crawl',
    'discovery',
    'probe',
    'compliance',
    'index',
    'ops',
  ],
  compose: [
    'budgets',
    'probe',
    'this-process',
    'compliance',
    'protocol',
    'domain',
    'ports',
    'errors',
    'config',
    'version',
    'adapters',
    'records',
    'index',
    'discovery',
    'ops',
    'pipelines',
    'crawl',
    'signing',
    'webhooks',
    'owners',
  ],
  owners: ['domain', 'ports', 'errors'],
  pages: ['domain'],
  api: [
    'budgets',
    'domain',
    'ports',
    'errors',
    'index',
    'ops',
    'config',
    'protocol',
    'owners',
    'compliance',
    'discovery',
    'signing',
    'edge',
    'pages',
  ],
  cli: [
    'budgets',
    'version',
    'this-process',
    'domain',
    'ports',
    'errors',
    'config',
    'compose',
    'ops',
    'api',
    'discovery',
    'probe',
    'compliance',
    'index',
    'crawl',
    'pipelines',
    'signing',
    'webhooks',
    'calling',
    'trusted-match',
    'protocol',
    'owners',
    'edge',
  ],
  main: ['cli', 'errors'],
};

/** The areas that may import a third-party package: its home, and a second one where that is the point. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  tldts: ['domain'],
  undici: ['crawl/fetch'],
  'ipaddr.js': ['crawl/fetch', 'edge'],
  '@agent-registry/surface': ['reference-agents'],
  // what is a client at its place, and what is a server at its own
  '@modelcontextprotocol/sdk': ['calling', 'api/mcp', 'reference-agents'],
  '@a2a-js/sdk': ['calling', 'reference-agents'],
  'string-width': ['base'],
  'fastest-levenshtein': ['base', 'index'],
  diff: ['cli', 'api/render', 'discovery'],
  htmlparser2: ['compliance', 'discovery'],
  kysely: ['records', 'index/embedded'],
  'lru-cache': [
    'api',
    'compliance',
    'crawl',
    'discovery',
    'edge',
    'owners',
    'records',
    'signing',
    'trusted-match',
  ],
  'p-retry': ['adapters/bodies', 'records', 'cli'],
  pg: ['records'],
  '@crawlee/basic': ['crawl'],
  'p-queue': ['crawl', 'api/operations', 'index/opensearch'],
  'rate-limiter-flexible': ['budgets', 'discovery', 'webhooks'],
  'pg-boss': ['adapters/queue'],
  '@opensearch-project/opensearch': ['index/opensearch'],
  aws4fetch: ['adapters/bodies'],
  jose: ['signing'],
  oauth4webapi: ['owners'],
  canonicalize: ['base'],
  'structured-headers': ['signing'],
  fastify: ['api', 'trusted-match'],
  '@remix-run/html-template': ['pages'],
  marked: ['pages'],
  '@fastify/accept-negotiator': ['api'],
  '@fastify/rate-limit': ['api'],
  ajv: ['base', 'cli', 'protocol', 'trusted-match', 'compliance'],
  'ajv-formats': ['base'],
  'tar-stream': ['compliance'],
  commander: ['cli', 'reference-agents'],
  'cli-progress': ['cli'],
  '@bomb.sh/tab': ['cli'],
  yaml: ['base'],
  pino: ['ops'],
  'pino-pretty': ['ops'],
  'prom-client': ['ops'],
  '@opentelemetry/api': ['ops'],
  '@opentelemetry/exporter-trace-otlp-http': ['ops'],
  '@opentelemetry/resources': ['ops'],
  '@opentelemetry/sdk-trace-node': ['ops'],
};

describe('the dependency rule', () => {
  it('reads a project that is really there', () => {
    expect(FILES.length).toBeGreaterThan(10);
  });

  it('names no area that is not there', () => {
    const areas = new Set(FILES.map(({ path }) => area(path)));
    const named = [...Object.keys(MAY_IMPORT), ...Object.values(MAY_IMPORT).flat()];
    expect(named.filter((name) => !areas.has(name))).toEqual([]);
  });

  it('lets each area import only the areas below it', () => {
    expect(FILES.flatMap(wrongAreas)).toEqual([]);
  });

  it('gives each third-party package one home', () => {
    expect(FILES.flatMap(wrongHomes)).toEqual([]);
  });

  it('names no home that a package does not have', () => {
    const unused = Object.entries(HOMES).flatMap(([name, homes]) =>
      homes
        .filter((home) => !FILES.some((file) => isIn(file, home) && packagesOf(file).includes(name)))
        .map((home) => `${name} in ${home}`),
    );
    expect(unused).toEqual([]);
  });

  it('lets only what is in compose/ pick adapters and the way to the network', () => {
    const picked = /^src\/(adapters|records|index\/(embedded|opensearch)|crawl\/(dns|fetch))\//;
    const pickers = FILES.filter(({ valueImports }) => valueImports.some((path) => picked.test(path)));
    const wrong = pickers.filter(({ path }) => !path.startsWith('src/compose/') && !picked.test(path));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('the surface for the reference agents', () => {
  const agents = FILES.filter(({ path }) => area(path) === 'reference-agents');

  it('gives the agents themselves nothing but the kit; only what composes them runs a registry', () => {
    const COMPOSERS = /^reference-agents\/src\/(commands|demo)\/|^reference-agents\/src\/start-sandbox\.ts$/;
    const reaching = agents
      .filter(({ path }) => !COMPOSERS.test(path))
      .filter(({ specifiers }) =>
        specifiers.some((from) => /^@agent-registry\/surface\/(?!agent-kit$)/.test(from)),
      );
    expect(reaching.map(({ path }) => path)).toEqual([]);
  });

  it('shows nothing that nobody uses', () => {
    const used = new Set(agents.flatMap((file) => namesFrom(file, /^@agent-registry\/surface\//)));
    const shown = FILES.filter(({ path }) => area(path) === 'surface').flatMap((file) =>
      namesFrom(file, /^\./),
    );
    expect(shown.filter((name) => !used.has(name))).toEqual([]);
  });
});

function wrongAreas({ path, imports, valueImports }: ProjectFile): string[] {
  const from = area(path);
  // Each store of the records is implemented once for both databases, and its type is that of its implementation:
  // an area that may import the interfaces of `ports` may import these types, but no values.
  const seesStores = from === 'ports' || MAY_IMPORT[from]?.includes('ports');
  const isTypeOfStore = (to: string) => seesStores && area(to) === 'records' && !valueImports.includes(to);
  // the reference agents take what is in `base` through the surface, too
  const mayImport = (to: string) => to === from || (to === 'base' && from !== 'reference-agents');
  const wrong = (to: string) => !mayImport(to) && !MAY_IMPORT[from]?.includes(to);
  return imports
    .filter((imported) => wrong(area(imported)) && !isTypeOfStore(imported))
    .map((imported) => `${path} imports ${imported}`);
}

function wrongHomes(file: ProjectFile): string[] {
  return packagesOf(file)
    .filter((name) => !(HOMES[name] ?? []).some((home) => isIn(file, home)))
    .map((name) => `${file.path} imports ${name}`);
}

/** The third-party packages that a file imports. */
function packagesOf({ specifiers }: ProjectFile): string[] {
  return specifiers
    .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

function isIn({ path }: ProjectFile, home: string): boolean {
  const place = path.replace(/^src\//, '');
  return place.startsWith(`${home}/`) || place === `${home}.ts`;
}

/** `src/crawl/fetch/fetcher.ts` is in `adapters`, `src/errors.ts` is `errors`, `pipelines/x.ts` is in `pipelines`. */
function area(path: string): string {
  const [top, second] = path.split('/');
  return top === 'src' ? (second ?? '').replace(/\.ts$/, '') : (top ?? '');
}

/** The names that a file imports or passes on from modules like this. */
function namesFrom({ text }: ProjectFile, module: RegExp): string[] {
  return [...text.matchAll(/^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'([^']+)'/gm)]
    .filter((match) => module.test(match[2] ?? ''))
    .flatMap((match) => (match[1] ?? '').split(','))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*$/, ''),
    )
    .filter((name) => name !== '');
}
