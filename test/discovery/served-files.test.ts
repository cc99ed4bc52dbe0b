import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBytes, checkDomain, type FileCheck } from '../../src/discovery/check-file.ts';
import { fetcherFor, serve, type Web } from '../crawl/fetch/web.ts';
import { ADAGENTS, BRAND } from '../scenarios/support/web.ts';
import { START } from '../scenarios/support/world.ts';
import { agent, file, NEWS } from './file-story.ts';

interface Served {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly body?: string | Uint8Array;
}

const NET = 'net.example';
const HOST = 'host.example';
const FILE = JSON.stringify(file('a'));
const ADS_TXT = `ads.example, 1, DIRECT\nMANAGERDOMAIN=${NET}\n`;
const PAGE = `<!doctype html><html><body>\n${ADS_TXT}</body></html>`;
/** Of a manager that names news.example. */
const NETWORK: Served = {
  type: 'application/json',
  body: JSON.stringify({
    authorized_agents: [
      {
        url: agent('a'),
        authorized_for: 'all',
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domain: NEWS, selection_type: 'all' }],
      },
    ],
  }),
};
const text = (body: string | Uint8Array, type = 'text/plain; charset=utf-8'): Served => ({ body, type });
const to = (location: string): Served => ({ status: 302, location });

let pages: Readonly<Record<string, Served>> = {};
let web: Web;
let fetcher: ReturnType<typeof fetcherFor>;
beforeAll(async () => {
  web = await serve(({ headers, url }, response) => {
    const { status = 200, type, location, body = '' } = pages[`${headers.host}${url}`] ?? { status: 404 };
    const given = { ...(type && { 'content-type': type }), ...(location && { location }) };
    return response.writeHead(status, given).end(body);
  });
  fetcher = fetcherFor(web);
});
afterAll(async () => {
  await fetcher.close();
  await web.close();
});

function check(served: Readonly<Record<string, Served>>, kind?: 'brand'): Promise<FileCheck> {
  pages = served;
  return checkDomain({
    ...{ domain: NEWS, fetcher, now: START, deadlineMs: 15_000 },
    ...(kind && { kind }),
  });
}
const codes = ({ findings }: FileCheck) =>
  findings.map(({ code }) => code).filter((code) => !/^(?:schema|last_updated)_missing$/.test(code));

describe('an adagents.json', () => {
  it.each([
    ['text/html', 'text/html'],
    ['Text/Plain; charset=utf-8', 'text/plain'],
    ['application/octet-stream', 'application/octet-stream'],
    ['text/json', 'text/json'],
    [undefined, 'none'],
  ])('served as %s is read, with a warning', async (type, label) => {
    const found = await check({ [`${NEWS}${ADAGENTS}`]: { body: FILE, ...(type && { type }) } });
    expect([found.valid, found.agents, codes(found)]).toEqual([true, [agent('a')], ['content_type_other']]);
    expect(found.findings[0]?.message).toContain(`: ${label}, at https://${NEWS}${ADAGENTS}`);
  });

  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json;'])(
    'served as %s has no warning',
    async (type) => expect(codes(await check({ [`${NEWS}${ADAGENTS}`]: text(FILE, type) }))).toEqual([]),
  );

  it('has the warning where a pointer, its target or a manager’s file is served so', async () => {
    const pointer = JSON.stringify({ authoritative_location: `https://${NET}/a.json` });
    const [json, html] = ['application/json', 'text/html'];
    const pointed = (own: string, target: string) =>
      check({ [`${NEWS}${ADAGENTS}`]: text(pointer, own), [`${NET}/a.json`]: text(FILE, target) });
    expect(codes(await pointed(html, json))).toEqual(['content_type_other']);
    expect(codes(await pointed(json, html))).toEqual(['content_type_other']);
    const managed = { [`${NEWS}/ads.txt`]: text(ADS_TXT), [`${NET}${ADAGENTS}`]: { ...NETWORK, type: html } };
    expect(codes(await check(managed))).toEqual(['content_type_other']);
  });

  it('that is a page is named as one, whatever its label', async () => {
    for (const type of ['text/html', 'application/json'])
      expect(codes(await check({ [`${NEWS}${ADAGENTS}`]: text(PAGE, type) }))).toEqual(['html_not_json']);
  });

  it.each([
    ['gzip', gzipSync(FILE)],
    ['zstd', zstdCompressSync(FILE)],
    ['deflate', deflateSync(FILE)],
  ])('of %s bytes without a Content-Encoding is named so, and nothing else', async (coding, body) => {
    const found = await check({ [`${NEWS}${ADAGENTS}`]: text(body, 'application/json') });
    expect(codes(found)).toEqual(['compressed']);
    expect(found.findings[0]?.message).toContain(coding);
    expect(codes(checkBytes(body, { now: START }))).toEqual(['compressed']);
  });
});

it('a brand.json with another label is read, with a warning', async () => {
  const brand = JSON.stringify({ house: { domain: NEWS, name: 'News' }, brands: [] });
  const found = await check({ [`${NEWS}${BRAND}`]: text(brand, 'text/html') }, 'brand');
  expect([found.valid, codes(found)]).toEqual([true, ['content_type_other']]);
});

describe('an ads.txt', () => {
  it.each<[string, Readonly<Record<string, Served>>]>([
    ['at its place', { [`${NEWS}/ads.txt`]: text(ADS_TXT) }],
    [
      'by one hop to its host',
      { [`${NEWS}/ads.txt`]: to(`https://${HOST}/1/ads.txt`), [`${HOST}/1/ads.txt`]: text(ADS_TXT) },
    ],
    [
      'by its www to its host, and on there',
      {
        [`${NEWS}/ads.txt`]: to(`https://www.${NEWS}/ads.txt`),
        [`www.${NEWS}/ads.txt`]: to(`https://${HOST}/1/ads.txt`),
        [`${HOST}/1/ads.txt`]: to('../2/ads.txt'),
        [`${HOST}/2/ads.txt`]: text(ADS_TXT),
      },
    ],
  ])('leads to the file of the manager %s', async (_name, served) => {
    const found = await check({ ...served, [`${NET}${ADAGENTS}`]: NETWORK });
    expect([found.agents, codes(found)]).toEqual([[agent('a')], []]);
  });

  it('leads to a manager whose bare entry is named as one that authorises nothing', async () => {
    const bare = JSON.stringify({ authorized_agents: [{ url: agent('a'), authorized_for: 'all' }] });
    const found = await check({
      [`${NEWS}/ads.txt`]: text(ADS_TXT),
      [`${NET}${ADAGENTS}`]: text(bare, 'application/json'),
    });
    expect(codes(found)).toContain('legacy_entry_managed');
    expect(codes(found)).not.toContain('legacy_entry');
  });

  it('with the label of a page is read, with a warning', async () => {
    const served = { [`${NEWS}/ads.txt`]: text(ADS_TXT, 'text/html'), [`${NET}${ADAGENTS}`]: NETWORK };
    const found = await check(served);
    expect([found.agents, codes(found)]).toEqual([[agent('a')], ['content_type_other']]);
  });

  it.each<[string, Readonly<Record<string, Served>>, string[], string]>([
    ['is not there', {}, [], 'answered 404'],
    ['is a page', { [`${NEWS}/ads.txt`]: text(PAGE) }, ['ads_txt_html'], 'is an HTML page'],
    [
      'is gzip without a label',
      { [`${NEWS}/ads.txt`]: text(gzipSync(ADS_TXT)) },
      ['ads_txt_compressed'],
      'is compressed with gzip',
    ],
    [
      'leads to a third domain',
      { [`${NEWS}/ads.txt`]: to(`https://${HOST}/`), [`${HOST}/`]: to('https://third.example/') },
      ['ads_txt_unread'],
      'the redirect leads to a third domain, third.example',
    ],
    ['is forbidden', { [`${NEWS}/ads.txt`]: { status: 403 } }, ['ads_txt_unread'], 'answered 403'],
    ['opts out', { [`${NEWS}/ads.txt`]: text(`MANAGERDOMAIN=${NET} # x, noagents`) }, [], 'opt-out noagents'],
    ['names nobody', { [`${NEWS}/ads.txt`]: text('ads.example, 1, DIRECT') }, [], 'names no manager'],
    ['is empty', { [`${NEWS}/ads.txt`]: text('') }, [], 'names no manager'],
    ['names itself', { [`${NEWS}/ads.txt`]: text(`MANAGERDOMAIN=${NEWS}`) }, [], 'names the domain itself'],
    [
      'names a manager without a file',
      { [`${NEWS}/ads.txt`]: text('MANAGERDOMAIN=none.example') },
      [],
      `refers to https://none.example${ADAGENTS}, which answered 404`,
    ],
  ])('that %s leads nowhere, and the finding says why', async (_name, served, warnings, why) => {
    const found = await check({ ...served, [`${NET}${ADAGENTS}`]: NETWORK });
    expect([found.valid, found.agents, codes(found)]).toEqual([false, [], ['http_404', ...warnings]]);
    expect(found.findings[0]?.message).toContain(`; https://${NEWS}/ads.txt `);
    expect(found.findings[0]?.message).toContain(why);
  });
});
