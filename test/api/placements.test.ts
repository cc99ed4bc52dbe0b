import { describe, expect, it } from 'vitest';
import { publish, publishFile } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const site = (id: string, value: string): object => ({
  ...{ property_id: id, property_type: 'website', name: id },
  identifiers: [{ type: 'domain', value }],
});

describe('the placements of a publisher', () => {
  const placement = (id: string, more: object = {}) => ({ placement_id: id, name: id, ...more });
  const file = {
    authorized_agents: [{ url: AGENT }],
    properties: [site('home', 'news.example')],
    formats: [{ format_option_id: 'banner', format_kind: 'image', params: { width: 300 } }],
    placements: [
      placement('top', {
        ...{ description: 'Above all', property_ids: ['home'], tags: ['first', 7, ''], channels: 'display' },
        format_options: [{ format_option_id: 'banner' }, { format_kind: 'audio' }, { format_option_id: 'x' }],
      }),
      ...[placement('anywhere'), { placement_id: 'nameless' }, 'none', placement('n'.repeat(256))],
    ],
  };

  it('are told when they are asked for, each as far as it can be read, with the kinds of its formats', async () => {
    const { records, get } = await openRegistry();
    await publish(records, 'news.example', file);
    const path = '/api/registry/publisher?domain=news.example';
    expect((await get(path)).json()).not.toHaveProperty('placements');
    const answer = await get(`${path}&include=placements`);
    expect(answer.json().placements).toEqual([
      {
        ...{ placement_id: 'top', name: 'top', description: 'Above all', property_ids: ['home'] },
        tags: ['first'],
        format_options: [
          { format_option_id: 'banner', format_kind: 'image', params: { width: 300 } },
          { format_kind: 'audio' },
        ],
        source: 'adagents_json',
      },
      { placement_id: 'anywhere', name: 'anywhere', source: 'adagents_json' },
    ]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, '/api/registry/publisher', answer)).toEqual([]);
    expect((await get(`${path}&include=brands`)).json()).toMatchObject({ parameter: 'include' });
  });

  it('of a file that speaks for others too are those on a property of its own, or on none', async () => {
    const { records, get } = await openRegistry();
    const placements = ['home', 'away'].map((id) => placement(id, { property_ids: [id] }));
    const tagged = placement('tagged', { property_tags: ['news'] });
    const shared = {
      authorized_agents: [{ url: AGENT }],
      properties: [
        { ...site('home', 'news.example'), publisher_domain: 'news.example', tags: ['news'] },
        { ...site('away', 'other.example'), publisher_domain: 'other.example', tags: ['sports'] },
      ],
      placements: [...placements, tagged, placement('anywhere')],
    };
    const url = 'https://manager.example/adagents.json';
    await publishFile(records, 'news.example', 'adagents', { file: shared, url });
    const answer = await get('/api/registry/publisher?domain=news.example&include=placements');
    const told = answer.json();
    expect(told.placements.map((one: { placement_id: string }) => one.placement_id)).toEqual([
      ...['home', 'tagged', 'anywhere'],
    ]);
    expect(told).not.toHaveProperty('placements_truncated');
  });

  it('that have no room are cut, and the answer says so; of a file of more than 2 MiB none is read', async () => {
    const { records, get } = await openRegistry();
    const many = Array.from({ length: 1_000 }, (_, at) =>
      placement(`p${at}`, { description: 'd'.repeat(900) }),
    );
    await publish(records, 'many.example', { ...file, placements: many });
    const long = placement('top', { description: 'd'.repeat(2 * 1024 * 1024) });
    await publish(records, 'long.example', { ...file, placements: [long] });
    const cut = await get('/api/registry/publisher?domain=many.example&include=placements');
    expect(cut.rawPayload.length).toBeLessThan(256 * 1024);
    expect(cut.json()).toMatchObject({ placements_truncated: true });
    expect(cut.json().placements.length).toBeGreaterThan(50);
    const none = await get('/api/registry/publisher?domain=long.example&include=placements');
    expect(none.json()).toMatchObject({ placements: [], placements_truncated: true });
    const unseen = await get('/api/registry/publisher?domain=never.example&include=placements');
    expect(unseen.json()).toMatchObject({ placements: [] });
    expect(unseen.json()).not.toHaveProperty('placements_truncated');
  });
});
