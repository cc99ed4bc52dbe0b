import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  AgentStates,
  Clock,
  Fetcher,
  Jwk,
  KeyDirectory,
  ReplayStore,
  VocabularyName,
} from '@agent-registry/surface/agent-kit';
import { createGuardedServer } from '@agent-registry/surface/agent-kit';
import { LOCKED_TOKEN } from './agents/roster.ts';
import { buildWeb } from './build.ts';
import { BUYERS } from './buyers.ts';
import type { SandboxDomains } from './domains.ts';
import { type Expectations, type Summary, summarise } from './expectations.ts';
import { startUpkeep } from './upkeep.ts';
import { frontPage } from './web/front-page.ts';
import { publishedFrom } from './web/web.ts';

export interface SandboxOptions {
  /** Everything that is served follows from it. */
  readonly seed: number;
  /** Default 0: one that is free. */
  readonly port?: number;
  /** A loopback address; default 127.0.0.1. */
  readonly host?: string;
  /** The vocabulary of all agents; default: both, by turns. */
  readonly vocabulary?: VocabularyName;
  /** Default 200. */
  readonly publishers?: number;
  /** Small sites under one manager; default 6000. */
  readonly managed?: number;
  /** Public keys with which a user signs as the buying agent of `desk.example`. */
  readonly deskKeys?: readonly Jwk[];
  /** `HOST=ORIGIN`, as for `--connect-to`: where hosts outside of the sandbox are, such as a receiver of webhooks. */
  readonly connectTo?: readonly string[];
  /** A folder whose files `HOST/NAME` are served as `https://HOST/.well-known/NAME`; they may come and go. */
  readonly wellKnown?: string;
  /** Milliseconds that agents take for each task, by declared URL; default: as long as it takes. */
  readonly slow?: ReadonlyMap<string, number>;
}

/** What the agents of the sandbox stand on. */
export interface SandboxParts {
  readonly states: AgentStates;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  /** The guarded way out of the agents, with these hosts mapped. */
  openFetcher(connectTo: readonly string[]): Fetcher;
  openKeys(fetcher: Fetcher): KeyDirectory;
  /** Hears of faults of the sandbox itself; its callers are told that there was one, and no more. */
  onFault(error: unknown): void;
}

export interface Sandbox {
  /** The listener: `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Every domain worth naming on a command line, by what it is. */
  readonly domains: SandboxDomains;
  /** What `--connect-to` wants, so that the names lead here. */
  readonly connectTo: readonly string[];
  /** The agents' addresses as declared. */
  readonly agents: readonly string[];
  /** What opens the agent that wants credentials. */
  readonly token: string;
  /** The buyers that all agents know, with their bearer tokens. */
  readonly buyers: readonly { readonly url: string; readonly operator: string; readonly token: string }[];
  readonly expectations: Expectations;
  /** What an honest registry must find, in numbers. */
  summary(): Summary;
  /**
   * Gives the agent at this declared URL the fault of a broken agent (reference-agents/docs/broken-agents.md) from now on, or takes it
   * away. For whoever started the sandbox only. Throws for an agent or a fault that there is not.
   */
  setFault(url: string, fault: string | undefined): void;
  /** Ends all connections, hanging ones too. */
  close(): Promise<void>;
}

/** What answers: known only when the server is, since the pages name its address. */
interface Site {
  answer: RequestListener;
}

/** Streams of agents are silent for long, and a registry under test opens many connections. */
const BOUNDS = { inactiveMs: 0, requestMs: 60_000, ofAddress: Number.POSITIVE_INFINITY };

/**
 * Starts a small advertising web on loopback: publishers, brands, agents and trouble under names ending in
 * `.example`, told apart by the Host header. Rejects with Node's error when the port is taken; whenever it rejects,
 * nothing of it is left open.
 */
export async function serveSandbox(options: SandboxOptions, parts: SandboxParts): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1' } = options;
  const site: Site = { answer: (_request, response) => void response.writeHead(503).end() };
  const server = createGuardedServer((...exchange) => site.answer(...exchange), { bounds: BOUNDS });
  await listen(server, port, host);
  const fetchers: Fetcher[] = [];
  const open = (connectTo: readonly string[]): Fetcher => {
    const fetcher = parts.openFetcher(connectTo);
    fetchers.push(fetcher);
    return fetcher;
  };
  const end = async () => {
    await close(server);
    await Promise.all(fetchers.map((fetcher) => fetcher.close()));
  };
  try {
    return await serveOn(server, site, options, { ...parts, openFetcher: open }, end);
  } catch (error) {
    await end();
    throw error;
  }
}

async function serveOn(
  server: Server,
  site: Site,
  options: SandboxOptions,
  parts: SandboxParts,
  end: () => Promise<void>,
): Promise<Sandbox> {
  const { seed, vocabulary, publishers = 200, managed = 6_000 } = options;
  const origin = originOf(server.address() as AddressInfo);
  const connectTo = [`*.example=${origin}`];
  // Two ways out: a webhook holds the turn of its receiver's domain while the receiver looks for the sender's keys,
  // and here both may live on one domain.
  const mapped = [...connectTo, ...(options.connectTo ?? [])];
  const [fetcher, keyFetcher] = [parts.openFetcher(mapped), parts.openFetcher(mapped)];
  const built = await buildWeb(
    {
      seed,
      vocabulary,
      publishers,
      managed,
      deskKeys: options.deskKeys ?? [],
      slow: options.slow ?? new Map(),
    },
    { ...parts, fetcher, keys: parts.openKeys(keyFetcher) },
  );
  const { web, domains, expectations } = built;
  web.listener(frontPage(origin, expectations.agents));
  if (options.wellKnown !== undefined) web.publish(publishedFrom(options.wellKnown));
  site.answer = web.handle;
  const upkeep = startUpkeep(built.agents, parts);
  return {
    origin,
    domains,
    connectTo,
    agents: expectations.agents.map(({ declaredUrl }) => declaredUrl),
    token: LOCKED_TOKEN,
    buyers: BUYERS.map(({ url, operator, token }) => ({ url, operator, token })),
    expectations,
    summary: () => summarise(expectations),
    setFault: built.faults.set,
    async close() {
      await close(server);
      await upkeep.stop();
      await end();
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(void server.off('error', reject)));
  });
}

function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
