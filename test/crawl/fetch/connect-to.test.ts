import { describe, expect, it, test } from 'vitest';
import { parseConnectTo, parseConnectToFile } from '../../../src/crawl/fetch/connect-to.ts';
import { createConnectToTable } from '../../../src/crawl/fetch/routes.ts';

describe('exact beats the longest wildcard beats the star', () => {
  const table = createConnectToTable(
    parseConnectTo([
      '*=http://127.0.0.1:1',
      '*.example=http://127.0.0.1:2',
      '*.news.example=http://127.0.0.1:3',
      'news.example=https://127.0.0.1:4',
    ]),
  );
  it.each([
    ['news.example', 'https://127.0.0.1:4'],
    ['www.news.example', 'http://127.0.0.1:3'],
    ['a.b.news.example', 'http://127.0.0.1:3'],
    ['other.example', 'http://127.0.0.1:2'],
    ['example', 'http://127.0.0.1:1'],
    ['elsewhere.test', 'http://127.0.0.1:1'],
  ])('%s goes to %s', (host, origin) => {
    expect(table.find(host)?.origin).toBe(origin);
  });
});

test('a host that no entry names is not mapped', () => {
  const table = createConnectToTable(parseConnectTo(['*.news.example=http://127.0.0.1:3']));
  expect(table.find('news.example')).toBeUndefined();
  expect(table.find('xnews.example')).toBeUndefined();
  expect(createConnectToTable([]).find('news.example')).toBeUndefined();
});

test('names are compared in lower case A-labels, without the trailing dot', () => {
  expect(parseConnectTo(['*.BÜCHER.example.=http://localhost:4000'])).toEqual([
    { pattern: '*.xn--bcher-kva.example', target: new URL('http://localhost:4000') },
  ]);
});

describe('a spec that is wrong says what and how', () => {
  it.each([
    ['news.example', "'news.example' has no '='"],
    ['=http://127.0.0.1', "does not start with a host name, '*.domain' or '*'"],
    ['https://news.example=http://127.0.0.1', 'does not start with a host name'],
    ['news.example:443=http://127.0.0.1', 'does not start with a host name'],
    ['n*.example=http://127.0.0.1', 'does not start with a host name'],
    ['news.example=127.0.0.1:4000', 'does not name an http or https origin'],
    ['news.example=http://127.0.0.1/path', 'does not name an http or https origin'],
    ['news.example=http://u:p@127.0.0.1', 'does not name an http or https origin'],
    ['news.example=ftp://127.0.0.1', 'does not name an http or https origin'],
    ['news.example=', 'does not name an http or https origin'],
  ])('%s', (spec, message) => {
    expect(() => parseConnectTo([spec])).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(message),
        hint: expect.any(String),
      }),
    );
  });
});

test('two targets for one host are refused, the same one twice is fine', () => {
  const twice = ['news.example=http://127.0.0.1:1', 'NEWS.example=http://127.0.0.1:1/'];
  expect(parseConnectTo(twice)).toHaveLength(2);
  expect(() => parseConnectTo([...twice, 'news.example=http://127.0.0.1:2'])).toThrow(
    "'news.example' is mapped to two targets",
  );
});

test('a file has one entry a line, with comments and empty lines, and its errors have a line number', () => {
  const text = '# the demo\n\nnews.example=http://127.0.0.1:1\r\n  *=http://127.0.0.1:2  \n';
  expect(parseConnectToFile(text).map(({ pattern }) => pattern)).toEqual(['news.example', '*']);
  expect(() => parseConnectToFile('# a\nnews.example')).toThrow("line 2 of the connect-to file has no '='");
});
