import { describe, expect, it } from 'vitest';
import type { VisitWork } from '../../src/domain/source.ts';
import { DomainQueues } from '../../src/pipeline/domain-queues.ts';
import { keysOf, workFor } from './support.ts';

function turnsOf(...keys: readonly string[]): DomainQueues<VisitWork> {
  const queues = new DomainQueues<VisitWork>();
  queues.add(keys.map(workFor));
  return queues;
}

describe('the queues of registrable domains', () => {
  it('let one visit of a domain go on at a time, and others beside it', () => {
    const queues = turnsOf('a.one.example', 'b.one.example', 'two.example');
    expect([queues.next()?.key, queues.next()?.key, queues.next()?.key]).toEqual([
      'a.one.example',
      'two.example',
      undefined,
    ]);
  });

  it('let the next one begin when the turn before it ends, after those that are ready already', () => {
    const queues = turnsOf('a.one.example', 'b.one.example', 'two.example');
    const first = queues.next();
    expect(first && queues.end(first)).toBe('next');
    expect([queues.next()?.key, queues.next()?.key]).toEqual(['two.example', 'b.one.example']);
  });

  it('say when a domain has none left in hand, and end a turn once', () => {
    const queues = turnsOf('a.one.example');
    const work = queues.next();
    expect(queues.busy.has('one.example')).toBe(true);
    expect([work && queues.end(work), work && queues.end(work)]).toEqual(['free', 'none']);
    expect(queues.busy.has('one.example')).toBe(false);
  });

  it('know the domain of an agent', () => {
    const queues = new DomainQueues();
    queues.add(
      ['https://sales.one.example/mcp', 'https://buy.one.example/'].map((key) => ({
        ...workFor(key),
        kind: 'agent',
      })),
    );
    expect([queues.ready, queues.busy.has('one.example')]).toEqual([1, true]);
  });

  it('give up what was not handed out, those that wait included', () => {
    const queues = turnsOf('a.one.example', 'b.one.example', 'two.example');
    queues.next();
    expect(keysOf(queues.drain())).toEqual(['two.example', 'b.one.example']);
    expect([queues.ready, queues.next()]).toEqual([0, undefined]);
  });
});
