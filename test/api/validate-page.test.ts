import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { FileChecks } from '../../src/discovery/file-checks.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import { checksOver } from './support/file-checks.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const BROKEN = `{
  "authorized_agents": [
    {
      "url": "https://sales.example/mcp",
      "authorized_for": "Display",
      "authorization_type": "Property_IDs",
      "property_ids": ["news"],
      "countries": ["de"],
    }
  ],
  "properties": [
    { "property_id": "news", "property_type": "website", "name": "News", "identifiers": [{ "type": "domain", "value": "news.example" }] }
  ]
}
`;
const nothing = await serve((_request, response) => response.writeHead(404).end());
const NAUGHTY = '"><script>alert(1)</script>\u202e</textarea>';

/** A form of so many fields of one name: whoever reads before counting says that it is repeated. */
function partsOf(count: number): string {
  return `${'--b\r\nContent-DISPOSITION: form-data; name="a"\r\n\r\nx\r\n'.repeat(count)}--b--\r\n`;
}

/** A registry that listens, asked as a browser asks. */
async function asking(checks: FileChecks = checksOver(fetcherFor(nothing))) {
  const registry = await openRegistry([], {}, { checks });
  await registry.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = registry.server.server.address() as AddressInfo;
  const at = `http://127.0.0.1:${port}/validate`;
  const post = async (fields: Record<string, string | Blob>, headers: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const answer = await fetch(at, { method: 'POST', body: form, headers });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  return { ...registry, at, port, post };
}

const none = sharedRegistry(() => openRegistry());
const listening = sharedRegistry(() => asking());

describe('a text that is pasted', () => {
  it('stays in the editor, with each finding linked to its line, the corrected file and the authorized agents', async () => {
    const { post } = await listening();
    const { status, headers, body } = await post({ text: BROKEN, for: 'news.example', answer: 'page' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toContain('adagents.json</code> is not valid');
    const [found = '', given = '', fixed = ''] = body.split('class="listing"');
    expect(found.indexOf('<textarea')).toBeLessThan(found.indexOf('id="found"'));
    expect(found).toMatch(/<textarea[^>]*>\n\{\n {2}&quot;authorized_agents&quot;/);
    expect(found).toMatch(
      /class="finding error">\n<p><a class="at" href="#L6" data-line="6" data-column="29">Line 6:29</,
    );
    expect(given).toMatch(/class="line error" id="L6" data-line="6">.*Property_IDs/);
    // a fixed finding shows its fix only; the allowed values are for findings that need a decision
    expect(found).toContain('Fixed in the corrected file: write &quot;property_ids&quot;');
    expect(found).not.toContain('Allowed: <code>');
    expect(fixed).toMatch(
      /class="line changed" data-line="6"><code> +&quot;authorization_type&quot;: &quot;property_ids&quot;/,
    );
    expect(body).toMatch(/May sell.*https:\/\/sales\.example\/mcp.*in DE/s);
    for (const id of ['found', 'fixed', 'buyers', 'published']) {
      expect(body).toContain(`<a href="#${id}">`);
      expect(body).toContain(` id="${id}"`);
    }
  });

  it('says how many fixes are applied, how many errors remain, and what the file is worth today', async () => {
    const { post } = await listening();
    const entry = (name: string, until: string) =>
      `{"url": "https://${name}.example/mcp", "authorized_for": "x", "authorization_type": "property_ids", "property_ids": ["news"], "effective_until": "${until}"}`;
    const two = [entry('a', '2020-01-01T00:00:00Z'), entry('b', '2999-01-01T00:00:00Z')].join(', ');
    const half = BROKEN.replace('"countries": ["de"]', '"countries": ["de", "Nowhere", "Atlantis"]');
    expect((await post({ text: half })).body).toMatch(/<p>\d safe fixes applied; 2 errors remain<\/p>/);
    expect((await post({ text: BROKEN })).body).toMatch(/<p>\d safe fixes applied; no errors remain<\/p>/);
    const ended = BROKEN.replace(/\{\s+"url"[^}]*\}/, two);
    expect((await post({ text: ended, for: 'news.example' })).body).toContain(
      'adagents.json</code> is valid: 1 of 2 agents may sell today',
    );
    const catalogue = BROKEN.replace(/"authorized_agents": \[[^\]]*\][^\]]*\],\s*\}\s*\],/s, '');
    expect((await post({ text: catalogue, for: 'news.example' })).body).toContain(
      'is valid: no agent is authorized by it; it is a catalog',
    );
  });

  it('is read first: the form is above everything else, and works without script', async () => {
    const { get } = await none();
    const { body } = await get('/validate');
    const [before = '', after = ''] = body.slice(body.indexOf('<h1>')).split('<textarea');
    expect(before).toBe(
      '<h1>Validate adagents.json or brand.json</h1>\n\n<form class="paste" method="post" action="/validate" enctype="multipart/form-data" data-drop>\n<label for="text">Paste the file</label>\n<div class="editor">',
    );
    expect(after).toContain('<label for="file">Upload or drop a file</label>');
    expect(after).toContain('<button name="answer" value="page">Validate</button>');
  });

  it('that has an expired entry is valid with a warning at effective_until, and its agent does not count', async () => {
    const { post } = await listening();
    const ended = BROKEN.replace('"countries": ["de"],', '"effective_until": "2020-01-01T00:00:00Z"').replace(
      'Property_IDs',
      'property_ids',
    );
    const { body } = await post({ text: ended, for: 'news.example' });
    expect(body).toContain('adagents.json</code> is valid: 0 of 1 agent may sell today');
    expect(body).toContain('Entry expired at 2020-01-01T00:00:00Z, so it authorizes nothing now.');
    expect(body).toMatch(/class="finding warning">\n<p><a class="at" href="#L8"/);
    expect(body).toContain('<code><bdi>/authorized_agents/0/effective_until</bdi></code>');
  });

  it('that refers to another file says that the other one lists the agents', async () => {
    const { post } = await listening();
    const { body } = await post({ text: '{"authoritative_location": "https://cdn.example/adagents.json"}' });
    expect(body).toContain('adagents.json</code> is valid: it refers to another file');
    expect(body).toContain('<code>authoritative_location</code> lists the authorized agents.');
  });

  it('gives back the corrected file as one to keep, and that is valid', async () => {
    const { post } = await listening();
    const { headers, body } = await post({ text: BROKEN.replaceAll('\n', '\r\n'), answer: 'file' });
    expect(headers.get('content-disposition')).toBe('attachment; filename="adagents.json"');
    expect(body).not.toContain('\r');
    expect((await post({ text: body })).body).toContain('adagents.json</code> is valid');
  });
});

describe('what is sent', () => {
  it.each([
    ['application/x-www-form-urlencoded', 'a&'.repeat(250_000)],
    ['Application/X-WWW-Form-Urlencoded; charset=utf-8', 'a&'.repeat(52)],
    ['multipart/form-data; boundary="b"', partsOf(9_000)],
    ['Multipart/Form-Data; boundary=b', partsOf(51)],
  ])('is counted before it is read: %s', async (type, body) => {
    const { at } = await listening();
    const answer = await fetch(at, { method: 'POST', body, headers: { 'content-type': type } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('The form has too many fields');
  });

  it('may have as many ampersands and words of its form as a file has', async () => {
    const { post } = await listening();
    const name = `${'&'.repeat(1_000)} Content-Disposition`;
    const { status, body } = await post({ text: BROKEN.replace('News"', `${name}"`) });
    expect([status, body.includes('adagents.json</code> is not valid')]).toEqual([200, true]);
  });

  it('is refused above its bound, before it has come, and the page says the bound', async () => {
    const { port, post } = await listening();
    const { status, body } = await post({ text: 'x'.repeat(600 * 1_024) });
    expect([status, body.includes('A request may have at most 512 KB')]).toEqual([413, true]);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 100 * 1_024 ** 2 };
    const upload = httpRequest({ port, host: '127.0.0.1', path: '/validate', method: 'POST', headers });
    upload.on('response', (answer) => resolve(answer.statusCode)).on('error', reject);
    upload.flushHeaders(); // nothing of the body is ever sent
    expect(await promise).toBe(413);
    upload.destroy();
  });

  it('stands in the form again, whatever was wrong with it', async () => {
    const { at, post } = await listening();
    const named = (id: string, value: string) => new RegExp(`id="${id}"[^>]* value="${value}"`);
    const refused = await post({ text: '{"a":1}', for: 'no domain' });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(named('for', 'no domain'));
    expect(refused.body).toContain('{&quot;a&quot;:1}</textarea>');
    const checked = await post({ text: '{"a":1}', for: 'news.example' });
    expect(checked.body).toMatch(named('for', 'news.example'));
    const answer = await fetch(`${at}?domain=10.0.0.1`);
    expect([answer.status, named('domain', '10.0.0.1').test(await answer.text())]).toEqual([400, true]);
  });

  it('may be a file, whatever its letters are', async () => {
    const { post } = await listening();
    const file = new Blob([Buffer.from(`\ufeff${BROKEN}`, 'utf16le')], { type: 'application/json' });
    const { body } = await post({ file, text: '' });
    expect(body).toContain('it looks like UTF-16');
    expect(body).toContain('data-line="6"');
  });

  it.each([
    [{ text: '' }, {}, 400, 'Paste a file or upload one'],
    [{ text: '{}', for: 'no domain' }, {}, 400, 'domain'],
    [{ text: '{}', other: '1' }, {}, 400, 'Unknown field of the form'],
    [{ text: '{}' }, { 'sec-fetch-site': 'cross-site' }, 400, 'on a page of another site'],
  ])('%j with %j is %i: %s', async (fields: Record<string, string>, headers, wanted, words) => {
    const { post } = await listening();
    const { status, body } = await post(fields, headers);
    expect([status, body.includes('role="alert"'), body.includes(words)]).toEqual([wanted, true, true]);
  });

  it.each([
    ['application/json', '{}', 415],
    ['multipart/form-data', 'x', 400],
    ['multipart/form-data; boundary=a', '--a\r\nnothing', 400],
    ['application/x-www-form-urlencoded', 'text=%7B%7D&text=%7B%7D', 400],
    ['application/x-www-form-urlencoded', Array.from({ length: 60 }, (_, at) => `f${at}=1`).join('&'), 400],
    ['application/x-www-form-urlencoded', `text=${encodeURIComponent(BROKEN)}`, 200],
  ])('of %s with %j is answered with a page', async (type, payload, status) => {
    const { at } = await listening();
    const answer = await fetch(at, { method: 'POST', body: payload, headers: { 'content-type': type } });
    expect([answer.status, await answer.text()]).toEqual([
      status,
      expect.stringContaining('<h1>Validate adagents.json'),
    ]);
  });

  it('stays text, and a page within its bound, whatever it is', async () => {
    const { post } = await listening();
    const many = Array.from({ length: 900 }, (_, at) => ({ url: `http://a${at}.example/${NAUGHTY}` }));
    for (const text of [
      NAUGHTY,
      `{"${NAUGHTY}": "${'x'.repeat(40_000)}", "authorized_agents": []}`,
      JSON.stringify({ authorized_agents: many }, null, 1),
      JSON.stringify({ authorized_agents: many }),
      '['.repeat(50_000),
      `${' \n'.repeat(100_000)}{`,
      JSON.stringify({ agents: [{ type: 'sales', url: NAUGHTY, id: NAUGHTY }], house: NAUGHTY }),
    ]) {
      const { status, body } = await post({ text });
      expect(status).toBe(200);
      expect(body).not.toContain('<script>alert');
      expect(Buffer.byteLength(body)).toBeLessThan(150_000);
    }
  });
});

describe('a domain that is named', () => {
  it('is fetched as for the API, once a minute, shows how the file was found, and opens it in the editor', async () => {
    const web = await serve(({ url }, response) =>
      url?.endsWith('brand.json')
        ? response.end(JSON.stringify({ agents: [{ type: 'brand', url: 'https://a.news.example/mcp' }] }))
        : response.writeHead(404).end(),
    );
    const checks = checksOver(fetcherFor(web));
    const { get } = await asking(checks);
    const first = await get('/validate?domain=News.example');
    expect([first.statusCode, first.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(first.body).toContain('brand.json');
    expect(first.body).toContain('https://a.news.example/mcp');
    expect(first.body).toContain('/api/public/validate-publisher?domain=news.example');
    // the published file opens in the editor, to be corrected and validated for its domain
    expect(first.body).toMatch(
      /<textarea[^>]*>\n\{&quot;agents&quot;:\[\{&quot;type&quot;:&quot;brand&quot;/,
    );
    expect(first.body).toMatch(/id="for"[^>]* value="news\.example"/);
    await get('/validate?domain=news.example');
    const pasted = await get(`/validate?domain=${encodeURIComponent('http://news.example/ads?x')}`);
    expect([pasted.statusCode, pasted.body.includes('value="news.example"')]).toEqual([200, true]);
    expect(checks.asked.map(({ kind }) => kind)).toEqual(['adagents', 'brand']);
  });

  it.each([
    ['/validate', 200, '<form'],
    ['/validate?domain=', 200, '<form'],
    ['/validate?domain=10.0.0.1', 400, 'role="alert"'],
    ['/validate?domain=%ff', 400, 'role="alert"'],
    ['/validate?other=1', 400, 'role="alert"'],
  ])('GET %s is %i', async (path, status, part) => {
    const { get } = await none();
    const { statusCode, body } = await get(path);
    expect([statusCode, body.includes(part)]).toEqual([status, true]);
  });

  it('is not looked at by a registry that checks no files', async () => {
    const { get } = await none();
    expect((await get('/validate?domain=news.example')).statusCode).toBe(501);
  });
});
