import { createSecureContext } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { FILE_PATHS } from './publishers.ts';

export interface PeerInput {
  readonly port: number;
  readonly ca: string;
  readonly domains: readonly string[];
  readonly concurrency: number;
  /** As somebody who was there within a day: conditional requests for the files, none for robots.txt. */
  readonly again: boolean;
}

const HEADERS = {
  accept: 'application/json, */*;q=0.5',
  'user-agent': 'agent-registry/0.1.0 (+https://agent-registry.example/crawler)',
  'accept-encoding': 'gzip, deflate, br, zstd',
};

/**
 * The floor of a visit: one connection, three requests, the bodies in memory, nothing kept. It has these advantages of
 * ours: one secure context for all, HTTP/1.1 only, no timers. TLS is as Node has it: its key groups, its comparison of names.
 */
export function bareVisitor({ port, ca, again }: PeerInput): (domain: string) => Promise<void> {
  const secureContext = createSecureContext({ ca });
  const dial = buildConnector({
    secureContext,
    allowH2: false,
    maxCachedSessions: 0,
    autoSelectFamily: false,
  });
  const connect: buildConnector.connector = (options, callback) =>
    dial({ ...options, hostname: '127.0.0.1', port: String(port), servername: options.hostname }, callback);
  const fileHeaders = again ? { ...HEADERS, 'if-none-match': '"1"' } : HEADERS;
  return async (domain) => {
    const client = new Client(`https://${domain}`, { connect, headersTimeout: 0, bodyTimeout: 0 });
    try {
      if (!again) await get(client, '/robots.txt', HEADERS);
      for (const path of FILE_PATHS) await get(client, path, fileHeaders);
    } finally {
      client.destroy(null, () => {});
    }
  };
}

async function get(client: Client, path: string, headers: Record<string, string>): Promise<void> {
  const { statusCode, body } = await client.request({ method: 'GET', path, headers });
  await body.arrayBuffer();
  if (statusCode !== 200 && statusCode !== 304) throw new Error(`${path} answered ${statusCode}`);
}
