import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStoryboard } from '../../src/compliance/storyboards/read-storyboard.ts';

const GOOD = `id: sample
title: Sample
track: core
phases:
  - id: one
    steps:
      - id: ask
        task: get_products
        sample_request:
          brief: coffee
        context_outputs:
          - path: products[0].product_id
            name: product_id
        validations:
          - check: response_schema
      - id: buy
        task: create_media_buy
        stateful: true
        sample_request:
          packages:
            - product_id: $context.product_id
`;

/** An object at each level at which the format has one. */
const EVERYTHING = {
  ...{ id: 'all', title: 'All', requires_capability: [{ path: 'a', equals: 1 }] },
  prerequisites: { description: 'words', controller_seeding: true },
  ...{ fixtures: { products: [{ product_id: 'p' }] }, context: { a: { b: 1 } } },
  phases: [
    {
      ...{ id: 'one', optional: true, branch_set: { id: 'way', semantics: 'any_of' } },
      requires_capability: { path: 'a', present: true },
      steps: [
        {
          ...{ id: 'ask', task: 'get_products', contributes: true, sample_request: { brief: { a: 1 } } },
          auth: { type: 'api_key', value_strategy: 'random_invalid' },
          context_inputs: [{ key: 'a', inject_at: 'b' }],
          context_outputs: [{ name: 'p', path: 'products', default: { a: 1 } }],
          validations: [
            { check: 'field_value', path: 'a', value: { a: 1 } },
            {
              ...{ check: 'refs_resolve', source: { from: 'context', path: 'a' }, target: { path: 'b' } },
              ...{ match_keys: ['id'], scope: { key: 'id', equals: { a: 1 } } },
            },
          ],
        },
        {
          ...{ id: 'hear', task: 'expect_webhook_retry_keys_stable', triggered_by: 'ask' },
          ...{ filter: { status: 'x' }, retry_trigger: { count: 3, http_status: 503 } },
          verify_signature_on_every_delivery: true,
        },
        { id: 'see', task: 'expect_substitution_safe', catalog_bindings: [{ macro: 'A' }] },
      ],
    },
  ],
};
/** What is sent, expected or seeded has any members. */
const DATA = ['fixtures', 'context', 'sample_request', 'value', 'default', 'equals', 'filter'];

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Any = any;

/** The way to each object that is no data. */
function objectsIn(
  value: unknown,
  way: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, one]) =>
    DATA.includes(key) ? [] : objectsIn(one, [...way, key]),
  );
  return Array.isArray(value) ? inside : [way, ...inside];
}

/** The codes with their places, `code at line:column`. */
function codesOf(yaml: string): readonly string[] {
  return readStoryboard(yaml).findings.map(({ code, line, column }) => `${code} at ${line}:${column}`);
}

describe('reading a storyboard', () => {
  it('reads the public format, with what was left out filled in', () => {
    const { storyboard, findings } = readStoryboard(GOOD);
    expect(findings).toEqual([]);
    expect(storyboard).toMatchObject({
      id: 'sample',
      category: 'sample',
      requiredTools: [],
      phases: [
        {
          id: 'one',
          optional: false,
          steps: [{ id: 'ask', auth: 'given' }, { stateful: true }],
        },
      ],
    });
  });

  it('lets members pass that are for people', () => {
    expect(readStoryboard(`${GOOD}grading: {a: b}\n`)).toMatchObject({ findings: [], unknown: [] });
  });

  it('tells a member that it does not know in every object that is no data, and leaves open what has it', () => {
    const places = objectsIn(EVERYTHING);
    expect(places.length).toBe(19);
    expect(readStoryboard(JSON.stringify(EVERYTHING))).toMatchObject({ findings: [], unknown: [] });
    for (const place of places) {
      const document = structuredClone(EVERYTHING);
      Object.assign(
        place.reduce<Any>((at, key) => at[key], document),
        { zz: 1 },
      );
      const { storyboard, unknown } = readStoryboard(JSON.stringify(document));
      expect(
        unknown.map(({ name }) => name.split('.').at(-1)),
        place.join('/'),
      ).toEqual(['zz']);
      const steps = storyboard?.phases.flatMap((phase) => phase.steps) ?? [];
      const checks = steps.flatMap((step) => step.validations);
      expect(
        [storyboard, ...(storyboard?.phases ?? []), ...steps, ...checks].filter(
          (one) => one?.notEvaluated !== undefined || (one !== undefined && 'unknownGates' in one),
        ),
        place.join('/'),
      ).toHaveLength(1);
    }
  });

  it.each([
    [
      'a branch of another kind',
      'branch_set: {id: b, semantics: all_of}, steps: []',
      'phase.branch_set.semantics: "all_of"',
    ],
    [
      'a key of another principal',
      'steps: [{id: s, task: get_products, auth: {type: api_key, from_test_kit: auth.other}}]',
      'step.auth.from_test_kit: "auth.other"',
    ],
    [
      'another severity',
      'steps: [{id: s, task: get_products, severity: perhaps}]',
      'step.severity: "perhaps"',
    ],
    [
      'checks of what has no answer',
      'steps: [{id: t, task: get_products}, {id: s, task: expect_webhook, triggered_by: t, validations: [{check: field_present, path: a}]}]',
      'step.validations',
    ],
  ])('tells a value that it does not know: %s', (_name, phase, name) => {
    const { unknown } = readStoryboard(`id: a\ntitle: A\nphases:\n  - {id: p, ${phase}}\n`);
    expect(unknown).toMatchObject([{ name, line: 4 }]);
  });

  it.each([
    ['waits for', 'task: expect_webhook, triggered_by: nobody'],
    ['counts after', 'task: get_products, contributes_to: x, contributes_if: prior_step.nobody.passed'],
    [
      'counts by a condition that is none after',
      'task: get_products, contributes_to: x, contributes_if: nobody',
    ],
  ])('refuses a step that %s a step that is absent', (_name, step) => {
    expect(codesOf(`id: a\ntitle: A\nphases:\n  - {id: p, steps: [{id: s, ${step}}]}\n`)).toEqual([
      'step_unknown at 4:21',
    ]);
  });

  it.each([
    ['what is missing', GOOD.replace('title: Sample\n', ''), ['schema at 1:1']],
    ['a wrong type', GOOD.replace('stateful: true', 'stateful: perhaps'), ['schema at 18:19']],
    ['an id that is none', GOOD.replace('id: sample', 'id: ../etc'), ['schema at 1:5']],
    ['broken YAML', 'id: [', ['yaml_syntax at 1:6']],
    [
      'a key that is there twice',
      GOOD.replace('title: Sample\n', 'title: A\ntitle: B\n'),
      ['duplicate_key at 3:1'],
    ],
    ['a tag', GOOD.replace('title: Sample', 'title: !run Sample'), ['yaml_tag at 2:8']],
    ['two steps of one name', GOOD.replace('id: buy', 'id: ask'), ['duplicate_id at 16:13']],
    [
      'a path that is none',
      GOOD.replace('products[0].product_id', '"products[["'),
      ['path_invalid at 12:19'],
    ],
  ])('tells %s with line and column', (_name, yaml, codes) => {
    expect(readStoryboard(yaml).storyboard).toBeUndefined();
    expect(codesOf(yaml)).toEqual(codes);
  });

  it('names the step and the schema in the hint', () => {
    const [finding] = readStoryboard(GOOD.replace('stateful: true', 'stateful: perhaps')).findings;
    expect(finding).toMatchObject({
      pointer: '/phases/0/steps/1/stateful',
      hint: 'in one/buy; see schemas/storyboard.json',
    });
  });

  it('keeps a storyboard with a check that nobody knows, and says so', () => {
    const { storyboard, findings } = readStoryboard(GOOD.replace('response_schema', 'no_such_check'));
    expect(storyboard).toBeDefined();
    expect(findings).toMatchObject([{ severity: 'warning', code: 'check_unknown', line: 15 }]);
  });

  it('tells a name of the context that no step provides', () => {
    const { findings } = readStoryboard(GOOD.replace('$context.product_id', '$context.nobody'));
    expect(findings).toMatchObject([{ severity: 'warning', code: 'context_unknown', line: 16 }]);
  });

  it('refuses phases that depend on each other in a circle, and on what is absent', () => {
    const yaml = `id: a
title: A
phases:
  - {id: one, depends_on: two, steps: []}
  - {id: two, depends_on: [three], steps: []}
  - {id: three, depends_on: [one, four], steps: []}
`;
    const { storyboard, findings } = readStoryboard(yaml);
    expect(storyboard).toBeUndefined();
    expect(findings.map(({ message }) => message)).toEqual([
      'unknown phase four',
      'circular dependency of phases: one → two → three → one',
    ]);
  });

  it('is not blown up by aliases', () => {
    const levels = 'abcdefghij'.split('');
    const bomb = levels.map(
      (name, i) => `${name}: &${name} [${Array(10).fill(i === 0 ? '1' : `*${levels[i - 1]}`)}]`,
    );
    const yaml = `${GOOD}${bomb.join('\n')}\n`;
    expect(codesOf(yaml)).toEqual(['alias_bomb at 1:1']);
  });

  it('is not deeper or larger than it is read', () => {
    expect(codesOf(`${GOOD}x: ${'['.repeat(60)}${']'.repeat(60)}\n`)).toEqual(['too_deep at 22:36']);
    expect(codesOf(`${GOOD}# ${'x'.repeat(600_000)}`)).toEqual(['file_too_large at 1:1']);
  });

  it('has as many keys as it likes, and reads each once', () => {
    const keys = Array.from({ length: 8_000 }, (_, i) => `k${i}: 1\n`).join('');
    expect(codesOf(GOOD + keys)).toEqual([]);
    expect(codesOf(`${GOOD}${keys}k0: 2\n`)).toEqual(['duplicate_key at 8022:1']);
    expect(codesOf(GOOD + keys.repeat(6))).toEqual(['too_many_values at 1:1']);
  });

  it.each([
    ['numbers and texts of one name', 'x: {1: a, "1": b}\n', ['duplicate_key at 22:11']],
    ['a key that is a list', 'x: {[a]: b}\n', ['yaml_syntax at 22:5']],
    ['a second document', '---\nx: y\n', ['yaml_syntax at 22:1']],
    ['an alias inside of what it stands for', 'x: &a [*a, *a, *a]\n', ['alias_bomb at 1:1']],
    ['more aliases than one looks up', `x: &a 1\ny: [${'*a, '.repeat(101)}]\n`, ['alias_bomb at 23:405']],
  ])('refuses %s', (_name, more, codes) => {
    expect(codesOf(GOOD + more)).toEqual(codes);
  });

  it.each([
    ['commas', ','],
    ['brackets', '['],
    ['closing brackets', ']'],
    ['quoted keys of keys', '"a":'],
    ['anchors', '&a '],
    ['question marks', '? '],
  ])('is at its end soon after 50,000 %s', (_name, text) => {
    expect(codesOf(`${GOOD}x: [${text.repeat(50_000)}\n`)[0]).toMatch(
      /^(yaml_syntax|too_deep|too_many_values) at/,
    );
  });

  it('knows steps that only a refusal can pass', () => {
    const check = (text: string) =>
      readStoryboard(GOOD.replace('check: response_schema', text)).storyboard?.phases[0]?.steps[0]
        ?.expectsError;
    expect(check('{check: error_code, value: NO}')).toBe(true);
    expect(check('{check: http_status_in, allowed_values: [401, 403]}')).toBe(true);
    expect(check('{check: http_status_in, allowed_values: [200, 403]}')).toBe(false);
    expect(check('{check: http_status, value: 200}')).toBe(false);
  });

  it('never throws, whatever the text', () => {
    const parts = fc.constantFrom(
      ...GOOD.split(/(?<=\n)/),
      '- ',
      '&a ',
      '*a',
      '!!x ',
      '{',
      ']',
      ': ',
      '\t',
      '\u0000',
      '"',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 30 }), (lines) => {
        const { findings, storyboard } = readStoryboard(lines.join(''));
        expect(storyboard !== undefined || findings.length > 0).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
