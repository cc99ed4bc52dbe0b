import { describe, expect, it } from 'vitest';
import { RegistryError } from '../../src/errors.ts';
import { openRegistry } from './support/registry.ts';

describe('the routes for operators', () => {
  it('lists the operations at the bare address', async () => {
    const { get } = await openRegistry();
    const { operations } = (await get('/')).json();
    expect(operations).toContainEqual({
      method: 'GET',
      path: '/api/registry/agents',
      summary: 'List agents',
    });
  });

  it('is healthy and ready over a good store', async () => {
    const { get } = await openRegistry();
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await get('/readyz')).json()).toEqual({
      status: 'ready',
      checks: { records: 'ok', index: 'ok', writes: 'ok' },
    });
  });

  it('stays healthy and says which part is not ready when the store is gone', async () => {
    const { get, records, server } = await openRegistry();
    await server.ready();
    records.database.exec('DROP TABLE meta');
    expect((await get('/healthz')).statusCode).toBe(200);
    const response = await get('/readyz');
    expect(response.json()).toMatchObject({
      status: 503,
      code: 'not_ready',
      detail: 'not readable: records (store_corrupt)',
    });
  });

  it('names the index as the part that is away, and is ready again by itself', async () => {
    const { get, records } = await openRegistry();
    records.database.exec("UPDATE index_generation SET state = 'previous'");
    const response = await get('/readyz');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    expect(response.json()).toMatchObject({ detail: 'not readable: index (index_missing)' });
    records.database.exec("UPDATE index_generation SET state = 'live'");
    expect((await get('/readyz')).statusCode).toBe(200);
  });

  it('is ready and says so while it can read and not write', async () => {
    let faults: readonly unknown[] = [new RegistryError('store_unwritable', 'no space is left')];
    const { get } = await openRegistry([], {}, { writeFaults: () => faults });
    expect((await get('/readyz')).json()).toMatchObject({
      status: 'ready',
      checks: { records: 'ok', index: 'ok', writes: 'store_unwritable' },
    });
    faults = [];
    expect((await get('/readyz')).json()).toMatchObject({ checks: { writes: 'ok' } });
  });

  it('says all that is wrong at once, each code once', async () => {
    const [disk, index] = ['store_unwritable', 'index_ahead'] as const;
    const faults = [disk, index, disk].map((code) => new RegistryError(code, 'of this test'));
    const { get, records, server } = await openRegistry([], {}, { writeFaults: () => faults });
    const writes = 'store_unwritable, index_ahead';
    expect((await get('/readyz')).json()).toMatchObject({ checks: { writes } });
    await server.ready();
    records.database.exec("DROP TABLE meta; UPDATE index_generation SET state = 'previous'");
    expect((await get('/readyz')).json()).toMatchObject({
      status: 503,
      detail: `not readable: records (store_corrupt), index (index_missing); not writable: ${writes}`,
    });
  });

  it('counts answers by the pattern of their route, never by the address', async () => {
    const { get, metrics } = await openRegistry();
    await get('/api/registry/agents/https%3A%2F%2Fa.example%2F/compliance');
    await get('/somewhere/else');
    await get('/%zz');
    const figures = await metrics.text();
    const pattern = 'route="/api/registry/agents/:encodedUrl/compliance",method="GET",status="404"';
    expect(figures).toContain(`registry_http_requests_total{${pattern}} 1`);
    expect(figures).toContain('registry_http_requests_total{route="unmatched",method="GET",status="404"} 1');
    expect(figures).toContain('registry_http_requests_total{route="unmatched",method="GET",status="400"} 1');
    expect(figures).not.toContain('a.example');
  });

  it('shows no figures: they have a port of their own', async () => {
    const { get } = await openRegistry();
    expect((await get('/metrics')).statusCode).toBe(404);
  });
});
