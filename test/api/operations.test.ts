import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { collectPaths } from '../../src/api/openapi.ts';
import { describedBy, describedByPaths } from '../../src/api/operations/description.ts';
import { type ApiDocument, exampleRequest, operationsOf } from '../../src/pages/docs/document.ts';
import { OWN_NAMES, withEachPlace } from '../support/own-names.ts';
import { breaches, type OpenApi } from './support/contract.ts';
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
    expect(paths).toMatchObject({
      '/agents/{encodedUrl}/badge/{role}.svg': { get: SEE },
      '/files/{name}': { get: SEE },
    });
  });

  it('say what the server refuses for each of them', async () => {
    const { get, server } = await openRegistry();
    const document = (await get('/openapi.json')).json<ApiDocument & OpenApi>();
    const large = Buffer.alloc(2_097_152, ' ');
    const wrong: unknown[] = [];
    for (const { path, method } of operationsOf(document)) {
      const ask = async (status: number, url: string, type: string, payload?: string | Buffer) => {
        const name = method as 'post';
        const headers = { 'content-type': type };
        const answer = await server.inject({ method: name, url, headers, ...(payload && { payload }) });
        const found = breaches(document, path, answer, name);
        if (answer.statusCode !== status || found.length > 0)
          wrong.push([name, path, answer.statusCode, found]);
      };
      const url = path.replace(/\{\w+\}/g, 'x');
      if (url !== path) await ask(400, path.replace(/\{\w+\}/g, '%FF'), 'application/json');
      if (method === 'get') continue;
      await ask(415, url, 'text/plain', 'words');
      await ask(413, url, 'application/json', large);
    }
    expect(wrong).toEqual([]);
  });

  it('take a request without content as one, whatever its Content-Type says', async () => {
    const { get, server, addKey } = await openRegistry();
    const document = (await get('/openapi.json')).json<ApiDocument & OpenApi>();
    const { key } = await addKey('acme');
    const wrong: unknown[] = [];
    for (const { path, method, operation } of operationsOf(document)) {
      if (method === 'get') continue;
      const url = path.replace(/\{\w+\}/g, encodeURIComponent('https://a.example/mcp'));
      const ask = async (headers = {}) => {
        const authorization = `Bearer ${key}`;
        const payload = Object.keys(headers).length === 0 ? undefined : '';
        const answer = await server.inject({
          ...{ method: method as 'POST', url, headers: { authorization, ...headers } },
          ...(payload !== undefined && { payload }),
        });
        return [answer.statusCode, answer.body === '' ? '' : answer.json().detail];
      };
      const without = await ask();
      for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
        const typed = await ask({ 'content-type': type, 'content-length': '0' });
        if (JSON.stringify(typed) !== JSON.stringify(without))
          wrong.push([method, path, type, without, typed]);
      }
      if (operation.requestBody !== undefined && ![400, 401, 403, 404, 501].includes(without[0]))
        wrong.push([method, path, without]);
    }
    expect(wrong).toEqual([]);
  });

  it('call nothing that stands in a body, at any place', async () => {
    const { get, server, addKey } = await openRegistry();
    const document = (await get('/openapi.json')).json<ApiDocument & OpenApi>();
    const { key } = await addKey('acme');
    const faults = new Set<string>();
    let asked = 0;
    for (const operation of operationsOf(document)) {
      const { body, target, method } = exampleRequest(document, operation) ?? {};
      if (body === undefined || target === undefined) continue;
      for (const payload of OWN_NAMES.flatMap((put) => [...withEachPlace(body, put)])) {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
        const name = method as 'POST';
        const answer = await server.inject({
          method: name,
          url: target,
          headers,
          payload: JSON.stringify(payload),
        });
        asked += 1;
        if (answer.statusCode === 500)
          faults.add(`${method} ${target} ${JSON.stringify(payload)}`.slice(0, 300));
      }
    }
    expect(asked).toBeGreaterThan(100);
    expect([...faults]).toEqual([]);
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
