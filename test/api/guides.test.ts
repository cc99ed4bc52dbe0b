import { describe, expect, it } from 'vitest';
import { ABOUT_DOCUMENTS } from '../../src/pages/docs/about-documents.ts';
import { readGuideFiles } from '../../src/pages/docs/guide-files.ts';
import { markdownPage } from '../../src/pages/docs/markdown.ts';
import { openRegistry } from './support/registry.ts';

const ids = (page: string) => new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id));
const links = (page: string) => [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);

describe('the documents of the package', () => {
  it('are pages, one each, in the order of the list of documents', async () => {
    const { get } = await openRegistry();
    const front = (await get('/docs')).body;
    const { guides } = readGuideFiles();
    const paths = guides.map(({ path }) => path);
    expect(paths.slice(0, 2)).toEqual(['/docs/guides/find-agents', '/docs/guides/publish-your-file']);
    expect(paths).toEqual(expect.arrayContaining(['/docs/operating/runbooks/clock', '/docs/security']));
    expect(new Set(paths).size).toBe(paths.length);
    for (const { path } of guides) expect(front).toContain(`href="${path}"`);
    const { body } = await get('/docs/guides/find-agents/');
    expect(body).toContain('<h1 id="find-agents-and-call-them">Find agents and call them</h1>');
  });

  it('have a sentence each that says what they are for, and no other document has', () => {
    const { guides } = readGuideFiles();
    expect(Object.keys(ABOUT_DOCUMENTS).toSorted()).toEqual(guides.map(({ file }) => file).toSorted());
    for (const [file, about] of Object.entries(ABOUT_DOCUMENTS)) {
      expect(about, file).toMatch(/^[A-Z][^`*]*\.$/);
      expect(about.split(' ').length, file).toBeLessThan(26);
    }
  });

  it('leave what is for whoever changes the program', async () => {
    const { get } = await openRegistry();
    for (const name of [
      'architecture',
      'decisions',
      'reference/api',
      'guides',
      '../package',
      '%2e%2e/README',
    ])
      expect((await get(`/docs/${name}`)).statusCode, name).toBe(404);
  });

  it('link the section about the API to the pages of the operations', async () => {
    const { get } = await openRegistry();
    const { body } = await get('/docs/guides/find-agents');
    expect(body).toContain('<a href="/docs/api">API reference</a>');
  });

  it('link to headings that there are', async () => {
    const { get } = await openRegistry();
    const pages = new Map<string, string>();
    for (const { path } of readGuideFiles().guides) pages.set(path, (await get(path)).body);
    pages.set('/docs/api', (await get('/docs/api')).body);
    const lost = [...pages].flatMap(([from, body]) =>
      links(body)
        .map((link) => link.split('#'))
        .filter(([path = '', id]) => {
          const target = pages.get(path === '' ? from : path);
          return id !== undefined && target !== undefined && !ids(target).has(id);
        })
        .map((link) => `${from}: ${link.join('#')}`),
    );
    expect(lost).toEqual([]);
  });

  it('have no second id of the same name on a page', async () => {
    const { get } = await openRegistry();
    for (const { path } of readGuideFiles().guides) {
      const { body } = await get(path);
      expect(ids(body).size, path).toBe(body.match(/\sid="/g)?.length);
    }
  });

  it('show their pictures from this registry', async () => {
    const { get } = await openRegistry([], { baseUrl: 'https://registry.example/agents' });
    const { body } = await get('/docs/guides/find-agents');
    const [, path = ''] = /<img class="picture" src="\/agents([^"]+)" alt="[^"]+/.exec(body) ?? [];
    const picture = await get(path);
    expect(picture.statusCode).toBe(200);
    expect(picture.headers['content-type']).toBe('image/png');
  });
});

describe('a text in Markdown', () => {
  const places = {
    link: (to: string) => (to.startsWith('x') ? `/docs/${to}` : undefined),
    picture: () => undefined,
  };
  const shown = (text: string) => String(markdownPage(`# T\n\n${text}`, places).content).trim();
  it.each([
    ['HTML is text', '<b>x</b>', '<p>&lt;b&gt;x&lt;/b&gt;</p>'],
    ['a block of HTML is text', '<script>\nx\n</script>', '&lt;script&gt;\nx\n&lt;/script&gt;'],
    ['a comment is left out', '<!-- x -->', ''],
    ['a link to a page', '[a](x#y)', '<p><a href="/docs/x#y">a</a></p>'],
    ['a link that leads nowhere here', '[`a`](https://elsewhere.example/)', '<p><code>a</code></p>'],
    ['a script for an address', '[a](javascript:x)', '<p>a</p>'],
    ['a picture from elsewhere', '![a](https://elsewhere.example/a.png)', '<p>a</p>'],
    ['code with marks', '`a <b> & *c*`', '<p><code>a &lt;b&gt; &amp; *c*</code></p>'],
    ['marks', '**a** _b_ \\*', '<p><strong>a</strong> <em>b</em> *</p>'],
  ])('%s', (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('keeps the cells of a table under their heads, with what stands between escaped bars', () => {
    const table = shown('| a | b |\n|---|---|\n| `x \\| y` | z |');
    expect(table).toContain('<td data-label="a"><code>x | y</code></td><td data-label="b">z</td>');
  });

  it('gives each heading an id of its own, whatever stands in it', () => {
    const { title, parts } = markdownPage('# `x` and y\n## a\n## a\n## a-1\n', places);
    expect(title).toBe('x and y');
    expect(parts.map(({ id }) => id)).toEqual(['a', 'a-1', 'a-1-1']);
  });
});
