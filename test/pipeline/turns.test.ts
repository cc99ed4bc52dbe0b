import { describe, expect, it } from 'vitest';
import type { VisitWork } from '../../src/domain/source.ts';
import { Turns } from '../../src/pipeline/turns.ts';
import { keysOf, workFor } from './support.ts';

function turnsOf(...keys: readonly string[]): Turns<VisitWork> {
  const turns = new Turns<VisitWork>();
  turns.add(keys.map(workFor));
  return turns;
}

describe('the turns of registrable domains', () => {
  it('let one visit of a domain go on at a time, and others beside it', () => {
    const turns = turnsOf('a.one.example', 'b.one.example', 'two.example');
    expect([turns.next()?.key, turns.next()?.key, turns.next()?.key]).toEqual([
      'a.one.example',
      'two.example',
      undefined,
    ]);
  });

  it('let the next one begin when the turn before it ends, after those that are ready already', () => {
    const turns = turnsOf('a.one.example', 'b.one.example', 'two.example');
    const first = turns.next();
    expect(first && turns.end(first)).toBe('next');
    expect([turns.next()?.key, turns.next()?.key]).toEqual(['two.example', 'b.one.example']);
  });

  it('say when a domain has none left in hand, and end a turn once', () => {
    const turns = turnsOf('a.one.example');
    const work = turns.next();
    expect(turns.busy.has('one.example')).toBe(true);
    expect([work && turns.end(work), work && turns.end(work)]).toEqual(['free', 'none']);
    expect(turns.busy.has('one.example')).toBe(false);
  });

  it('know the domain of an agent', () => {
    const turns = new Turns();
    turns.add(
      ['https://sales.one.example/mcp', 'https://buy.one.example/'].map((key) => ({
        ...workFor(key),
        kind: 'agent',
      })),
    );
    expect([turns.ready, turns.busy.has('one.example')]).toEqual([1, true]);
  });

  it('give up what was not handed out, those that wait included', () => {
    const turns = turnsOf('a.one.example', 'b.one.example', 'two.example');
    turns.next();
    expect(keysOf(turns.drain())).toEqual(['two.example', 'b.one.example']);
    expect([turns.ready, turns.next()]).toEqual([0, undefined]);
  });
});
