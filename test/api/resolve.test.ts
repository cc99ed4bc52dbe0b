import { describe, expect, it } from 'vitest';
import { publish } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const PROPERTIES = '/api/properties/resolve/bulk';

async function asked(registry: Awaited<ReturnType<typeof openRegistry>>, url: string, payload: unknown) {
  const { server, get } = registry;
  const headers = { 'content-type': 'application/json' };
  const answer = await server.inject({ method: 'POST', url, headers, payload: JSON.stringify(payload) });
  const document = (await get('/openapi.json')).json<OpenApi>();
  expect(breaches(document, url, answer, 'post')).toEqual([]);
  return answer;
}

describe('a list of domains', () => {
  it('is answered under the names that were sent, with null for what nobody knows', async () => {
    const registry = await openRegistry();
    await publish(registry.records, 'news.example', {
      authorized_agents: [{ url: 'https://a.example/mcp' }],
    });
    const domains = ['NEWS.example.', 'never.example', 'news.example'];
    const { results } = (await asked(registry, PROPERTIES, { domains })).json();
    expect(Object.keys(results)).toEqual(domains);
    expect(results).toMatchObject({
      'NEWS.example.': { publisher_domain: 'news.example' },
      'never.example': null,
    });
  });

  it.each<[string, unknown, object]>([
    ['no object', [], { code: 'bad_request' }],
    ['no list', { domains: 'news.example' }, { parameter: 'domains' }],
    ['another member', { domains: [], fresh: true }, { code: 'unknown_parameter', parameter: 'fresh' }],
    ['what is no text', { domains: ['a.example', 1] }, { parameter: 'domains[1]' }],
    ['what is no domain', { domains: ['a.example', '__proto__'] }, { parameter: 'domains[1]' }],
    ['too many', { domains: Array(101).fill('a.example') }, { code: 'too_many_values' }],
  ])('is refused with its place: %s', async (_name, payload, part) => {
    const answer = await asked(await openRegistry(), PROPERTIES, payload);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, part]);
  });

  it('has room for 256 KiB: the small ones are whole, and the large ones say that they were cut', async () => {
    const registry = await openRegistry();
    const agent = { url: 'https://a.example/mcp', authorized_for: 'Display' };
    const properties = Array.from({ length: 3_000 }, (_, at) => ({
      property_id: `p${at}`,
      property_type: 'website',
      name: 'n'.repeat(200),
      identifiers: [{ type: 'domain', value: `p${at}.example` }],
    }));
    await publish(registry.records, 'small.example', { authorized_agents: [agent] });
    for (const domain of ['one.example', 'two.example'])
      await publish(registry.records, domain, { authorized_agents: [agent], properties });
    const domains = ['one.example', 'small.example', 'two.example'];
    const answer = await asked(registry, PROPERTIES, { domains });
    expect(answer.rawPayload.length).toBeLessThan(256 * 1024);
    const { results } = answer.json();
    expect(results).toMatchObject({
      'one.example': { authorized_agents: [{}], properties_truncated: true },
      'small.example': { authorized_agents: [{}], properties: [] },
      'two.example': { authorized_agents: [{}], properties_truncated: true },
    });
    expect(results['small.example']).not.toHaveProperty('properties_truncated');
    expect(results['one.example'].properties.length).toBeGreaterThan(100);
    const alone = await registry.get('/api/properties/resolve?domain=one.example');
    expect(alone.rawPayload.length).toBeLessThan(256 * 1024);
    expect(alone.json().properties.length).toBeGreaterThan(results['one.example'].properties.length);
  });
});
