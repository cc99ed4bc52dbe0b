import { describe, expect, it } from 'vitest';
import { agentKey } from '../../src/domain/agent-url.ts';
import { readTarget } from '../../src/signing/target.ts';

describe('the normal form of a target', () => {
  it.each([
    ['HTTPS://Seller.Example/p', 'https://seller.example/p', 'seller.example'],
    ['https://seller.example:443/p', 'https://seller.example/p', 'seller.example'],
    ['http://seller.example:80/p', 'http://seller.example/p', 'seller.example'],
    ['http://seller.example:443/p', 'http://seller.example:443/p', 'seller.example:443'],
    ['https://seller.example:8443/p', 'https://seller.example:8443/p', 'seller.example:8443'],
    ['https://[2001:DB8::1]/p', 'https://[2001:db8::1]/p', '[2001:db8::1]'],
    ['https://[::1]:443/p', 'https://[::1]/p', '[::1]'],
    ['https://Bücher.example/p', 'https://xn--bcher-kva.example/p', 'xn--bcher-kva.example'],
    ['https://seller.example./p', 'https://seller.example/p', 'seller.example'],
    ['https://seller.example.:8443/p', 'https://seller.example:8443/p', 'seller.example:8443'],
    ['https://xn--bcher-kva.example./p', 'https://xn--bcher-kva.example/p', 'xn--bcher-kva.example'],
    ['https://seller.example?', 'https://seller.example/?', 'seller.example'],
    ['https://xn--bcher-kva.example/p', 'https://xn--bcher-kva.example/p', 'xn--bcher-kva.example'],
    ['https://seller.example', 'https://seller.example/', 'seller.example'],
    ['https://seller.example?x=1', 'https://seller.example/?x=1', 'seller.example'],
    ['https://seller.example/a/./b', 'https://seller.example/a/b', 'seller.example'],
    ['https://seller.example/a/../../b', 'https://seller.example/b', 'seller.example'],
    ['https://seller.example/a/b/..', 'https://seller.example/a/', 'seller.example'],
    ['https://seller.example/a/.', 'https://seller.example/a/', 'seller.example'],
    ['https://seller.example/a//b', 'https://seller.example/a//b', 'seller.example'],
    ['https://seller.example/a/.//b', 'https://seller.example/a//b', 'seller.example'],
    ['https://seller.example/a//../b', 'https://seller.example/a/b', 'seller.example'],
    ['https://seller.example/%7efoo%41', 'https://seller.example/~fooA', 'seller.example'],
    ['https://seller.example/a%2fb%3a', 'https://seller.example/a%2Fb%3A', 'seller.example'],
    ['https://seller.example/p?b=%7e&a=1+2', 'https://seller.example/p?b=%7e&a=1+2', 'seller.example'],
    ['https://seller.example/p?', 'https://seller.example/p?', 'seller.example'],
  ])('%s', (url, uri, authority) => {
    expect(readTarget(url)).toMatchObject({ ok: true, target: { uri, authority } });
  });

  it.each([
    'Seller.Example.',
    'Bücher.example',
    'xn--bcher-kva.example',
    '[2001:DB8::1]',
    '127.1',
    'a_b.example',
  ])('has the host %s as the canonical URL of an agent has it', (host) => {
    const read = readTarget(`https://${host}/p`);
    expect(read).toMatchObject({ ok: true });
    expect('target' in read && `https://${read.target.authority}/p`).toBe(agentKey(`https://${host}/p`));
  });

  it.each([
    'https://:443/p',
    'https:///p',
    'https://user@/p',
    'https://user@seller.example/p',
    'https://[::1/p',
    'https://fe80::1/p',
    'https://[fe80::1%25eth0]/p',
    'https://seller.example../p',
    'https://seller..example/p',
    'https://./p',
    'https://seller.example:/p',
    'https://seller.example:99999/p',
    'https://seller%2eexample/p',
    'https://seller.example/a/%2e%2E/b',
    'https://seller.example/ä',
    'https://seller.example/a b',
    'https://seller.example/a\\b',
    'https://seller.example/a\n',
    'https://seller.example/%zz',
    'https://seller.example/p?q=ä',
    'https://seller.example/p#f',
    'https:/seller.example/p',
    '//seller.example/p',
    'ftp://seller.example/p',
    'javascript://seller.example/p',
    '',
  ])('refuses %s', (url) => {
    expect(readTarget(url)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^the (target|authority|path|query)/),
    });
  });

  it('reads a long query of escapes to its end, and takes no longer for one that is wrong at its end', () => {
    const url = `https://seller.example/p?${'%25'.repeat(20_000)}`;
    expect(readTarget(url)).toMatchObject({ ok: true, target: { uri: url } });
    expect(readTarget(`${url}\x00`)).toMatchObject({ ok: false });
  });
});
