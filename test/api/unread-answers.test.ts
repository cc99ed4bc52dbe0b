import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newestExport, writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { call, get } from '../edge/support.ts';
import { bareDocument } from './support/documents.ts';
import { atEnd, openRegistry, sharedRegistry } from './support/registry.ts';

const KIB = 1_024;
/** More than both sides of a connection keep of what nobody reads, whatever the system is set to. */
const ENDLESS = 64 * KIB * KIB;
/** For what is written, and for each second beyond it. */
const [GRACE_MS, BYTES_PER_SECOND] = [15_000, 16 * KIB];

/** Agents with long names: the feed has 9 MB for whoever begins. */
const AGENTS = Array.from({ length: 300 }, (_, n) => {
  const bare = bareDocument(`https://agent-${n}.example/mcp`);
  return { ...bare, base: { ...bare.base, name: `${n}`.padEnd(30 * KIB, 'x') } };
});

/** A registry that listens, whose edge lives by the clock of the test alone. */
const opened = sharedRegistry(async () => {
  const exports = mkdtempSync(join(tmpdir(), 'registry-exports-'));
  atEnd(async () => rmSync(exports, { recursive: true }));
  const time = { value: 0 };
  const edge = { bounds: { sweepMs: 10, inactiveMs: 0 }, now: () => time.value };
  const registry = await openRegistry(AGENTS, { exports, edge });
  const { server, records, clock } = registry;
  await writeExport({ records, clock, cursorSecret: await cursorSecretOf(records) }, exports);
  truncateSync((await newestExport(exports))?.path ?? '', ENDLESS);
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { ...registry, time, port: (server.server.address() as AddressInfo).port };
});

/** `room`: what may wait for one reader, bytes. A page ends at 2 MiB, an event of the stream at 250 KiB; a file is read as it is taken. */
it.each([
  { path: '/api/registry/feed?limit=10000', room: 2_048 * KIB },
  { path: '/api/registry/feed/stream', room: 256 * KIB },
  { path: '/api/registry/export', room: 256 * KIB },
])(
  'a reader of $path that never reads keeps one piece waiting, holds nobody up, and is gone in time',
  async ({ path, room }) => {
    const { port, server, time, metrics } = await opened();
    const connected = once(server.server, 'connection') as Promise<[Socket]>;
    await call(port, get(path).repeat(12), { reads: false });
    const [socket] = await connected;
    // first the system takes what it has room for
    while (socket.writableLength === 0) await delay(5);
    const other = await call(port, get('/api/registry/stats', 'Connection: close\r\n'));
    expect(await other.gone).toMatch(/^HTTP\/1.1 200 /);
    const waits = socket.writableLength;
    expect(waits).toBeGreaterThan(0);
    expect(waits).toBeLessThanOrEqual(room);
    expect(socket.destroyed).toBe(false);
    const cuts = async () => Number(/reason="slow_reader"} (\d+)/.exec(await metrics.text())?.[1] ?? 0);
    const before = await cuts();
    // as long as the system still has room for something, the time for it begins anew
    while (!socket.destroyed) {
      time.value += GRACE_MS + (room * 1_000) / BYTES_PER_SECOND + 1;
      await delay(20);
    }
    expect(await cuts()).toBe(before + 1);
  },
);
