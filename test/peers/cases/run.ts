/**
 * Lets schemathesis make requests of every kind from the OpenAPI document of a running registry, and judge each answer by it:
 * `npm run demo -- --exit && npm run test:document:cases`. Exit code 1 when an answer is a fault of ours or breaks the document.
 * It asks what the demo has left, in a copy, or what REGISTRY_STORE and REGISTRY_INDEX name, which it changes. With `--engines`
 * the copy is moved to a PostgreSQL and an OpenSearch, which it starts and ends. All other arguments go to schemathesis,
 * `--max-examples 300` for example.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { startOpenSearch } from '../../engines/start/opensearch.ts';
import { startPostgres } from '../../engines/start/postgres.ts';
import { installPython } from '../install.ts';
import { strangers } from '../strangers.ts';

/** The owner of the agents that the demo has tested. */
const OWNER = 'tidewater';
const PROGRAM = 'bin/agent-registry.mjs';
const ENGINES = '--engines';
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance'],
];

const folder = mkdtempSync(join(tmpdir(), 'cases-'));
try {
  const python = installPython(import.meta.dirname, 11, (line) => void process.stderr.write(`${line}\n`));
  const words = process.argv.slice(2);
  const options = words.filter((word) => word !== ENGINES);
  process.exitCode = words.includes(ENGINES)
    ? await withEngines((env) => runCases(python, env, options))
    : await runCases(python, settings(), options);
} finally {
  rmSync(folder, { recursive: true });
}

/** Everybody's requests first, then those with the owner's key. */
async function runCases(python: string, env: NodeJS.ProcessEnv, options: readonly string[]): Promise<number> {
  const web = strangers().listen(0, '127.0.0.1');
  await once(web, 'listening');
  const registry = spawn(process.execPath, serveArguments((web.address() as AddressInfo).port), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  try {
    const url = await addressOf(registry.stdout);
    const known = JSON.stringify(await knownValues(url));
    const { key } = JSON.parse(cli(env, ['keys', 'create', '--member', OWNER, '--json'])) as { key: string };
    const asStranger = await judge(python, url, known, options);
    const asOwner = await judge(python, url, known, [
      ...['--header', `Authorization: Bearer ${key}`, '--generation-with-security-parameters', 'false'],
      ...options,
    ]);
    return asStranger || asOwner;
  } finally {
    registry.kill();
    web.close();
  }
}

/** A copy of the demo's store, unless another one is named. Nobody is limited: a limit would answer in the place of the operations. */
function settings(): NodeJS.ProcessEnv {
  const path = join(folder, 'demo.sqlite');
  if (process.env.REGISTRY_STORE === undefined) copyFileSync('.registry/demo.sqlite', path);
  const credentialKeys = join(folder, 'credential-keys.json');
  // another demo makes other keys, and what these have sealed could then be opened by nobody
  copyFileSync('.registry/demo-credential-keys.json', credentialKeys);
  // an engine that shares its machine with all who ask takes its time
  const patience = { REGISTRY_INDEX_TIMEOUT_MS: '30000' };
  const own = { REGISTRY_CREDENTIAL_KEYS: credentialKeys, REGISTRY_RATE_LIMIT: '10000000', ...patience };
  return { REGISTRY_STORE: `sqlite:${path}`, REGISTRY_LOG_LEVEL: 'error', ...own, ...process.env };
}

/** The records moved and the index built as an operator does both. */
async function withEngines(work: (env: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  const started = await Promise.allSettled([startPostgres(), startOpenSearch()]);
  const [postgres, openSearch] = started.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    const { REGISTRY_STORE: from = '', ...own } = settings();
    const env = { ...own, REGISTRY_STORE: postgres?.url, REGISTRY_INDEX: openSearch?.url };
    cli(env, ['migrate', '--from', from, '--to-env', 'REGISTRY_STORE', '--yes']);
    cli(env, ['index', 'rebuild', '--yes']);
    return await work(env);
  } finally {
    await Promise.all([postgres?.stop(), openSearch?.stop()]);
  }
}

function serveArguments(webPort: number): string[] {
  return [PROGRAM, 'serve', '--port', '0', '--connect-to', `*=http://127.0.0.1:${webPort}`];
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const url = /^listening on (\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the registry did not start');
}

function cli(env: NodeJS.ProcessEnv, words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, ...words], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Agents and domains that there are, by the parameters that they can stand in. */
async function knownValues(url: string): Promise<object> {
  const answer = await fetch(`${url}/api/registry/agents?properties=true`);
  const { agents } = (await answer.json()) as {
    agents: readonly { url: string; publisher_domains?: string[] }[];
  };
  const urls = agents.map((agent) => agent.url);
  const domains = [...new Set(agents.flatMap((agent) => (agent.publisher_domains ?? []).slice(0, 3)))];
  return {
    encodedUrl: urls,
    agentUrl: urls,
    agent_url: urls,
    agent: urls,
    domain: domains,
    publisher_domain: domains,
  };
}

async function judge(
  python: string,
  url: string,
  known: string,
  options: readonly string[],
): Promise<number> {
  const words = [
    ...[
      '-m',
      'schemathesis.cli',
      '--config-file',
      join(import.meta.dirname, 'schemathesis.toml'),
      'run',
      `${url}/openapi.json`,
      '--checks',
      CHECKS.join(),
    ],
    ...['--phases', 'examples,coverage,fuzzing', '--continue-on-failure', '--suppress-health-check', 'all'],
    ...['--max-redirects', '0', '--generation-database', 'none', '--warnings', 'off', '--no-color'],
  ];
  const env = {
    ...process.env,
    CASES_KNOWN: known,
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: [import.meta.dirname, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
  };
  const child = spawn(python, [...words, ...options], { stdio: ['ignore', 'inherit', 'inherit'], env });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
