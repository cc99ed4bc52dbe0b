import { describe, expect, it } from 'vitest';
import { EXPOSED, HOUR, NOW, observed } from '../contract/records-fixtures.ts';
import { probing, publish, takeOne } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://studio.example/mcp';
const DISCOVER = '/api/public/discover-agent';
const FORMATS = '/api/public/agent-formats';
const of = (path: string, url = AGENT) => `${path}?url=${encodeURIComponent(url)}`;

/** An agent of one publisher, whose last good probe found these formats; `count` of them are said to be there. */
async function probed(formats: readonly string[], count = formats.length) {
  const registry = await openRegistry();
  registry.clock.value = NOW + HOUR;
  const { records } = registry;
  await publish(records, 'news.example', { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] });
  const can = { can_generate: false, can_validate: false, can_preview: false };
  const creative_capabilities = { formats_supported: formats, ...can };
  const capabilities = { ...EXPOSED.capabilities, creative_capabilities };
  const exposed = { ...EXPOSED, capabilities, creativeFormatCount: count };
  const work = await takeOne(records, 'agent', AGENT);
  await records.sources.commitProbe(probing(work, observed(AGENT, { exposed })));
  return registry;
}

describe('what an agent offers', () => {
  it('is what its last good probe found, however its address is written, and as the document says', async () => {
    const { get } = await probed(['banner']);
    const document = (await get('/openapi.json')).json<OpenApi>();
    const agent = await get(of(DISCOVER, 'HTTPS://Studio.example:443/mcp/'));
    const freshness = { last_seen_at: new Date(NOW).toISOString(), stale: false };
    expect(agent.json()).toMatchObject({
      ...{ agent_url: AGENT, name: 'studio.example', protocols: ['mcp'], type: 'sales' },
      ...{ tools_count: 1, tools: [{ name: 'get_products', description: 'finds products' }] },
      ...{ stats: { format_count: 1, publisher_count: 1 }, freshness },
    });
    expect(breaches(document, DISCOVER, agent)).toEqual([]);
    const formats = await get(of(FORMATS));
    expect(formats.json()).toMatchObject({
      ...{ success: true, formats: [{ format_id: { id: 'banner' } }], format_count: 1, freshness },
    });
    expect(breaches(document, FORMATS, formats)).toEqual([]);
    const { etag } = formats.headers;
    expect((await get(of(FORMATS), { 'if-none-match': String(etag) })).statusCode).toBe(304);
  });

  it('stays below what clients read, and says what was cut', async () => {
    const { get } = await probed(
      Array.from({ length: 100 }, (_, n) => `${n}${'\u{1f980}'.repeat(120)}`),
      5_000,
    );
    const formats = await get(of(FORMATS));
    expect(formats.json()).toMatchObject({ format_count: 5_000, formats_truncated: true });
    expect(formats.rawPayload.length).toBeLessThan(256 * 1024);
  });

  it('is an error where nobody knows the agent or no visit has read it, and never an empty list', async () => {
    const { get } = await openRegistry();
    const registry = await openRegistry();
    await publish(registry.records, 'news.example', {
      authorized_agents: [{ url: AGENT, authorized_for: 'all' }],
    });
    for (const path of [DISCOVER, FORMATS]) {
      const unknown = await get(of(path));
      expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'unknown_agent']);
      const unread = await registry.get(of(path));
      expect([unread.statusCode, unread.json().code]).toEqual([404, 'not_found']);
      expect(unread.json().detail).toContain('/refresh');
      for (const [query, code] of [
        ['', 'invalid_value'],
        ['?url=', 'empty_value'],
        ['?url=nonsense', 'bad_agent_url'],
        ['?url=a&url=b', 'repeated_parameter'],
        ['?url=%zz', 'bad_encoding'],
        ['?agent=a', 'unknown_parameter'],
      ] as const)
        expect([query, (await get(`${path}${query}`)).json().code]).toEqual([query, code]);
    }
  });
});
