import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiDocument, DescribedOperation } from '../../src/pages/docs/document.ts';
import { operationPage } from '../../src/pages/docs/operation.ts';
import { overviewPage } from '../../src/pages/docs/overview.ts';
import { schemaPage } from '../../src/pages/docs/schema.ts';
import { pageHtml } from '../../src/pages/layout.ts';
import { openRegistry } from './support/registry.ts';

const MAX_BYTES = 150_000;
const PAGES = join(import.meta.dirname, '../../src/pages');
const sources = () =>
  readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(PAGES, name), 'utf8'));
const links = (page: string) => [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
const unescaped = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'");

describe('the pages of the API reference', () => {
  it('lead to each other and to what they load, each small, each of this registry alone', async () => {
    const { get } = await openRegistry();
    const read = new Map<string, string>();
    const open = ['/docs'];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (read.has(path)) continue;
      const { statusCode, body, headers } = await get(path);
      expect([path, statusCode]).toEqual([path, 200]);
      expect(body.length, path).toBeLessThan(MAX_BYTES);
      read.set(path, body);
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      for (const link of links(body)) {
        expect(link).toMatch(/^[#/](?!\/)/);
        const [target = ''] = link.split('#');
        if (/^\/(?:docs|assets)\b/.test(target)) open.push(target);
      }
      // nothing stands inline, and nothing was put in that is no text
      expect(body).not.toMatch(
        /<script(?! type="module" src="\/)|<style|<[^>]*\s(?:style|on\w+)=|javascript:|>undefined<|\[object/i,
      );
    }
    const { paths, components } = (await get('/openapi.json')).json<ApiDocument>();
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    for (const id of ids) expect(read.keys()).toContain(`/docs/api/${id}`);
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining([...read.keys()].flatMap(schemaOf)),
    );
  });

  it('carry a strict policy, and their parts may be kept for ever', async () => {
    const { get } = await openRegistry();
    const { headers, body } = await get('/docs/api/listAgents');
    expect(headers).toMatchObject({ 'referrer-policy': 'same-origin', 'x-content-type-options': 'nosniff' });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
    for (const path of links(body).filter((link) => link.startsWith('/assets/'))) {
      expect((await get(path)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect((await get(path.replace(/\.[0-9a-f]{12}\./, '.000000000000.'))).statusCode).toBe(404);
    }
  });

  it('name the host that was asked, as it is plain, and repeat no other address', async () => {
    const { get } = await openRegistry([], { trustedProxies: ['127.0.0.1'] });
    const foreign = {
      host: 'a.example:8080',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
    };
    const { body } = await get('/docs/api/listAgents');
    const there = await get('/docs/api/listAgents?q=%3Cscript%3E', foreign);
    expect(there.body.replaceAll('http://a.example:8080', 'http://localhost')).toBe(body);
    expect(body).toContain('<code data-curl>curl &#39;http://localhost/api/registry/agents');
    const nowhere = await get('/docs/api/%3Cscript%3Eevil.example', foreign);
    expect(nowhere.statusCode).toBe(404);
    expect(nowhere.body).not.toMatch(/evil|<script>/);
    expect((await get('/docs/schemas/__proto__')).statusCode).toBe(404);
  });

  it('stand below the path of the public address', async () => {
    const { get } = await openRegistry([], { baseUrl: 'https://registry.example/agents' });
    const { body } = await get('/docs/api/listAgents');
    for (const link of links(body)) expect(link).toMatch(/^(?:#|\/agents\/)/);
    expect(body).toContain('data-path="/agents/api/registry/agents"');
    expect(body).toContain('curl &#39;https://registry.example/agents/api/registry/agents');
  });

  it('show every text of the document as text', () => {
    const bad = `"'><script>x</script><img src=x onerror=x>&amp;\``;
    const operation = {
      ...{ operationId: bad, summary: bad, description: bad, tags: [bad], security: [{ apiKey: [bad] }] },
      parameters: [{ name: bad, in: 'query', description: bad, schema: { enum: [bad] }, example: bad }],
      requestBody: {
        content: { 'application/json': { schema: { description: bad }, example: { [bad]: bad } } },
      },
      responses: {
        200: {
          description: bad,
          headers: { [bad]: { description: bad } },
          content: {
            [bad]: { schema: { examples: [bad], properties: { [bad]: { type: bad, description: bad } } } },
          },
        },
      },
    };
    const described: DescribedOperation = { path: `/${bad}`, method: 'get', operation: operation as never };
    const document = {
      ...{
        info: { title: bad, version: bad, description: bad },
        security: [],
        tags: [{ name: bad, description: bad }],
      },
      ...{ paths: { [`/${bad}`]: { get: operation } }, components: { schemas: {} } },
    } as unknown as ApiDocument;
    const site = {
      root: '',
      origin: 'http://registry.example',
      version: bad,
      asset: (name: string) => `/assets/${name}`,
    };
    const schema = { description: bad, examples: [bad], properties: { [bad]: { const: bad } } };
    for (const page of [
      overviewPage(site, document),
      operationPage(site, document, described),
      schemaPage(site, document, bad, schema),
    ]) {
      const text = pageHtml(site, page);
      expect(text).not.toMatch(/<script>|<img/);
      expect(unescaped(text)).toContain('&lt;script');
    }
  });

  it('are made of templates that escape: attributes have quotes, and nothing is put in raw', () => {
    for (const text of sources()) expect(text).not.toMatch(/\s[\w-]+=\$\{|html\.raw/);
  });
});

function schemaOf(path: string): string[] {
  return path.startsWith('/docs/schemas/') ? [path.slice('/docs/schemas/'.length)] : [];
}
