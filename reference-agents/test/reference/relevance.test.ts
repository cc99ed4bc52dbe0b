import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scoreOf, tokensOf, weightsOf } from '../../src/reference/text/relevance.ts';

describe('relevance of a text', () => {
  it('lets the forms of a word meet', () => {
    expect(tokensOf('drivers driving drive')).toEqual(['driv']);
    expect(tokensOf('Travellers travel by ferries, one ferry')).toEqual(['travel', 'ferry', 'one']);
  });

  it('drops accents, case and words that say nothing', () => {
    expect(tokensOf('We want the CAFÉS of Gälway')).toEqual(['caf', 'galway']);
  });

  it('ranks by the weight of what is found, and names our own words', () => {
    const document = weightsOf([
      { text: 'Ferry passengers', weight: 3 },
      { text: 'people who cross the bay', weight: 1 },
    ]);
    const close = scoreOf(tokensOf('passengers of a ferry'), document);
    expect(close).toEqual({ score: 0.667, matched: ['ferry', 'passengers'] });
    expect(scoreOf(tokensOf('crossing'), document).score).toBeLessThan(close.score);
    expect(scoreOf(tokensOf('gardens'), document)).toEqual({ score: 0, matched: [] });
  });

  it('never scores lower for more words, stays within 0 and 1, and is deterministic', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (text, first, more) => {
        const document = weightsOf([{ text: `${text} ${first}`, weight: 2 }]);
        const before = scoreOf(tokensOf(first), document);
        const after = scoreOf([...tokensOf(first), ...tokensOf(more)], document);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
        expect(after.score).toBeLessThanOrEqual(1);
        expect(scoreOf(tokensOf(first), document)).toEqual(before);
      }),
    );
  });

  it('bounds a text of any length', () => {
    const endless = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ');
    expect(tokensOf(endless)).toHaveLength(1_000);
    expect(tokensOf('constructor __proto__')).toContain('constructor');
  });
});
