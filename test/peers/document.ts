/**
 * Asks the registry of the demo each example of the OpenAPI document, and lets redocly lint the document:
 * `npm run demo -- --exit && npm run test:document`. Exit code 1 when an example has no good answer, or the linter says anything.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import joinRequest from '../../schemas/registry/join-request.json' with { type: 'json' };
import { writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { createServer } from '../../src/api/server.ts';
import { elements, member } from '../../src/base/json.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFileChecks } from '../../src/compose/file-checks.ts';
import { composeProofs } from '../../src/compose/proofs.ts';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { newApiKey, secretHash } from '../../src/owners/secrets.ts';
import {
  type ApiDocument,
  type ApiRequest,
  exampleRequest,
  operationsOf,
} from '../../src/pages/docs/document.ts';
import { type Answer, breaches, type OpenApi } from '../api/support/contract.ts';
import { installPeers } from './install.ts';
import { strangers } from './strangers.ts';

/** The owner of the agent that the examples are about. */
const OWNER = 'tidewater';
const LATER_MS = 3_600_000; // nothing was visited or tested a moment ago
/** Of one example, on a busy machine: one that is never answered is named. */
const PATIENCE_MS = 120_000;
/** A name server that refuses each question. */
const NOBODY = '127.0.0.1:9';

installPeers((line) => void process.stderr.write(`${line}\n`));
const folder = mkdtempSync(join(tmpdir(), 'document-'));
try {
  const document = await askExamples();
  lint(document);
} finally {
  rmSync(folder, { recursive: true });
}

/** Every operation is asked once; those that others link to get the value that the link names. */
async function askExamples(): Promise<OpenApi> {
  const registry = await demoRegistry();
  const { document, ask } = registry;
  const known = new Map<string, Record<string, string>>();
  const left = [...operationsOf(document)];
  const count = left.length;
  for (let waits = 0; left.length > waits; ) {
    const asked = left.shift() as (typeof left)[number];
    const id = asked.operation.operationId;
    const request = exampleRequest(document, asked, known.get(id));
    if (request === undefined) {
      left.push(asked);
      waits += 1;
      continue;
    }
    waits = 0;
    const isHead = isStream(asked.operation);
    const answer = await ask(request, isHead);
    const wrong = breaches(document, asked.path, answer, asked.method as 'get');
    if (answer.statusCode > 202 || wrong.length > 0)
      fail(
        `${request.method} ${request.target}: ${answer.statusCode} ${answer.body.slice(0, 300)} ${JSON.stringify(wrong)}`,
      );
    for (const [target, values] of isHead ? [] : linked(asked.operation, answer)) known.set(target, values);
  }
  for (const { path } of left) fail(`${path}: no example and no link says what to ask for`);
  await registry.close();
  process.stdout.write(`${count} operations: each example asked of the demo's registry\n`);
  return document;
}

/** Whether the answer never ends. */
function isStream(operation: unknown): boolean {
  return JSON.stringify(member(operation, 'responses')).includes('text/event-stream');
}

/** The operations that the answer links to, with the values of their parameters that it has. */
function linked(operation: unknown, { statusCode, body }: { statusCode: number; body: string }) {
  const links = member(member(member(operation, 'responses'), String(statusCode)), 'links') ?? {};
  return Object.values(links).map((link) => {
    const values = Object.entries(member(link, 'parameters') ?? {}).flatMap(([name, expression]) => {
      const [start, pointer] = String(expression).split('#/');
      if (start !== '$response.body' || pointer === undefined) return [];
      const value = pointer
        .split('/')
        .reduce<unknown>((at, step) => elements(at)[Number(step)] ?? member(at, step), JSON.parse(body));
      return [[name, String(value)] as const];
    });
    return [String(member(link, 'operationId')), Object.fromEntries(values)] as const;
  });
}

/** What the demo has left, in a copy, with a key of the owner's. */
async function demoRegistry() {
  const path = join(folder, 'demo.sqlite');
  copyFileSync('.registry/demo.sqlite', path);
  const credentialKeys = '.registry/demo-credential-keys.json';
  const config = { ...readConfig({}), store: `sqlite:${path}`, credentialKeys };
  const store = await openStore(config, { create: false });
  const clock = { now: () => Date.now() + LATER_MS };
  const key = newApiKey();
  await store.records.keys.create({ id: key.id, hash: key.hash, member: OWNER }, Date.now());
  const web = strangers().listen(0, '127.0.0.1');
  await once(web, 'listening');
  const connectTo = [`*=http://127.0.0.1:${(web.address() as AddressInfo).port}`];
  const reach = { config, network: { connectTo }, clock };
  const checks = composeFileChecks({ ...reach, politeness: store.records.politeness, onFault: () => {} });
  const proofs = composeProofs({ ...reach, nameServer: NOBODY });
  const { records } = store;
  // what its example of joining comes with, and something to revive
  const hash = secretHash(String(member(elements(joinRequest.examples)[0], 'invitation'))) as string;
  await records.members.invite({ hash, expiresAt: clock.now() + LATER_MS }, Date.now());
  const actor = { kind: 'key', keyId: key.id, member: OWNER } as const;
  const wanted = {
    id: 'sub_0123456789abcdef',
    url: 'https://buyer.example/woken',
    types: '*',
    place: { agents: 0, edges: 0 },
    actor,
    most: 20,
  };
  await records.subscriptions.create(wanted, Date.now());
  const exports = join(folder, 'exports');
  await writeExport({ records, clock, cursorSecret: await cursorSecretOf(records) }, exports);
  const server = createServer({
    ...{
      ...store,
      checks,
      findProof: proofs.find,
      clock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
    },
    credentials: await composeCredentials(config, records, clock, checks.exchange),
    config: { answerWithinMs: 120_000, version: '0.1.0', trustedProxies: [], exports, join: 'domain' },
  });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    document: (await server.inject('/openapi.json')).json<ApiDocument & OpenApi>(),
    /** Of an answer that never ends the head is looked at. */
    async ask({ method, target, body }: ApiRequest, isStream: boolean): Promise<Answer> {
      const answer = await fetch(origin + target, {
        method,
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${key.key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (isStream) await answer.body?.cancel();
      const { status: statusCode, headers } = answer;
      return { statusCode, headers: Object.fromEntries(headers), body: isStream ? '' : await answer.text() };
    },
    async close() {
      await server.close();
      await checks.close();
      await proofs.close();
      web.close();
      await store.close();
    },
  };
}

function lint(document: OpenApi): void {
  const path = join(folder, 'openapi.json');
  writeFileSync(path, JSON.stringify(document));
  const program = join(import.meta.dirname, 'node_modules/@redocly/cli/bin/cli.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'lint', path, '--extends', 'recommended', '--format', 'json', '--max-problems', '1000'],
    // it asks its maker for newer versions and tells it what it does, unless it is told not to
    {
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  const { problems } = JSON.parse(stdout || JSON.stringify({ problems: [{ message: stderr }] })) as {
    problems: readonly { ruleId?: string; message: string; location?: readonly { pointer?: string }[] }[];
  };
  for (const { ruleId, message, location } of problems)
    fail(`${ruleId}: ${message} ${location?.[0]?.pointer}`);
  process.stdout.write(`redocly: ${problems.length} problems\n`);
}

function fail(line: string): void {
  process.stdout.write(`NO ${line}\n`);
  process.exitCode = 1;
}
