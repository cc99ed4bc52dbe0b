import { hash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { directoryBodies } from '../../../src/adapters/bodies/directory-bodies.ts';
import { s3Bodies } from '../../../src/adapters/bodies/s3-bodies.ts';
import type { BodyStore } from '../../../src/ports/body-store.ts';
import { tempFolder } from '../../cli/support/cli.ts';

const HASH = 'ab'.repeat(32);
const BYTES = new Uint8Array([1, 2, 3, 0, 255]);

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A bucket that keeps objects by path, behind what may go wrong before it. */
async function bucket(faults: readonly number[] = []): Promise<{ address: string; asked: Asked[] }> {
  const objects = new Map<string, Buffer>();
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method, url = '', headers } = request;
    asked.push({ method, url, headers, body });
    const fault = faults[asked.length - 1];
    if (fault !== undefined)
      return void response.writeHead(fault, { location: '/elsewhere' }).end('<Error/>');
    if (method === 'PUT') objects.set(url, body);
    if (method === 'DELETE') return void response.writeHead(objects.delete(url) ? 204 : 404).end();
    const found = objects.get(url);
    response.writeHead(found ? 200 : 404).end(method === 'GET' ? found : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://key:sec%2Fret@127.0.0.1:${port}/bucket/files/?region=eu-1`, asked };
}

const STORES: readonly [string, () => Promise<BodyStore>][] = [
  ['a folder', async () => directoryBodies(join(tempFolder(), 'not', 'there', 'yet'))],
  ['a bucket', async () => s3Bodies((await bucket()).address)],
];

describe.each(STORES)('bodies in %s', (_name, make) => {
  it('are given back as they came, until they are deleted', async () => {
    const store = await make();
    expect(await store.get(HASH)).toBeUndefined();
    await store.put(HASH, BYTES);
    await store.put(HASH, BYTES);
    expect(Uint8Array.from((await store.get(HASH)) ?? [])).toEqual(BYTES);
    await store.drop(HASH);
    await store.drop(HASH);
    expect(await store.get(HASH)).toBeUndefined();
  });
});

describe('bodies in a folder', () => {
  it('have their name only when they are whole', async () => {
    const folder = tempFolder();
    const store = directoryBodies(folder);
    await store.put(HASH, BYTES);
    expect(readdirSync(join(folder, 'ab'))).toEqual([`${HASH}.zst`]);
  });

  it('are our own fault where the folder cannot be used', async () => {
    const path = join(tempFolder(), 'a-file');
    writeFileSync(path, '');
    const store = directoryBodies(path);
    const fault = {
      code: 'store_unavailable',
      retryable: true,
      hint: expect.stringContaining('REGISTRY_BODIES'),
    };
    await expect(store.put(HASH, BYTES)).rejects.toMatchObject(fault);
    await expect(store.get(HASH)).rejects.toMatchObject(fault);
    expect(existsSync(path)).toBe(true);
  });
});

describe('bodies in a bucket', () => {
  it('are asked for by path, signed, with the hash of what is sent', async () => {
    const { address, asked } = await bucket();
    await s3Bodies(address).put(HASH, BYTES);
    const [put] = asked;
    expect(put).toMatchObject({
      method: 'PUT',
      url: `/bucket/files/ab/${HASH}.zst`,
      body: Buffer.from(BYTES),
    });
    expect(put?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, /,
    );
    expect(put?.headers['x-amz-content-sha256']).toBe(hash('sha256', BYTES));
  });

  it.each([[[503]], [[500, 503, 429]]])('are asked for again after %j', async (faults) => {
    const { address, asked } = await bucket(faults);
    await s3Bodies(address).put(HASH, BYTES);
    expect(asked).toHaveLength(faults.length + 1);
  });

  it.each([
    [[403], 1],
    [[404], 1],
    [[500, 500, 500, 500], 4],
  ])('are our own fault when a write is answered by %j, which is no success', async (faults, tries) => {
    const { address, asked } = await bucket(faults);
    const fault = await s3Bodies(address)
      .put(HASH, BYTES)
      .catch((error: Error) => error);
    expect(fault).toMatchObject({ code: 'store_unavailable', retryable: true });
    expect(asked).toHaveLength(tries);
    expect(String(fault)).not.toContain('sec');
  });

  it('are our own fault when nobody listens', async () => {
    const store = s3Bodies('http://key:secret@127.0.0.1:1/bucket');
    await expect(store.get(HASH)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('are never fetched from where a redirect leads', async () => {
    const { address, asked } = await bucket([307, 307, 307, 307]);
    await expect(s3Bodies(address).get(HASH)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(new Set(asked.map(({ url }) => url)).size).toBe(1);
  });
});
