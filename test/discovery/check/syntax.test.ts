import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withEdits } from '../../../src/discovery/check/edits.ts';
import { MAX_FAULTS } from '../../../src/discovery/check/lenient-cursor.ts';
import { walkJson } from '../../../src/discovery/check/lenient-walk.ts';
import type { SyntaxFault } from '../../../src/discovery/check/syntax-faults.ts';

/** The JSON that a text was meant to be, and what was wrong: `kind@offset`, with `?` where that is a guess. */
function repaired(text: string): { json: string; faults: readonly string[]; isComplete: boolean } {
  const faults: SyntaxFault[] = [];
  const isComplete = walkJson(text, (fault) => faults.push(fault), 32);
  const edits = faults.flatMap((fault) => fault.edits);
  const named = faults.map(({ kind, offset, isCertain }) => `${kind}@${offset}${isCertain ? '' : '?'}`);
  return { json: withEdits(text, edits).text, faults: named, isComplete };
}

describe('the syntax of a file', () => {
  it.each([
    ['{"a": [1,],}', '{"a": [1]}', ['comma_trailing@8', 'comma_trailing@10']],
    ['{"a": 1 "b": 2}', '{"a": 1, "b": 2}', ['comma_missing@7']],
    ['{"a": 1; "b": 2}', '{"a": 1, "b": 2}', ['comma_missing@7']],
    ['[1,,2]', '[1,2]', ['comma_extra@3']],
    ['{\n  // x\n  "a": 1 # y\n}', '{\n  "a": 1\n}', ['comment@4', 'comment@18']],
    ['{"a"/* x */: 1}', '{"a": 1}', ['comment@4']],
    ['// x\n/* y */ {"a": 1}', ' {"a": 1}', ['comment@0', 'comment@5']],
    ["{'a': 'it\\'s'}", '{"a": "it\'s"}', ['quotes@1', 'quotes@6']],
    ['{“a”: 1}', '{"a": 1}', ['quotes@1']],
    ['{a-b: 1}', '{"a-b": 1}', ['key_unquoted@1']],
    ['{"a": True, "b": None}', '{"a": true, "b": null}', ['word@6', 'word@17']],
    ['{"a": sales}', '{"a": "sales"}', ['text_unquoted@6?']],
    ['{"a": 01}', '{"a": "01"}', ['number@6?']],
    [
      '{"a" 1, "b" = 2}',
      '{"a" :1, "b" : 2}'.replace('" :1', '": 1'),
      ['colon_missing@4', 'colon_missing@12'],
    ],
    ['{"a": }', '{"a": null }', ['value_missing@5?']],
    ['{"a": "x\ty"}', '{"a": "x\\ty"}', ['control_character@8']],
    ['{"a": "x\n  y"}', '{"a": "x\\n  y"}', ['control_character@8']],
    ['{"a": "x,\n "b": 1}', '{"a": "x",\n "b": 1}', ['text_open@8?']],
    [
      '{"a": "all "display" ads"}',
      '{"a": "all \\"display\\" ads"}',
      ['quote_unescaped@11', 'quote_unescaped@19'],
    ],
    ['{"a": "c:\\x"}', '{"a": "c:\\\\x"}', ['escape@9?']],
    ['{\u00a0"a": 1}', '{ "a": 1}', ['blank@1']],
    ['{"a": [{"b": 1, {"c": 2}]}', '{"a": [{"b": 1}, {"c": 2}]}', ['bracket_missing@14']],
    ['{"a": ["x", "b": 1}', '{"a": ["x"], "b": 1}', ['bracket_missing@10']],
    ['{"a": [1}, "b": 2}', '{"a": [1], "b": 2}', ['bracket_wrong@8']],
    ['{"a": [1}', '{"a": [1]}', ['bracket_missing@8']],
    ['{"a": 1}, "b": 2}', '{"a": 1, "b": 2}', ['bracket_extra@7?']],
    ['{"a": 1}}', '{"a": 1}', ['bracket_extra@8']],
    ['{"a": 1', '{"a": 1}', ['bracket_missing@7']],
    [
      '{"a": [{"b": 1',
      '{"a": [{"b": 1}]}',
      ['bracket_missing@14?', 'bracket_missing@14?', 'bracket_missing@14?'],
    ],
    ['{"a": 1} b', '{"a": 1} ', ['after_end@9?']],
    ['{, * 1}', '{ "": "* 1"}', ['comma_extra@1', 'character@3?', 'colon_missing@3', 'text_unquoted@3?']],
  ])('%j is meant as %j', (text, json, faults) => {
    const made = repaired(text);
    expect([made.faults, JSON.parse(made.json)]).toEqual([faults, JSON.parse(json)]);
  });

  it('has no fault in JSON, and its edits make JSON of any text', () => {
    const marks = [...'{}[]",:\'ab1 \n\\/*#-.tru“”;=é\u00a0'];
    const texts = fc.array(fc.constantFrom(...marks), { maxLength: 40 }).map((units) => `{${units.join('')}`);
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(repaired(`[${text}]`).faults).toEqual([]);
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { json, isComplete } = repaired(text);
        if (isComplete) JSON.parse(json);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is looked at up to a number of faults and a depth, in linear time', () => {
    expect(repaired('[1 '.repeat(33)).isComplete).toBe(false);
    let count = 0;
    expect(walkJson(`[${'1 '.repeat(MAX_FAULTS + 10)}]`, () => (count += 1), 32)).toBe(false);
    expect(count).toBe(MAX_FAULTS);
    // a quadratic walk would take hours
    for (const part of ['/**/', '"a', "'a", '\n', '}', '\\x', '"a" ', ' ', '{', '#'])
      walkJson(`{"a": "${part.repeat(150_000)}`, () => {}, 32);
  });
});
