import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const PROJECT_FILES = ['src', 'pipelines', 'bench', 'reference-agents/src'].flatMap(typescriptFiles);

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
  ports: ['domain'],
  discovery: ['domain', 'ports', 'errors'],
  probe: ['domain', 'ports', 'errors', 'protocol', 'calling'],
  compliance: ['domain', 'ports', 'errors', 'protocol', 'calling', 'signing'],
  protocol: ['domain', 'ports', 'errors'],
  signing: ['domain', 'ports', 'errors'],
  indexing: ['domain', 'ports', 'errors', 'this-process'],
  query: ['domain', 'ports', 'errors'],
  pipeline: ['domain', 'ports', 'errors'],
  config: ['domain', 'errors'],
  ops: ['domain', 'ports', 'errors', 'config'],
  adapters: ['domain', 'ports', 'errors', 'query', 'this-process'],
  calling: ['domain', 'ports', 'errors', 'protocol'],
  webhooks: ['domain', 'ports', 'errors', 'signing', 'this-process'],
  'trusted-match': ['domain', 'ports', 'errors'],
  // What others may import from outside: agent-kit, command-line and registry.
  surface: [
    'calling',
    'cli',
    'compliance',
    'compose',
    'config',
    'discovery',
    'api',
    'domain',
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
    'pipeline',
    'discovery',
    'probe',
    'compliance',
    'indexing',
    'ops',
  ],
  compose: [
    'compliance',
    'protocol',
    'domain',
    'ports',
    'errors',
    'config',
    'version',
    'adapters',
    'discovery',
    'ops',
    'pipelines',
    'pipeline',
    'signing',
    'webhooks',
    'owners',
  ],
  owners: ['domain', 'ports', 'errors'],
  api: ['domain', 'ports', 'errors', 'query', 'ops', 'config', 'protocol', 'owners', 'compliance', 'signing'],
  pages: ['domain', 'ports', 'errors', 'query', 'api'],
  cli: [
    'version',
    'this-process',
    'domain',
    'ports',
    'errors',
    'query',
    'config',
    'compose',
    'ops',
    'api',
    'discovery',
    'probe',
    'compliance',
    'indexing',
    'pipeline',
    'pipelines',
    'signing',
    'webhooks',
    'calling',
    'trusted-match',
    'protocol',
    'owners',
  ],
  main: ['cli', 'errors'],
};

/** The areas that may import a third-party package: its home, and a second one where that is the point. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  tldts: ['domain'],
  undici: ['adapters/fetch'],
  'ipaddr.js': ['adapters/fetch'],
  'jsonc-parser': ['base', 'discovery'],
  '@crawlee/basic': ['pipeline'],
  'p-queue': ['pipeline'],
  'agent-registry': ['reference-agents'],
  '@modelcontextprotocol/sdk': ['calling', 'reference-agents'],
  '@a2a-js/sdk': ['calling', 'reference-agents'],
  kysely: ['adapters/sql'],
  pg: ['adapters/sql'],
  'pg-boss': ['adapters/queue'],
  '@opensearch-project/opensearch': ['adapters/opensearch'],
  jose: ['signing'],
  canonicalize: ['signing'],
  'structured-headers': ['signing'],
  fastify: ['api', 'trusted-match'],
  '@fastify/rate-limit': ['api'],
  ajv: ['base', 'config', 'cli', 'protocol', 'trusted-match', 'compliance'],
  'ajv-formats': ['base', 'config', 'cli', 'protocol'],
  commander: ['cli', 'reference-agents'],
  'cli-progress': ['cli'],
  picocolors: ['cli'],
  yaml: ['base', 'cli', 'compliance'],
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
    expect(PROJECT_FILES.length).toBeGreaterThan(10);
  });

  it('lets each area import only the areas below it', () => {
    expect(offences(wrongArea)).toEqual([]);
  });

  it('gives each third-party package one home', () => {
    expect(offences(wrongHome)).toEqual([]);
  });

  it('lets only compose.ts and its folder pick adapters', () => {
    const importers = PROJECT_FILES.filter(
      (file) => area(file) !== 'adapters' && area(file) !== 'bench',
    ).filter((file) =>
      importsOf(file).some((specifier) => target(file, specifier)?.startsWith('src/adapters/')),
    );
    expect(importers.filter((file) => area(file) !== 'compose')).toEqual([]);
  });

  it('lets the agents themselves take nothing but the kit; only what composes them runs a registry', () => {
    const COMPOSERS = /^reference-agents\/src\/(commands|demo)\/|^reference-agents\/src\/start-sandbox\.ts$/;
    const reaching = PROJECT_FILES.filter((file) => area(file) === 'reference-agents')
      .filter((file) => !COMPOSERS.test(file))
      .filter((file) => importsOf(file).some((from) => /^agent-registry\/(?!agent-kit$)/.test(from)));
    expect(reaching).toEqual([]);
  });

  it('shows nothing on the surface that nobody uses', () => {
    const used = new Set(
      PROJECT_FILES.filter((file) => area(file) === 'reference-agents').flatMap((file) =>
        namesFrom(file, /^agent-registry\//),
      ),
    );
    const shown = PROJECT_FILES.filter((file) => area(file) === 'surface').flatMap((file) =>
      namesFrom(file, /^\./),
    );
    expect(shown.filter((name) => !used.has(name))).toEqual([]);
  });

  it('lets nobody but compose.ts import what is in its folder', () => {
    const insiders = PROJECT_FILES.filter(
      (file) =>
        area(file) !== 'compose' &&
        importsOf(file).some((specifier) => target(file, specifier)?.startsWith('src/compose/')),
    );
    expect(insiders).toEqual([]);
  });
});

type Rule = (file: string, specifier: string) => string | undefined;

function offences(rule: Rule): string[] {
  return PROJECT_FILES.filter((file) => area(file) !== 'bench').flatMap((file) =>
    importsOf(file).flatMap((specifier) => rule(file, specifier) ?? []),
  );
}

function wrongArea(file: string, specifier: string): string | undefined {
  const imported = target(file, specifier);
  if (imported === undefined) return undefined;
  const from = area(file);
  const to = area(imported);
  if (from === to || to === 'base') return undefined;
  return MAY_IMPORT[from]?.includes(to) ? undefined : `${file} imports ${imported}`;
}

function wrongHome(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const homes = HOMES[name] ?? [];
  const folder = file.replace(/^src\//, '');
  return homes.some((home) => folder.startsWith(`${home}/`) || folder === `${home}.ts`)
    ? undefined
    : `${file} imports ${name}`;
}

/** The repository path that a relative specifier leads to. */
function target(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return relative(root, resolve(root, dirname(file), specifier));
}

/** `src/adapters/fetch/fetcher.ts` is in `adapters`, `src/errors.ts` is `errors`, `pipelines/x.ts` is in `pipelines`. */
function area(file: string): string {
  const [top, second] = file.split('/');
  return top === 'src' ? (second ?? '').replace(/\.ts$/, '') : (top ?? '');
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\b[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

/** The names that a file imports or exports from modules like this. */
function namesFrom(file: string, module: RegExp): string[] {
  const text = readFileSync(join(root, file), 'utf8');
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

function typescriptFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}
