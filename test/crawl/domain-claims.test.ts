import { describe, expect, it } from 'vitest';
import { DomainClaims } from '../../src/crawl/domain-claims.ts';
import type { Politeness } from '../../src/records/sources/politeness.ts';

const NOW = 1_800_000_000_000;

/** The claims of one process over a store that tells what it was asked. */
function claimsOver(claim: (domains: readonly string[]) => Promise<readonly string[]> = async (all) => all) {
  const asked: string[] = [];
  const faults: unknown[] = [];
  const politeness: Politeness = {
    async claim(domains, holder) {
      asked.push(`${holder} claims ${domains.join()}`);
      return new Set(await claim(domains));
    },
    isWanted: async () => false,
    async release(domains, holder, freeAt) {
      asked.push(`${holder} releases ${domains.toSorted().join()} at ${freeAt - NOW}`);
    },
  };
  const claims = new DomainClaims({
    ...{ politeness, holder: 'us', clock: { now: () => NOW }, pauseMs: 1_000 },
    onFault: (fault) => faults.push(fault),
  });
  return { claims, asked, faults };
}

const only = (...domains: readonly string[]) => new Set(domains);

describe('the claims of a process', () => {
  it('are given back together, with a pause when somebody was visited', async () => {
    const { claims, asked } = claimsOver();
    expect(await claims.claim(only('a.example', 'b.example', 'c.example'), 60_000)).toEqual(
      only('a.example', 'b.example', 'c.example'),
    );
    claims.leave('a.example', true);
    claims.leave('b.example', true);
    claims.leave('c.example', false);
    await claims.flush();
    expect(asked.slice(1)).toEqual(['us releases a.example,b.example at 1000', 'us releases c.example at 0']);
  });

  it('are kept while another visit needs them', async () => {
    const { claims, asked } = claimsOver();
    await claims.claim(only('a.example'), 60_000);
    claims.enter('a.example');
    claims.leave('a.example', true);
    await claims.flush();
    expect(asked).toEqual(['us claims a.example']);
    claims.leave('a.example', true);
    await claims.flush();
    expect(asked.at(-1)).toBe('us releases a.example at 1000');
  });

  it('are left alone for as long as the site asks', async () => {
    const { claims, asked } = claimsOver();
    await claims.claim(only('a.example'), 60_000);
    claims.pause('a.example', 30_000);
    claims.leave('a.example', true);
    await claims.flush();
    expect(asked.at(-1)).toBe('us releases a.example at 30000');
  });

  it('that others have are not ours to give back', async () => {
    const { claims, asked } = claimsOver(async () => []);
    expect(await claims.claim(only('a.example'), 60_000)).toEqual(only());
    await claims.flush();
    expect(asked).toEqual(['us claims a.example']);
  });

  it('are not given back while they are being claimed again', async () => {
    let answer = (_: readonly string[]) => {};
    const later = new Promise<readonly string[]>((resolve) => {
      answer = resolve;
    });
    let count = 0;
    const { claims, asked } = claimsOver(async (all) => (count++ === 0 ? all : later));
    await claims.claim(only('a.example'), 60_000);
    const second = claims.claim(only('a.example'), 60_000);
    claims.leave('a.example', true);
    await claims.flush();
    answer(['a.example']);
    expect(await second).toEqual(only('a.example'));
    claims.leave('a.example', false);
    await claims.flush();
    expect(asked).toEqual(['us claims a.example', 'us claims a.example', 'us releases a.example at 1000']);
  });

  it('that are on their way back are nobody’s, not even ours', async () => {
    const { claims } = claimsOver();
    await claims.claim(only('a.example'), 60_000);
    claims.leave('a.example', true);
    expect(await claims.claim(only('a.example', 'b.example'), 60_000)).toEqual(only('b.example'));
    await claims.flush();
    expect(await claims.claim(only('a.example'), 60_000)).toEqual(only('a.example'));
  });

  it('that cannot be claimed are told, and hold nothing up', async () => {
    const { claims, asked } = claimsOver(() => Promise.reject(new Error('the store is away')));
    await expect(claims.claim(only('a.example'), 60_000)).rejects.toThrow('away');
    await claims.flush();
    expect(asked).toEqual(['us claims a.example']);
  });
});
