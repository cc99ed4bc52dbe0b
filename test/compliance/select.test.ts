import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SelectionInput, selectStoryboards } from '../../src/compliance/run/selection.ts';
import type { AgentUnderTest } from '../../src/compliance/run-result.ts';
import type { Storyboard } from '../../src/compliance/storyboard.ts';
import type { BundledStoryboard, Group } from '../../src/compliance/storyboards/needs.ts';
import { withPhases } from './support/runs.ts';

const AGENT: AgentUnderTest = {
  protocol: 'mcp',
  endpoint: 'https://agent.example/mcp',
  supported_protocols: ['media_buy'],
  specialisms: ['sales-guaranteed'],
  supported_versions: [],
  sandbox: true,
  test_controller: false,
  tools_count: 1,
};

function board(id: string, group: Group, more: Partial<Storyboard> = {}): BundledStoryboard {
  const storyboard = { ...withPhases('  - {id: p, steps: [{id: s, task: get_products}]}\n'), id, ...more };
  return { storyboard, group, file: `${id}.yaml` };
}

const baseline = (protocol: string): Group => ({ kind: 'baseline', protocol });
const specialism = (name: string): Group => ({ kind: 'specialism', specialism: name });

function select(storyboards: readonly BundledStoryboard[], more: Partial<SelectionInput> = {}) {
  const input = {
    storyboards,
    agent: AGENT,
    tools: new Set(['get_products']),
    capabilities: {},
    only: [],
    tracks: [],
  };
  const { selected, notSelected } = selectStoryboards({ ...input, ...more });
  return {
    selected: selected.map(({ storyboard, origin, skip }) => `${storyboard.id} ${skip?.reason ?? origin}`),
    not: notSelected.map(({ storyboard_id: id, skip_detail: detail }) => `${id}: ${detail}`),
  };
}

describe('which storyboards an agent is to pass', () => {
  it('the universal ones, the baseline of its protocols, and one for each specialism', () => {
    const all = [
      board('a', { kind: 'universal' }),
      board('b', baseline('media_buy')),
      board('c', baseline('signals')),
      board('sales_guaranteed', specialism('sales_guaranteed')),
      board('brand_rights', specialism('brand_rights')),
      board('d', { kind: 'scenario' }),
    ];
    expect(select(all)).toEqual({
      selected: ['a universal', 'b baseline', 'sales_guaranteed specialism'],
      not: [
        'c: the agent does not support the protocol signals',
        'brand_rights: the agent does not declare the specialism brand_rights',
        'd: no selected storyboard requires it',
      ],
    });
  });

  it('with those that they need', () => {
    const all = [
      board('b', baseline('media_buy'), { requiredScenarios: ['d'] }),
      board('d', { kind: 'scenario' }, { prerequisites: ['e'] }),
      board('e', { kind: 'scenario' }),
    ];
    expect(select(all).selected).toEqual(['b baseline', 'd baseline', 'e baseline']);
  });

  it.each<[string, Partial<Storyboard>, Group, string]>([
    [
      'none of its tools',
      { requiredTools: ['get_signals', 'get_rights'] },
      { kind: 'universal' },
      'missing_tool',
    ],
    [
      'one of its tools',
      { requiredTools: ['get_signals', 'get_products'] },
      { kind: 'universal' },
      'universal',
    ],
    [
      'no test controller',
      { requiredTools: ['comply_test_controller'] },
      { kind: 'universal' },
      'missing_test_controller',
    ],
    [
      'the capabilities task',
      { requiredTools: ['get_adcp_capabilities'] },
      { kind: 'universal' },
      'universal',
    ],
    ['no steps', { phases: [] }, { kind: 'universal' }, 'no_phases'],
    [
      'a capability that is absent',
      { requiredCapabilities: [{ path: 'a.b' }] },
      { kind: 'universal' },
      'not_applicable',
    ],
    [
      'a capability that must not be there',
      { requiredCapabilities: [{ path: 'a', present: false }] },
      { kind: 'universal' },
      'universal',
    ],
  ])('gated: %s', (_name, more, group, outcome) => {
    expect(select([board('x', group, more)]).selected).toEqual([`x ${outcome}`]);
  });

  it('only those that were asked for, and by name even what it does not declare', () => {
    const all = [board('a', { kind: 'universal' }), board('c', baseline('signals'), { track: 'signals' })];
    expect(select(all, { only: ['c'] })).toEqual({ selected: ['c named'], not: ['a: not requested'] });
    expect(select(all, { tracks: ['signals'] })).toMatchObject({ selected: [] });
  });

  it('leaves none out without a word, and none twice', () => {
    const group = fc.constantFrom<Group>(
      { kind: 'universal' },
      { kind: 'scenario' },
      baseline('media_buy'),
      baseline('brand'),
    );
    const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 12 });
    fc.assert(
      fc.property(
        ids,
        fc.array(group, { minLength: 12, maxLength: 12 }),
        fc.array(fc.nat(11), { maxLength: 12 }),
        (names, groups, needs) => {
          const all = names.map((id, index) =>
            board(id, groups[index] ?? { kind: 'scenario' }, {
              requiredScenarios: [names[needs[index] ?? 0] ?? 'none'],
            }),
          );
          const { selected, not } = select(all);
          const told = [
            ...selected.map((text) => text.split(' ')[0]),
            ...not.map((text) => text.split(':')[0]),
          ];
          expect(told.toSorted()).toEqual(names.toSorted());
        },
      ),
    );
  });
});
