import { describe, expect, it } from 'vitest';
import { pageHtml } from '../../src/pages/layout.ts';
import { lookUpPage } from '../../src/pages/look-up.ts';
import { publish, publishFile } from '../contract/records-steps.ts';
import { bareDocument, fullDocument } from './support/documents.ts';
import { NAUGHTY, refuseMarkup, TEST_SITE } from './support/naughty.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const HTML = { accept: 'text/html' };
const QUIET = 'https://quiet.vendor.example/mcp';
const BIKES = ['https://bikes-1.example/mcp', 'https://bikes-2.example/mcp'];

function named(url: string, name: string) {
  const document = bareDocument(url);
  return { ...document, base: { ...document.base, name } };
}

const known = sharedRegistry(async () => {
  const registry = await openRegistry([
    fullDocument(),
    named(QUIET, 'Quietcount'),
    ...BIKES.map((url) => named(url, 'Bike Ads')),
  ]);
  const { records } = registry;
  await publish(records, 'candle-courier.example', { authorized_agents: [] });
  await publishFile(records, 'kettle.example', 'brand', {
    file: { id: 'k', names: [{ en: 'Copper Kettle' }], house_domain: 'house.example' },
  });
  return registry;
});

describe('the look-up', () => {
  it.each([
    ['Quietcount', `/agents/${encodeURIComponent(QUIET)}`],
    ['quietc', `/agents/${encodeURIComponent(QUIET)}`],
    ['Copper Kettle', '/brands/kettle.example'],
    ['candle', '/publishers/candle-courier.example'],
    ['kettle.example', '/brands/kettle.example'],
    ['https://candle-courier.example/page', '/publishers/candle-courier.example'],
    [QUIET, `/agents/${encodeURIComponent(QUIET)}`],
    ['unknown.example', '/publishers/unknown.example'],
    ['https://unknown.example/mcp', `/agents/${encodeURIComponent('https://unknown.example/mcp')}`],
  ])('leads from %s to its record', async (asked, location) => {
    const { statusCode, headers } = await (await known()).get(
      `/look-up?q=${encodeURIComponent(asked)}`,
      HTML,
    );
    expect([statusCode, headers.location]).toEqual([303, location]);
  });

  it('lists several hits', async () => {
    const { statusCode, body } = await (await known()).get('/look-up?q=bike+ads', HTML);
    expect([statusCode, body.includes('2 results')]).toEqual([200, true]);
    for (const url of BIKES) expect(body).toContain(`href="/agents/${encodeURIComponent(url)}"`);
  });

  it('finds agents by what they do where nothing has the name', async () => {
    const { headers } = await (await known()).get('/look-up?q=attention', HTML);
    expect(headers.location).toBe(`/agents/${encodeURIComponent(fullDocument().url)}`);
  });

  it('answers a name without hits with the next steps', async () => {
    const { statusCode, body } = await (await known()).get('/look-up?q=zzyzx', HTML);
    expect(statusCode).toBe(404);
    expect(body).toContain('No results for “<bdi>zzyzx</bdi>”');
    expect(body).toContain('href="/?q=zzyzx"');
  });

  it('leads to the start page without a text', async () => {
    const { headers } = await (await known()).get('/look-up?q=', HTML);
    expect(headers.location).toBe('/');
  });

  it('lists the known agents of a host that is not in the registry yet', async () => {
    const { statusCode, body } = await (await known()).get('/publishers/quiet.vendor.example', HTML);
    expect([statusCode, body.includes('Not in the registry yet')]).toEqual([404, true]);
    expect(body).toContain(`href="/agents/${encodeURIComponent(QUIET)}"`);
  });

  it.each(NAUGHTY)('shows a stranger’s text as text: %j', (bad) => {
    const domains = [{ domain: bad, about: bad }];
    const page = lookUpPage(TEST_SITE, {
      asked: bad.toWellFormed(),
      agents: [],
      brands: domains,
      publishers: domains,
    });
    refuseMarkup(pageHtml(TEST_SITE, page));
  });
});
