import { expect, it } from 'vitest';
import { checkBytes, checkDomain } from '../../src/discovery/check-file.ts';
import type { FileBounds } from '../../src/discovery/read-document.ts';
import { ADAGENTS, BRAND } from '../scenarios/support/web.ts';
import { START } from '../scenarios/support/world.ts';
import { agent, fetcherOf, file, NEWS, type Pages, pointer } from './file-story.ts';

const MIB = 1024 * 1024;
const USUAL = { maxAgents: 500, maxDomains: 10_000 };
const agents = (count: number) => ({
  agents: Array.from({ length: count }, (_, i) => ({ url: agent(`a${i}`) })),
});

/** Checks news.example as a network's own operator would; says what was asked for, and the codes. */
async function checked(pages: Pages, agreed: Readonly<Record<string, Partial<FileBounds>>>) {
  const most: Record<string, number> = {};
  const { visit, ...fetcher } = fetcherOf(pages);
  const { findings, agents } = await checkDomain({
    ...{ domain: NEWS, now: START, deadlineMs: 1_000 },
    bounds: (host) => ({ ...USUAL, ...agreed[host] }),
    fetcher: {
      ...fetcher,
      visit: (options, work) =>
        visit(options, (open) =>
          work({
            ...open,
            get: (request) => {
              most[new URL(request.url).pathname] = request.maxBytes;
              return open.get(request);
            },
          }),
        ),
    },
  });
  return { most, codes: findings.map(({ code }) => code), agents: agents.length };
}

it('validate takes of a file what was agreed with its host, in agents and in bytes', async () => {
  const pages = { [NEWS]: { [ADAGENTS]: pointer('net.example') }, 'net.example': { '/a.json': agents(600) } };
  const strange = await checked(pages, { [NEWS]: { maxAgents: 900, maxBytes: MIB } });
  expect(strange.agents).toBe(500);
  expect(strange.codes).toContain('too_many_agents');
  expect(strange.most).toEqual({ [ADAGENTS]: 5 * MIB, '/a.json': 20 * MIB });
  const known = await checked(pages, { 'net.example': { maxAgents: 900, maxBytes: 30 * MIB } });
  expect(known.agents).toBe(600);
  expect(known.codes).not.toContain('too_many_agents');
  expect(known.most).toEqual({ [ADAGENTS]: 5 * MIB, '/a.json': 30 * MIB });
  const brand = await checked({ [NEWS]: { [BRAND]: {} } }, { [NEWS]: { maxBytes: MIB } });
  expect(brand.most).toMatchObject({ [BRAND]: MIB });
});

it('a file in hand has the bounds of its publisher', () => {
  const bytes = Buffer.from(JSON.stringify({ ...file('a'), ext: ' '.repeat(6 * MIB) }));
  const codes = (bounds?: FileBounds) =>
    checkBytes(bytes, { now: START, ...(bounds && { bounds }) }).findings.map(({ code }) => code);
  expect(codes()).toContain('too_large');
  expect(codes({ ...USUAL, maxBytes: 7 * MIB })).not.toContain('too_large');
});

it('validate says as a crawl does that more domains are named than are visited because of one file', async () => {
  const named = ['a.example', 'b.example'].map((publisher_domain) => ({
    publisher_domain,
    selection_type: 'all',
  }));
  const entry = { url: agent('a'), authorized_for: 'x', authorization_type: 'publisher_properties' };
  const pages = {
    [NEWS]: { [ADAGENTS]: { authorized_agents: [{ ...entry, publisher_properties: named }] } },
  };
  expect((await checked(pages, { [NEWS]: { maxDomains: 1 } })).codes).toContain('too_many_references');
  expect((await checked(pages, {})).codes).not.toContain('too_many_references');
});
