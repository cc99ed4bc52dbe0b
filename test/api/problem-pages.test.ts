import { describe, expect, it, vi } from 'vitest';
import { RegistryError } from '../../src/errors.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const HTML = 'text/html; charset=utf-8';
const PROBLEM = 'application/problem+json; charset=utf-8';

/** A registry whose store is away. */
async function broken(error: Error) {
  const registry = await openRegistry();
  vi.spyOn(registry.records.agents, 'facts').mockRejectedValue(error);
  return registry;
}

const empty = sharedRegistry(() => openRegistry());

describe('what cannot be shown', () => {
  it.each([
    ['/nowhere', 404, 'Not found'],
    ['/nowhere/%3Cscript%3E', 404, 'Not found'],
    ['/agents/%zz', 400, 'Invalid percent-encoding'],
    ['/docs/api/nothing', 404, 'Page not found'],
  ])('is a page for a browser at %s: %d', async (path, status, title) => {
    const { get } = await empty();
    const { statusCode, headers, body } = await get(path, BROWSER);
    expect([statusCode, headers['content-type']]).toEqual([status, HTML]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toMatch(/^<!doctype html>[\s\S]*<h1>/);
    expect(body.toLowerCase()).toContain(title.toLowerCase());
    expect(body).not.toMatch(/<script(?! type="module" src="\/assets)/);
  });

  it('speaks of pages, not of operations, at an unknown address', async () => {
    const { body } = await (await empty()).get('/nowhere', BROWSER);
    expect(body).toContain('No page has this address.');
    expect(body).not.toContain('operation');
  });

  it.each(['/agents', '/agents/'])('leads to the list where an address names no agent: %s', async (path) => {
    const { statusCode, headers } = await (await empty()).get(path, BROWSER);
    expect([statusCode, headers.location]).toEqual([302, '/']);
  });

  it.each([
    ['/nowhere', undefined],
    ['/nowhere', 'application/json'],
    ['/nowhere', '*/*'],
    ['/api/registry/nothing', BROWSER.accept],
    ['/v1/nothing', BROWSER.accept],
    ['/assets/nothing.css', BROWSER.accept],
  ])('stays a problem for programs: %s, %s', async (path, accept) => {
    const { get } = await empty();
    const { statusCode, headers } = await get(path, accept === undefined ? {} : { accept });
    expect([statusCode, headers['content-type']]).toEqual([404, PROBLEM]);
  });

  it('says when to come back while the store is away, and names what the operator looks for', async () => {
    const { get } = await broken(new RegistryError('store_unavailable', 'away'));
    const { statusCode, headers, body } = await get('/agents/https%3A%2F%2Fa.example%2F', BROWSER);
    expect([statusCode, headers['content-type'], headers['retry-after']]).toEqual([503, HTML, '5']);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('in 5 seconds');
    expect(body).toContain(String(headers['x-request-id']));
  });

  it('shows nothing of a fault of ours', async () => {
    const { get } = await broken(new Error('secret <b>detail</b>'));
    const { statusCode, body } = await get('/agents/https%3A%2F%2Fa.example%2F', BROWSER);
    expect(statusCode).toBe(500);
    expect(body).not.toContain('secret');
  });

  it('is a page for who asks too often, too', async () => {
    const { get } = await openRegistry([], { rateLimit: { max: 1, windowMs: 60_000 } });
    await get('/', BROWSER);
    const { statusCode, headers, body } = await get('/', BROWSER);
    expect([statusCode, headers['content-type']]).toEqual([429, HTML]);
    expect(body).toContain('Rate limit reached: 1 requests in 60 s.</bdi></p>');
    expect(body).toContain('Try again in 60 seconds');
  });
});
