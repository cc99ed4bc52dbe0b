import { describe, expect, it } from 'vitest';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import { createUrlFault } from '../../../src/crawl/fetch/url-fault.ts';

describe('what the guard refuses by the text of a url', () => {
  it.each([
    ['https://hooks.example/x', 'https', undefined],
    ['https://8.8.8.8/', 'https', undefined],
    ['https://sales.example:8443/mcp', 'http_or_https', undefined],
    ['http://sales.example/mcp', 'http_or_https', undefined],
    ['http://hooks.example/', 'https', /scheme http/],
    ['https://me:secret@hooks.example/', 'https', /user name/],
    ['https://hooks.example:25/', 'https', /port 25/],
    ['https://10.0.0.1/', 'https', /private address/],
    ['https://2130706433/', 'https', /loopback address/],
    ['https://a.localhost/', 'https', /loopback name/],
    ['https://[fe80::1]/', 'https', /link-local/],
    ['nowhere', 'https', /not valid/],
  ] as const)('%s, %s: %s', (url, schemes, expected) => {
    const fault = createUrlFault([])(url, schemes);
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(expected);
  });

  it('takes what the operator has mapped', () => {
    const fault = createUrlFault(parseConnectTo(['10.0.0.1=http://127.0.0.1:4000']));
    expect(fault('https://10.0.0.1:25/', 'https')).toBeUndefined();
    expect(fault('https://10.0.0.2/', 'https')).toMatch(/private address/);
  });
});
