/**
 * The process that cleans up after an engine, whatever happens to the one that started it: when standard
 * input closes (on purpose, or because the starter was killed), it ends the processes it was told of and
 * removes the folder. Arguments: the folder. Input: lines of JSON, see KeeperMessage in keeper.ts.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { KeeperMessage } from './keeper.ts';
import { isAlive, killFamily, thawFamily, waitUntil } from './processes.ts';

const PATIENCE_MS = 10_000;

const folder = process.argv[2]!;
const watched = new Map<number, NodeJS.Signals>();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as KeeperMessage;
  if ('watch' in message) watched.set(message.watch, message.signal);
  else watched.delete(message.forget);
}
await Promise.all(watched.entries().map(([pid, signal]) => end(pid, signal)));
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(pid)) return;
  thawFamily(pid);
  process.kill(pid, signal);
  if (!(await waitUntil(() => !isAlive(pid), PATIENCE_MS))) killFamily(pid);
}
