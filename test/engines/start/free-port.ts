import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range from which Linux takes ports for outgoing connections, so that a restart finds it free. */
const FIRST = 15_000;
const LAST = 29_999;

/** A port of 127.0.0.1 in the range (both ends included) on which nobody listens now. Somebody else may take it: who starts must look again. */
export async function freePort(first = FIRST, last = LAST): Promise<number> {
  const port = randomInt(first, last + 1);
  return (await isFree(port)) ? port : freePort(first, last);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
