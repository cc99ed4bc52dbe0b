import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './processes.ts';

/** Below the range from which Linux takes ports for outgoing connections, so that a restart finds it free. */
const FIRST = 15_000;
const LAST = 29_999;
/** A file for each port that a process has chosen: an engine that is restarted finds its own free, whoever starts meanwhile. */
const CHOSEN = join(tmpdir(), 'registry-ports');

const ours: string[] = [];
process.once('exit', () => {
  for (const file of ours) rmSync(file, { force: true });
});

/**
 * A port of 127.0.0.1 on which nobody listens now, and which no other process that asks here gets while this one lives.
 * Somebody else may take it: who starts must look again.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST + 1);
  return isChosen(port) && (await isFree(port)) ? port : freePort();
}

/** Writes down that the port is ours; false when it is another living process's. */
function isChosen(port: number): boolean {
  const file = join(CHOSEN, String(port));
  try {
    mkdirSync(CHOSEN, { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    ours.push(file);
  } catch (error) {
    // another user's folder holds nobody back
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
    forget(file);
    return false;
  }
  return true;
}

/** What a killed process has left is free from the next time on; an empty file is being written. */
function forget(file: string): void {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0 && !isAlive(pid)) rmSync(file, { force: true });
  } catch {
    // given back just now
  }
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
