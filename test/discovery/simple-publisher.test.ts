import { expect, it } from 'vitest';
import { checkBytes, checkDomain } from '../../src/discovery/check-file.ts';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { START } from '../scenarios/support/world.ts';
import { agent, createStory, fetcherOf, NEWS, type Pages, pointer } from './file-story.ts';

const simple = (domain: string): object => ({
  publisher: { name: 'News', domain },
  agents: [{ url: agent('a'), protocol: 'mcp' }],
});
const own = (domain: string): Pages => ({ [NEWS]: { [ADAGENTS]: simple(domain) } });
const pointed = (domain: string): Pages => ({
  [NEWS]: { [ADAGENTS]: pointer('net.example') },
  'net.example': { '/a.json': simple(domain) },
});

it.each<[string, Pages, boolean]>([
  ['its own domain', own(NEWS), true],
  ['its own domain with www', own(`www.${NEWS}`), true],
  ['another domain', own('media.example'), false],
  ['a part of its own domain', own(`sport.${NEWS}`), false],
  ['its own domain, in a file that it leads to', pointed(NEWS), true],
  ['the domain of the file that it leads to', pointed('net.example'), false],
])('a simple file whose publisher is %s authorises or says why not', async (_name, pages, isAuthorised) => {
  const visited = await createStory('adagents', NEWS).visit(0, pages);
  const check = { domain: NEWS, fetcher: fetcherOf(pages), now: START, deadlineMs: 1_000 };
  const checked = await checkDomain(check);
  expect(visited.agents).toEqual(isAuthorised ? [agent('a')] : []);
  expect(visited.findings.includes('publisher_other')).toBe(!isAuthorised);
  expect(checked.valid).toBe(isAuthorised);
  const [told] = checked.findings.filter(({ code }) => code === 'publisher_other');
  expect(told?.pointer).toBe(isAuthorised ? undefined : '/publisher/domain');
});

it('a site is also spoken for by a file that names the domain above it', async () => {
  const site = `sport.${NEWS}`;
  const pages = { [site]: { [ADAGENTS]: simple(NEWS) } };
  const { agents, findings } = await createStory('adagents', site).visit(0, pages);
  expect([agents, findings]).toEqual([[agent('a')], []]);
});

it('a text for another domain is told with its place, and with the publisher for whom it counts', () => {
  const text = JSON.stringify(simple('media.example'), undefined, 2);
  const { findings, summary } = checkBytes(Buffer.from(text), { domain: NEWS, now: START });
  expect(findings).toMatchObject([{ code: 'publisher_other', line: 4, frame: expect.stringContaining('>') }]);
  expect(summary.publishers).toMatchObject([
    { publisher: NEWS, sellers: [] },
    {
      publisher: 'media.example',
      onlyIf: 'if its own file refers to this one',
      sellers: [{ agent: agent('a') }],
    },
  ]);
});
