import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createGuardedServer, type EdgeOptions } from '../../src/edge/guarded-server.ts';

/** A guarded server on loopback, until the test is over. */
export async function guarded(listener: RequestListener, options: EdgeOptions = {}): Promise<number> {
  const server = createGuardedServer(listener, options);
  return listening(server);
}

export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

export interface Caller {
  readonly socket: Socket;
  /** What has come so far. */
  text(): string;
  /** Resolves with all that came, once the connection is gone. */
  readonly gone: Promise<string>;
}

/** A caller on a bare socket; `reads: false` takes nothing of what it is sent. */
export async function call(
  port: number,
  bytes: string,
  { reads = true, allowHalfOpen = false, localAddress = '127.0.0.1' } = {},
): Promise<Caller> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen, localAddress });
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString('latin1');
  socket.on('error', () => {});
  if (reads) socket.on('data', (chunk) => chunks.push(chunk));
  else socket.pause();
  onTestFinished(() => void socket.destroy());
  const gone = new Promise<string>((resolve) => socket.once('close', () => resolve(text())));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, text, gone };
}

/** A request without a body. */
export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}
