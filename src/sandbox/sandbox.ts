import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Vocabulary } from './agents/agent.ts';
import { LOCKED_TOKEN } from './agents/roster.ts';
import { buildWeb } from './build.ts';
import type { SandboxDomains } from './domains.ts';
import { type Expectations, type Summary, summarise } from './expectations.ts';

export interface SandboxOptions {
  /** Everything that is served follows from it. */
  readonly seed: number;
  /** Default 0: one that is free. */
  readonly port?: number;
  /** A loopback address; default 127.0.0.1. */
  readonly host?: string;
  /** The vocabulary of all agents; default: both, by turns. */
  readonly vocabulary?: Vocabulary;
  /** Default 200. */
  readonly publishers?: number;
  /** Small sites under one manager; default 6000. */
  readonly managed?: number;
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
  readonly expectations: Expectations;
  /** What an honest registry must find, in numbers. */
  summary(): Summary;
  /** Ends all connections, hanging ones too. */
  close(): Promise<void>;
}

/**
 * Starts a small advertising web on loopback: publishers, brands, agents and trouble under names ending in
 * `.example`, told apart by the Host header. Rejects with Node's error when the port is taken.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { seed, port = 0, host = '127.0.0.1', vocabulary, publishers = 200, managed = 6_000 } = options;
  const { web, domains, expectations } = buildWeb({ seed, vocabulary, publishers, managed });
  const server = createServer(web.handle);
  await listen(server, port, host);
  const origin = originOf(server.address() as AddressInfo);
  return {
    origin,
    domains,
    connectTo: [`*.example=${origin}`],
    agents: expectations.agents.map(({ declaredUrl }) => declaredUrl),
    token: LOCKED_TOKEN,
    expectations,
    summary: () => summarise(expectations),
    close: () => close(server),
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
