import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { elements, member } from '../../src/base/json.ts';
import { callByName, withConnection } from '../../src/calling/connect.ts';
import type { TaskAnswer } from '../../src/calling/connection.ts';
import { CallFailure } from '../../src/calling/failure.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import type { Protocol } from '../../src/domain/agent-type.ts';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { probeAgent } from '../../src/probe/probe.ts';
import type { Order, Peer, Reply, Row } from './peer.ts';

/** The process of the Python client also serves: on a free port, which its answer names. */
type PythonOrder = Order | { readonly serve: true };

/** A server of the field. */
interface FieldServer {
  readonly name: string;
  /** What is dialled: the endpoint, and the origin alone, where it has to be found. */
  readonly urls: Readonly<Record<Protocol, readonly string[]>>;
  close(): Promise<void>;
}

/** A server that has just begun loads what it needs at its first call, beside all that else goes on here. */
const TIMES = { deadlineMs: 120_000, callMs: 60_000 };
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** Our calls, in the names of our own specification; what goes out is in those that the agent declares. */
const CALLS: readonly { task: string; request: object; wanted: string }[] = [
  { task: 'get_proto_capabilities', request: {}, wanted: 'answered' },
  { task: 'get_products', request: { buying_mode: 'brief', brief: 'banners' }, wanted: 'answered' },
  { task: 'get_products', request: { buying_mode: 'nonsense' }, wanted: 'VALIDATION_ERROR' },
  {
    task: 'create_media_buy',
    request: {
      idempotency_key: 'an-order-of-our-client',
      account: { brand: { domain: 'tidewater.example' }, operator: 'desk.example' },
      brand: { domain: 'tidewater.example' },
      start_time: inDays(30),
      end_time: inDays(60),
      packages: [{ product_id: 'none', budget: 10, pricing_option_id: 'cpm-usd' }],
    },
    wanted: 'PRODUCT_NOT_FOUND',
  },
];

/** Our probe and our calls against the servers of both packages; Python's runs in the process of its client. */
export async function runTheirs(python: Peer): Promise<readonly Row[]> {
  const servers = await Promise.all([javascriptServer(), pythonServer(python as Peer<PythonOrder>)]);
  const fetcher = composeFetcher(readConfig({}), { connectTo: [] }, systemClock);
  const rows: Row[] = [];
  for (const { name, urls } of servers)
    for (const protocol of ['mcp', 'a2a'] as const)
      for (const url of urls[protocol]) rows.push(...(await rowsOf(fetcher, name, protocol, url)));
  await fetcher.close();
  await Promise.all(servers.map((server) => server.close()));
  return rows;
}

async function rowsOf(fetcher: Fetcher, name: string, protocol: Protocol, url: string): Promise<Row[]> {
  const about = { client: 'ours', transport: protocol };
  const at = `${name}${new URL(url).pathname}`;
  const seen = await probeAgent({
    ...{ url, key: url, fetcher, clock: systemClock, openOrigin: url, hints: { protocol } },
    ...TIMES,
  });
  const operations = seen.exposed?.capabilities.standard_operations;
  const isSeen = seen.health.online && seen.protocol === protocol && operations?.can_create_order === true;
  const probed: Row = {
    ...{ ...about, task: `probe of ${at}` },
    verdict: isSeen ? `online, ${seen.health.toolsCount} tasks` : JSON.stringify(seen.health),
    right: isSeen,
  };
  const visit = {
    url,
    fetcher,
    clock: systemClock,
    openOrigin: url,
    protocols: [protocol],
    ...TIMES,
  };
  const called = await withConnection(visit, async (connection) => {
    if (connection instanceof CallFailure) return [];
    const rows: Row[] = [];
    for (const { task, request, wanted } of CALLS) {
      const { answer } = await callByName(connection, task, request);
      rows.push({
        ...about,
        task: `${task} of ${at}`,
        verdict: told(answer),
        right: told(answer) === wanted,
      });
    }
    return rows;
  });
  return [probed, ...called];
}

function told(answer: TaskAnswer): string {
  if (answer.outcome === 'refused') return answer.error.code ?? answer.error.message;
  if (answer.outcome === 'failed') return answer.failure.message;
  // the Python server marks a handler's `errors` as an answer over MCP
  const code = member(elements(member(answer.data, 'errors'))[0], 'code');
  return typeof code === 'string' ? code : 'answered';
}

async function javascriptServer(): Promise<FieldServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'servers/javascript.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'development' },
  });
  const ended = once(child, 'exit');
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { mcp, a2a } = JSON.parse(value ?? '{}') as { mcp: number; a2a: number };
  return {
    name: 'javascript',
    urls: {
      mcp: [`http://127.0.0.1:${mcp}/mcp`, `http://127.0.0.1:${mcp}/`],
      a2a: [`http://127.0.0.1:${a2a}/a2a`, `http://127.0.0.1:${a2a}/`],
    },
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

/** In the process of the client, since to load the package takes longer than all the rest. */
async function pythonServer(peer: Peer<PythonOrder>): Promise<FieldServer> {
  const { data } = (await peer.call({ serve: true })) as Reply;
  const origin = `http://127.0.0.1:${data?.port}`;
  await answering(`${origin}/mcp`);
  return {
    name: 'python',
    urls: { mcp: [`${origin}/mcp`, `${origin}/`], a2a: [`${origin}/`] },
    close: async () => undefined,
  };
}

/** Whatever it answers: it is there. */
async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined) return;
    await pause(100);
  }
  throw new Error(`${url} did not answer in two minutes`);
}
