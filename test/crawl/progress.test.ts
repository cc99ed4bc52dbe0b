import { describe, expect, it } from 'vitest';
import { Tally } from '../../src/crawl/progress.ts';
import { OUTCOMES } from '../../src/domain/outcome.ts';

describe('the tally of a run', () => {
  it('starts with every outcome at none', () => {
    const { outcomes } = new Tally();
    expect(Object.keys(outcomes)).toEqual([...OUTCOMES]);
    expect(new Set(Object.values(outcomes))).toEqual(new Set([0]));
  });

  it('counts one visit and the outcome of each of its files', () => {
    const tally = new Tally();
    tally.visit('domains', ['indexed', 'absent']);
    tally.visit('agents', ['indexed']);
    expect(tally.visited).toEqual({ domains: 1, agents: 1 });
    expect(tally.outcomes).toMatchObject({ indexed: 2, absent: 1 });
  });

  it('keeps what went wrong, and domains that publish nothing beside it', () => {
    const tally = new Tally();
    tally.note({ source: 'a.example', code: 'timeout', detail: 'x' });
    tally.note({ source: 'https://c.example/', code: 'dns', detail: 'x' });
    tally.absent('d.example');
    expect(tally.absentDomains).toBe(1);
    expect(tally.failures.map((failure) => failure.source)).toEqual([
      'a.example',
      'https://c.example/',
      'd.example',
    ]);
  });

  it('keeps a thousand failures', () => {
    const tally = new Tally();
    for (let count = 0; count < 1_200; count += 1)
      tally.note({ source: `d${count}.example`, code: 'dns', detail: 'x' });
    expect(tally.failures.length).toBe(1_000);
  });
});
