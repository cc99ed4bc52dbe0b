import { describe, expect, it } from 'vitest';
import { DomainTurns } from '../../src/pipeline/domain-turns.ts';
import type { Politeness } from '../../src/ports/politeness.ts';

const NOW = 1_800_000_000_000;

/** The turns of one process over a store that tells what it was asked. */
function turnsOver(claim: (domains: readonly string[]) => Promise<readonly string[]> = async (all) => all) {
  const asked: string[] = [];
  const faults: unknown[] = [];
  const politeness: Politeness = {
    async claim(domains, holder) {
      asked.push(`${holder} claims ${domains.join()}`);
      return new Set(await claim(domains));
    },
    async release(domains, holder, freeAt) {
      asked.push(`${holder} releases ${domains.toSorted().join()} at ${freeAt - NOW}`);
    },
  };
  const turns = new DomainTurns({
    ...{ politeness, holder: 'us', clock: { now: () => NOW }, pauseMs: 1_000 },
    onFault: (fault) => faults.push(fault),
  });
  return { turns, asked, faults };
}

const only = (...domains: readonly string[]) => new Set(domains);

describe('the turns of a process', () => {
  it('are given back together, with a pause when somebody was visited', async () => {
    const { turns, asked } = turnsOver();
    expect(await turns.claim(only('a.example', 'b.example', 'c.example'), 60_000)).toEqual(
      only('a.example', 'b.example', 'c.example'),
    );
    turns.leave('a.example', true);
    turns.leave('b.example', true);
    turns.leave('c.example', false);
    await turns.flush();
    expect(asked.slice(1)).toEqual(['us releases a.example,b.example at 1000', 'us releases c.example at 0']);
  });

  it('are kept while another visit needs them', async () => {
    const { turns, asked } = turnsOver();
    await turns.claim(only('a.example'), 60_000);
    turns.enter('a.example');
    turns.leave('a.example', true);
    await turns.flush();
    expect(asked).toEqual(['us claims a.example']);
    turns.leave('a.example', true);
    await turns.flush();
    expect(asked.at(-1)).toBe('us releases a.example at 1000');
  });

  it('are left alone for as long as the site asks', async () => {
    const { turns, asked } = turnsOver();
    await turns.claim(only('a.example'), 60_000);
    turns.pause('a.example', 30_000);
    turns.leave('a.example', true);
    await turns.flush();
    expect(asked.at(-1)).toBe('us releases a.example at 30000');
  });

  it('that others have are not ours to give back', async () => {
    const { turns, asked } = turnsOver(async () => []);
    expect(await turns.claim(only('a.example'), 60_000)).toEqual(only());
    await turns.flush();
    expect(asked).toEqual(['us claims a.example']);
  });

  it('are not given back while they are being claimed again', async () => {
    let answer = (_: readonly string[]) => {};
    const later = new Promise<readonly string[]>((resolve) => {
      answer = resolve;
    });
    let claims = 0;
    const { turns, asked } = turnsOver(async (all) => (claims++ === 0 ? all : later));
    await turns.claim(only('a.example'), 60_000);
    const second = turns.claim(only('a.example'), 60_000);
    turns.leave('a.example', true);
    await turns.flush();
    answer(['a.example']);
    expect(await second).toEqual(only('a.example'));
    turns.leave('a.example', false);
    await turns.flush();
    expect(asked).toEqual(['us claims a.example', 'us claims a.example', 'us releases a.example at 1000']);
  });

  it('that are on their way back are nobody’s, not even ours', async () => {
    const { turns } = turnsOver();
    await turns.claim(only('a.example'), 60_000);
    turns.leave('a.example', true);
    expect(await turns.claim(only('a.example', 'b.example'), 60_000)).toEqual(only('b.example'));
    await turns.flush();
    expect(await turns.claim(only('a.example'), 60_000)).toEqual(only('a.example'));
  });

  it('that cannot be claimed are told, and hold nothing up', async () => {
    const { turns, asked } = turnsOver(() => Promise.reject(new Error('the store is away')));
    await expect(turns.claim(only('a.example'), 60_000)).rejects.toThrow('away');
    await turns.flush();
    expect(asked).toEqual(['us claims a.example']);
  });
});
