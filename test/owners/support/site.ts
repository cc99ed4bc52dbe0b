import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const FILE = '/.well-known/agent-registry-challenge.txt';

export interface SiteAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** What happens between the question and the answer. */
  readonly before?: () => Promise<unknown>;
}

/** A site on loopback for one host; returns the mapping that leads there. `answers` may be changed meanwhile. */
export async function openSite(host: string, answers: Record<string, SiteAnswer>): Promise<string> {
  const server = createServer(async ({ url }, response) => {
    const { status, headers, body, before } = answers[url ?? ''] ?? { status: 404 };
    await before?.();
    response.writeHead(status ?? 200, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `${host}=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
