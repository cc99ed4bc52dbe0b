/**
 * `npm run engines`: a real PostgreSQL and a real OpenSearch on free ports of 127.0.0.1, for as long as this
 * runs. It ends on Ctrl-C, SIGTERM, the end of a piped standard input, or the end of its parent.
 */
import { fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RegistryError } from '../../../src/errors.ts';
import { type OpenSearchEngine, startOpenSearch } from './opensearch.ts';
import { type PostgresEngine, startPostgres } from './postgres.ts';
import { parentOf } from './processes.ts';

const USAGE = `usage: npm run engines -- [options]
  --only opensearch|postgres  start only this one
  --nodes N                   OpenSearch nodes, each a process (default 1)
  --heap-mb N                 heap of each OpenSearch node (default 1024, of several 512)
  --durable                   PostgreSQL writes to the disk before it acknowledges (fsync)
  --json                      print one JSON object instead of lines for a shell
`;
const LOOK_FOR_PARENT_MS = 1000;

interface Engines {
  readonly postgres: PostgresEngine | undefined;
  readonly openSearch: OpenSearchEngine | undefined;
}

interface Options {
  readonly only: string | undefined;
  readonly nodes: number;
  readonly heapMb: number | undefined;
  readonly durable: boolean;
  readonly json: boolean;
}

const reasonToEnd = endOfRun();
try {
  const options = readOptions(process.argv.slice(2));
  // Whoever ends us while something starts leaves the rest to the keepers.
  const engines = (await Promise.race([startEngines(options), reasonToEnd])) ?? process.exit(1);
  process.stdout.write(options.json ? asJson(engines) : asLines(engines));
  await reasonToEnd;
  await Promise.all([engines.postgres?.stop(), engines.openSearch?.stop()]);
  process.exit(0);
} catch (error) {
  process.stderr.write(explain(error));
  process.exit(1);
}

async function startEngines(options: Options): Promise<Engines> {
  const { only, nodes, heapMb, durable } = options;
  const [postgres, openSearch] = await Promise.all([
    only === 'opensearch' ? undefined : startPostgres({ durable }),
    only === 'postgres' ? undefined : startOpenSearch({ nodes, ...(heapMb !== undefined && { heapMb }) }),
  ]);
  return { postgres, openSearch };
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      nodes: { type: 'string', default: '1' },
      'heap-mb': { type: 'string' },
      durable: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { only, nodes, durable, json } = values;
  if (only !== undefined && only !== 'opensearch' && only !== 'postgres') throw usage(`--only ${only}`);
  const heapMb = values['heap-mb'];
  return {
    ...{ only, durable, json, nodes: wholeNumber('--nodes', nodes, 1, 9) },
    heapMb: heapMb === undefined ? undefined : wholeNumber('--heap-mb', heapMb, 256, 65_536),
  };
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw usage(`${option} ${text} (a whole number from ${least} to ${most})`);
}

function usage(what: string): RegistryError {
  return new RegistryError('usage', `not understood: ${what}`, { hint: USAGE });
}

function asJson({ postgres, openSearch }: Engines): string {
  return `${JSON.stringify({
    ...(postgres && { postgres: { url: postgres.url, pid: postgres.pid } }),
    ...(openSearch && {
      opensearch: {
        url: openSearch.url,
        nodes: openSearch.nodes.map(({ url, pid }) => ({ url, pid })),
      },
    }),
  })}\n`;
}

/** The settings of the registry, and the variables with which `npm run test:engines` uses the same engines. */
function asLines({ postgres, openSearch }: Engines): string {
  const lines = [
    ...(postgres ? [`REGISTRY_STORE=${postgres.url}`, `ENGINES_POSTGRES=${postgres.url}`] : []),
    ...(openSearch ? [`REGISTRY_INDEX=${openSearch.url}`, `ENGINES_OPENSEARCH=${openSearch.url}`] : []),
    ...(openSearch ? [`# OpenSearch nodes: ${openSearch.urls.join(' ')}`] : []),
    '# running; Ctrl-C ends and removes everything',
  ];
  return `${lines.join('\n')}\n`;
}

function endOfRun(): Promise<void> {
  return new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end());
    const family = forebears();
    setInterval(() => forebears() !== family && end(), LOOK_FOR_PARENT_MS);
    if (isPiped()) process.stdin.on('end', end).on('error', end).resume();
  });
}

/** Our parent, and its parent where npm started us: npm puts a shell in between, which outlives it. */
function forebears(): string {
  const parent = process.ppid;
  return process.env.npm_lifecycle_event === undefined ? `${parent}` : `${parent} ${parentOf(parent)}`;
}

/** A terminal says goodbye with SIGHUP, and reading from it would stop us in the background; /dev/null ends at once. */
function isPiped(): boolean {
  const stdin = fstatSync(0);
  return stdin.isFIFO() || stdin.isSocket();
}

function explain(error: unknown): string {
  if (error instanceof RegistryError) return `${error.message}\n${error.hint ?? ''}\n`;
  if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS'))
    return `${(error as Error).message}\n${USAGE}`;
  return `${(error as Error).stack}\n`;
}
