import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request as the web saw it. */
export interface Seen {
  readonly host: string;
  readonly path: string;
  /** Which worker asked, by the contact in its user agent. */
  readonly worker: string;
  readonly from: number;
  until: number;
}

export interface CountingWeb {
  /** For --connect-to. */
  readonly connectTo: string;
  readonly seen: readonly Seen[];
  /** Visits of the host: requests for its adagents.json. */
  visits(host: string): number;
  /** Resolves as soon as it is true of what was seen; tried after each request. */
  until(isSo: () => boolean): Promise<void>;
}

const FILE = '/.well-known/adagents.json';

/** A web on loopback where every host has an adagents.json that takes a while, and which remembers who asked when. */
export async function countingWeb(
  options: { readonly takesMs?: number; readonly hold?: (seen: Seen) => Promise<void> | undefined } = {},
): Promise<CountingWeb> {
  const seen: Seen[] = [];
  const waiting = new Set<() => void>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const one = seenOf(request);
    seen.push(one);
    for (const look of waiting) look();
    await options.hold?.(one);
    if (one.path === FILE) await new Promise((resolve) => setTimeout(resolve, options.takesMs ?? 20));
    one.until = performance.now(); // before the asker knows: later, we may be held up while it goes on
    if (one.path !== FILE) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ authorized_agents: [] }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    connectTo: `*=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    visits: (host) => seen.filter((one) => one.host === host && one.path === FILE).length,
    until: (isSo) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isSo()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

function seenOf({ headers, url = '' }: IncomingMessage): Seen {
  const worker = /https:\/\/([a-z0-9]+)\.worker\.example/.exec(headers['user-agent'] ?? '')?.[1] ?? 'nobody';
  const from = performance.now();
  return { host: headers.host ?? '', path: url, worker, from, until: Number.POSITIVE_INFINITY };
}
