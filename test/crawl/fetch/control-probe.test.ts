import { describe, expect, it } from 'vitest';
import { createControlProbe } from '../../../src/crawl/fetch/control-probe.ts';
import type { Fetcher } from '../../../src/ports/fetcher.ts';

const CLOCK = { now: () => 0 };
const SITES = ['https://one.control.example/', 'https://two.example/'];

/** A network in which hosts under `mapped` are the operator's and only `up` answer. */
function network(up: readonly string[], mapped: readonly string[]) {
  const asked: string[] = [];
  const fetcher: Fetcher = {
    isMapped: (url) => mapped.includes(new URL(url).hostname),
    close: async () => {},
    visit: async ({ host }, work) => {
      asked.push(host);
      const fetch = async () => {
        if (!up.includes(host)) throw new Error('silent');
        return new Response('');
      };
      return work({
        signal: new AbortController().signal,
        ...{ fetch, elsewhere: () => fetch },
        get: () => Promise.reject(new Error('no file')),
      });
    },
  };
  return { asked, control: createControlProbe({ fetcher, clock: CLOCK, urls: SITES }) };
}

describe('the control probe', () => {
  it.each<[string, string, readonly string[], readonly string[], boolean, readonly string[]]>([
    [
      'one site answers',
      'https://a.example/',
      ['two.example'],
      [],
      true,
      ['one.control.example', 'two.example'],
    ],
    ['no site answers', 'https://a.example/', [], [], false, ['one.control.example', 'two.example']],
    ['its own site is not asked', 'https://www.two.example/', [], [], false, ['one.control.example']],
    ['a mapped host is no matter of the public network', 'https://a.example/', [], ['a.example'], true, []],
    [
      'mapped sites speak for a mapped host',
      'https://a.example/',
      [],
      ['a.example', 'two.example'],
      false,
      ['two.example'],
    ],
    [
      'a mapped site says nothing of a public host',
      'https://a.example/',
      [],
      SITES.map((url) => new URL(url).hostname),
      true,
      [],
    ],
    ['an own address', 'http://127.0.0.1:4000/', [], [], true, []],
    ['an own name', 'http://localhost:4000/', [], [], true, []],
  ])('%s', async (_name, silent, up, mapped, expected, asked) => {
    const net = network(up, mapped);
    expect(await net.control(silent)).toBe(expected);
    expect(net.asked).toEqual(asked);
  });
});
