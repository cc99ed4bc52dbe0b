import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { FileReading } from './large-files.ts';
import { readBytes } from './shared-files.ts';

/** Behind the loop, which everybody waits for. Linux alone gives a thread a priority of its own. */
const NICE = 5;

// the thread of large-files.ts: files in, what they say out, one after the other
if (process.platform === 'linux') setPriority(NICE);
parentPort?.on(
  'message',
  ({ kind, bytes, bounds }: Omit<FileReading, 'body' | 'owner'> & { readonly bytes: Uint8Array }) =>
    parentPort?.postMessage(readBytes(kind, bytes, { ...bounds, isOwn: true })),
);
