import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { CLIENT_METHODS } from '../../src/api/client-methods.ts';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { openRegistry } from './support/registry.ts';

const OPERATIONS = [...CLIENT_METHODS.keys()].map((operation) => operation.split(' '));

describe('what the field’s clients know', () => {
  it('is built, or answers 501 with what to do instead, whatever the body; never "there is none"', async () => {
    const { server } = await openRegistry();
    const { paths } = (await server.inject('/openapi.json')).json();
    let notBuilt = 0;
    for (const [method = '', path = ''] of OPERATIONS) {
      if (paths[path]?.[method.toLowerCase()] !== undefined) continue;
      notBuilt += 1;
      const url = path.replace(/\{\w+\}/g, encodeURIComponent('https://a.example/mcp'));
      const headers = { 'content-type': 'text/plain' };
      const answer = await server.inject({ method: method as 'GET', url, headers, payload: '{'.repeat(100) });
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 501, 'not_built']);
      expect(answer.headers['content-type']).toContain('application/problem+json');
      expect(answer.json().detail).toMatch(/; \w/);
    }
    expect(notBuilt).toBeLessThan(OPERATIONS.length);
  });

  it('fills no log: nothing is wrong on our side', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const { get } = await openRegistry([], {}, { logger });
    for (const path of ['/api/policies/registry', '/api/brands/resolve?domain=a.example&fresh=true'])
      expect((await get(path)).statusCode).toBe(501);
    expect(lines).toEqual([]);
  });

  it('is limited as every request is', async () => {
    const { get } = await openRegistry([], { rateLimit: { max: 1, windowMs: 60_000 } });
    expect((await get('/api/policies/registry')).statusCode).toBe(501);
    expect((await get('/api/policies/registry')).statusCode).toBe(429);
    expect((await get('/api/policies/registry', { authorization: 'Bearer wrong' })).statusCode).toBe(429);
  });

  it('points only at operations that are served, and at commands that there are', async () => {
    const { server } = await openRegistry();
    const { paths } = (await server.inject('/openapi.json')).json();
    const hints = [...CLIENT_METHODS.values()].map(({ instead }) => instead);
    const named = hints.flatMap((hint) => [...hint.matchAll(/(?:(?<method>[A-Z]+) )?(?<path>\/[^\s,;?]*)/g)]);
    for (const { groups: { method = 'GET', path = '' } = {} } of named)
      expect([path, Object.keys(paths[path] ?? {})]).toEqual([
        path,
        expect.arrayContaining([method.toLowerCase()]),
      ]);
    expect(named.length).toBeGreaterThan(3);
    const commands = hints.flatMap((hint) =>
      [...hint.matchAll(/`agent-registry (\w+)/g)].map(([, name]) => name),
    );
    expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(commands));
  });

  it('has one line for each operation', () => {
    expect(new Set(OPERATIONS.map(String)).size).toBe(OPERATIONS.length);
  });
});
