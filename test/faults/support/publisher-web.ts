import { setTimeout as pause } from 'node:timers/promises';
import {
  adagentsJson,
  brandJson,
  FILE_PATHS,
  PARENT,
  publisherNames,
  ROBOTS_TXT,
} from '../../../bench/support/publishers.ts';
import type { Admit } from '../../../reference-agents/src/agents/admission.ts';
import type { AgentProfile, AgentSpec } from '../../../reference-agents/src/agents/agent.ts';
import { statelessMcp } from '../../../reference-agents/src/agents/mcp-http.ts';
import { mcp, ROSTER } from '../../../reference-agents/src/agents/roster.ts';
import { createAgent, type RunningAgent } from '../../../reference-agents/src/agents/running-agent.ts';
import { ANONYMOUS } from '../../../reference-agents/src/reference/handler.ts';
import { readRequestBody } from '../../../reference-agents/src/web/read-body.ts';
import { bareAgent } from '../../../reference-agents/test/support/reference-agent.ts';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { type Handler, startWeb } from '../../scenarios/support/web.ts';

/** A web of publishers and agents on loopback that writes down what it was asked. */
export interface PublisherWeb {
  readonly domains: readonly string[];
  /** How many agents they declare. */
  readonly agents: number;
  /** The flags that lead a command to it. */
  readonly flags: readonly string[];
  /** What was asked since this was last called. */
  seen(): Asked;
  /** How much was asked since `seen`, for watching. */
  count(): number;
  close(): Promise<void>;
}

export interface Asked {
  /** How often each file of a publisher was fetched, by `host path`. */
  readonly files: ReadonlyMap<string, number>;
  /** Requests to each agent, by host. */
  readonly agents: ReadonlyMap<string, number>;
}

export interface PublisherWebOptions {
  readonly domains: number;
  readonly agents: number;
  /** How long an answer takes, milliseconds: so that there is something under way at any moment. */
  readonly delayMs: number;
}

const AGENT = 'agent-';
/** One in so many agents is dead. */
const DEAD = 4;
const TRANSPORT = mcp('json');
const STATES = openAgentStates(':memory:');

/** Starts it in this process. */
export async function startPublisherWeb(options: PublisherWebOptions): Promise<PublisherWeb> {
  const domains = publisherNames(options.domains);
  const publishers = domains.map((host) => [host, publisher(host, options)] as const);
  const agents = Array.from({ length: options.agents }, (_, number) => [
    `${AGENT}${number}.${PARENT}`,
    agent(number, options.delayMs),
  ]);
  const web = await startWeb(Object.fromEntries([...publishers, ...agents]));
  return {
    domains,
    agents: options.agents,
    flags: ['--connect-to', web.connectTo],
    seen: () => askedOf(web.requests.splice(0)),
    count: () => web.requests.length,
    close: () => web.close(),
  };
}

function publisher(host: string, { agents, delayMs }: PublisherWebOptions): Handler {
  const pages: Readonly<Record<string, string>> = {
    '/robots.txt': ROBOTS_TXT,
    [FILE_PATHS[0]]: adagentsJson(host, { agents }),
    [FILE_PATHS[1]]: brandJson(host),
  };
  return async ({ url = '/' }, response) => {
    await pause(delayMs);
    const page = pages[url];
    response.writeHead(page === undefined ? 404 : 200).end(page);
  };
}

/** An agent of the sandbox under a name of ours, or one that is not there. */
function agent(number: number, delayMs: number): Handler {
  const spec = ROSTER[number % ROSTER.length]!;
  const url = `https://${AGENT}${number}.${PARENT}/mcp`;
  const page = statelessMcp(running({ ...spec, url, transport: TRANSPORT }), TRANSPORT, fromAnybody);
  const isDead = number % DEAD === 0;
  return async (request, response) => {
    await pause(delayMs);
    if (isDead || request.url !== '/mcp') response.writeHead(404).end();
    else await page(request, response);
  };
}

/** It is only looked at, so it knows no callers and keeps nothing. */
function running(spec: AgentSpec): RunningAgent {
  const facts: AgentProfile = { vocabulary: 'adcp', publisherDomains: [], metrics: [] };
  const reference = bareAgent(spec, facts, STATES.of(spec.url));
  const onFault = (fault: unknown) => {
    throw fault;
  };
  return createAgent(spec, facts, { reference, now: Date.now, onFault });
}

/** Of a caller that is killed in the middle of its request nothing is left to answer. */
const fromAnybody: Admit = async (request) => {
  const body = await readRequestBody(request).catch(() => undefined);
  return body === undefined ? undefined : { caller: ANONYMOUS, body: JSON.parse(String(body)) };
};

/** From `host path status` lines. */
function askedOf(requests: readonly string[]): Asked {
  const asked = { files: new Map<string, number>(), agents: new Map<string, number>() };
  for (const request of requests) {
    const [host = '', path = ''] = request.split(' ');
    if (host.startsWith(AGENT)) add(asked.agents, host);
    else add(asked.files, `${host} ${path}`);
  }
  return asked;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Visits that were made again, beside an undisturbed run: of publishers by their files, of agents by their requests. */
export function refetches(
  disturbed: Asked,
  undisturbed: Asked,
): { readonly visits: number; readonly probes: number } {
  const again = (counts: Asked['files'], once: Asked['files']) =>
    [...counts].map(([key, count]) => [key, Math.max(0, count / (once.get(key) ?? 1) - 1)] as const);
  const byHost = Map.groupBy(again(disturbed.files, undisturbed.files), ([key]) => key.split(' ')[0]);
  const visits = [...byHost.values()].map((files) => Math.max(...files.map(([, times]) => times)));
  const probes = again(disturbed.agents, undisturbed.agents).map(([, times]) => Math.ceil(times));
  return { visits: Math.ceil(sum(visits)), probes: sum(probes) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
