import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentKey, MAX_AGENT_URL, normalHost, parseAgentUrl } from '../../src/domain/agent-url.ts';

describe('one agent, many spellings', () => {
  test.each([
    ['https://a.example', 'https://a.example/'],
    ['HTTPS://A.Example:443/', 'https://a.example/'],
    ['https://a.example:/', 'https://a.example/'],
    ['https://a.example/?', 'https://a.example/?'],
    ['https://a.example?', 'https://a.example/?'],
    ['https://a.example/mcp/?#top', 'https://a.example/mcp?'],
    ['https://a.example/#top?', 'https://a.example/'],
    ['https://a.example./?', 'https://a.example/?'],
    ['https://a.example/#top', 'https://a.example/'],
    ['https://a.example//', 'https://a.example/'],
    ['https://a.example/mcp/', 'https://a.example/mcp'],
    ['https://a.example/MCP', 'https://a.example/MCP'],
    ['https://a.example/x/../mcp/.', 'https://a.example/mcp'],
    ['https://a.example/x/%2E%2e/mcp', 'https://a.example/mcp'],
    ['https://a.example/%7euser/%c3%a9', 'https://a.example/~user/%C3%A9'],
    ['https://a.example/é', 'https://a.example/%C3%A9'],
    ['https://a.example/a|b', 'https://a.example/a%7Cb'],
    ['https://a.example/a%7cb', 'https://a.example/a%7Cb'],
    ['https://a.example/a%2Fb', 'https://a.example/a%2Fb'],
    ['https://a.example/%25%32%45', 'https://a.example/%252E'],
    ['https://a.example/mcp/?B=2&a=1', 'https://a.example/mcp?B=2&a=1'],
    ['https://Bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://a%2eexample/', 'https://a.example/'],
    ['https://a.example./mcp', 'https://a.example/mcp'],
    ['http://A.Example.:8080/', 'http://a.example:8080/'],
    ['https://127.0.0.1./', 'https://127.0.0.1/'],
    ['http://a.example:80/', 'http://a.example/'],
    ['http://a.example:443/', 'http://a.example:443/'],
    ['https://[2001:DB8:0:0::1]:443/x', 'https://[2001:db8::1]/x'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['https://１２７.0.0.1/', 'https://127.0.0.1/'],
  ])('%s is %s', (spelling, canonical) => expect(agentKey(spelling)).toBe(canonical));

  test('http and https are different agents', () => {
    expect(agentKey('http://a.example/')).not.toBe(agentKey('https://a.example/'));
  });
});

describe('no agent address', () => {
  test.each([
    ['', 'not_absolute'],
    ['a.example/mcp', 'not_absolute'],
    ['//a.example', 'not_absolute'],
    ['https:a.example', 'not_absolute'],
    ['ftp://a.example', 'scheme'],
    ['javascript://a.example', 'scheme'],
    ['https://user@a.example', 'userinfo'],
    ['https://u:p@a.example', 'userinfo'],
    ['https://@a.example', 'userinfo'],
    ['https://', 'bad_host'],
    ['https:///a.example', 'bad_host'],
    ['https:////a.example', 'bad_host'],
    ['https://?x', 'bad_host'],
    ['https://a..example', 'bad_host'],
    ['https://a.example../', 'bad_host'],
    ['https://.a.example/', 'bad_host'],
    ['https://./', 'bad_host'],
    ['https://a%2e%2eexample/', 'bad_host'],
    ['https://a。。example/', 'bad_host'],
    ['https://\u00ad.example/', 'bad_host'],
    [`https://${'a'.repeat(64)}.example/`, 'bad_host'],
    [`https://${'a.'.repeat(126)}aa/`, 'bad_host'],
    ['https://ex!ample.test', 'bad_host'],
    ['https://a.example:70000', 'bad_host'],
    ['https://[::1', 'bad_host'],
    ['https://a b.example', 'bad_escape'],
    [' https://a.example', 'not_absolute'],
    ['https://a.example/\n', 'bad_escape'],
    ['https://a.example\\@b.example', 'bad_escape'],
    ['https://a.example/%zz', 'bad_escape'],
    ['https://a.example/%', 'bad_escape'],
    [`https://a.example/${'x'.repeat(MAX_AGENT_URL)}`, 'too_long'],
    [`https://a.example/${'é'.repeat(500)}`, 'too_long'],
  ])('%j: %s', (text, problem) => expect(parseAgentUrl(text)).toEqual({ ok: false, problem }));

  test('the thrown sentence says what is wrong', () => {
    expect(() => agentKey('ftp://a.example')).toThrow('the scheme must be https or http: ftp://a.example');
  });
});

describe('one name of a host', () => {
  test.each([
    ['a.example', 'a.example'],
    ['A.Example.', 'a.example'],
    ['Bücher.example.', 'xn--bcher-kva.example'],
    ['BÜCHER。example', 'xn--bcher-kva.example'],
    ['a_b.example', 'a_b.example'],
    ['127.1', '127.0.0.1'],
    ['[2001:DB8:0::1]', '[2001:db8::1]'],
    ['localhost.', 'localhost'],
    ['', undefined],
    ['.', undefined],
    ['a.example..', undefined],
    ['a..example', undefined],
    ['.a.example', undefined],
    ['a.example:443', undefined],
    ['a%2eexample', undefined],
    ['u@a.example', undefined],
    ['a.example/b', undefined],
    ['a b.example', undefined],
    ['[fe80::1%25eth0]', undefined],
    ['1.2.3.4.5', undefined],
  ])('%j is %j', (text, host) => expect(normalHost(text)).toBe(host));
});

describe('properties', () => {
  const piece = fc.string({ unit: fc.constantFrom(...'abZ09-._~/%:;=+é|[]^ü'), maxLength: 20 });
  const spelled = fc.tuple(
    fc.constantFrom('https://', 'HTTP://'),
    fc.constantFrom('a.example', 'A.EXAMPLE:443', 'bücher.example', 'a.example.', 'a.example..'),
    piece,
    piece,
  );

  test('the canonical form is its own canonical form', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          spelled.map(([scheme, host, path, query]) => `${scheme}${host}/${path}?${query}`),
          fc.webUrl(),
          fc.string(),
        ),
        (text) => {
          const once = parseAgentUrl(text);
          if (once.ok) expect(parseAgentUrl(once.url)).toEqual(once);
        },
      ),
    );
  });

  test('an address that is taken as it is reads as it does behind the parser of URLs', () => {
    const unit = fc.constantFrom(...'aZ09-._~/%x', '/.', '//', '/..', 'xn--', '.example/');
    const tail = fc.string({ unit, maxLength: 12 });
    const label = fc.oneof(fc.stringMatching(/^[a-z0-9-]{1,6}$/), fc.constant('a'.repeat(64)));
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), tail, (labels, path) => {
        const text = `https://${labels.join('.')}/${path}`;
        expect(parseAgentUrl(text)).toEqual(parseAgentUrl(`${text}#`)); // what has a fragment is parsed
      }),
      { numRuns: 2_000 },
    );
  });

  test('escaping unreserved characters, case of the host and a fragment change nothing', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,10}$/);
    fc.assert(
      fc.property(word, word, fc.boolean(), (host, path, upper) => {
        const escaped = [...path].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
        const name = upper ? host.toUpperCase() : host;
        expect(agentKey(`https://${name}.example/${escaped}/#${path}`)).toBe(
          agentKey(`https://${host}.example/${path}`),
        );
      }),
    );
  });
});
