import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { collectPaths } from '../../src/api/openapi.ts';
import { describedBy, describedByPaths } from '../../src/api/operations/description.ts';
import { openRegistry } from './support/registry.ts';

const SEE = { operationId: 'see', summary: 'See it', responses: { 200: { description: 'It.' } } };

describe('the operations', () => {
  it('refuse a route that the OpenAPI document would not describe', () => {
    const server = fastify();
    collectPaths(server);
    expect(() => server.get('/forgotten', async () => 'here')).toThrow(/no OpenAPI operation .* \/forgotten/);
  });

  it('are described under the paths of their routes', () => {
    const server = fastify();
    const paths = collectPaths(server);
    server.get('/agents/:encodedUrl/badge/:role.svg', describedBy(SEE), async () => '');
    server.get('/files/*', describedByPaths({ '/files/{name}': SEE }), async () => '');
    server.get('/files', describedByPaths({}), async () => '');
    expect(paths).toEqual({
      '/agents/{encodedUrl}/badge/{role}.svg': { get: SEE },
      '/files/{name}': { get: SEE },
    });
  });

  it('are all answered by a route of the server', async () => {
    const { get, server } = await openRegistry();
    const { paths } = (await get('/openapi.json')).json<{ paths: Record<string, object> }>();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), url: path })),
    );
    expect(described.length).toBeGreaterThan(20);
    for (const { method, url } of described) {
      const route = server.findRoute({ method: method as 'GET', url: url.replace(/\{(\w+)\}/g, ':$1') });
      const wild = url.startsWith('/schemas/{version}/');
      expect([url, route !== null || wild]).toEqual([url, true]);
    }
  });
});
