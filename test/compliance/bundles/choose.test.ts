import { describe, expect, it } from 'vitest';
import { type Offer, planBundles } from '../../../src/compliance/bundles/choose.ts';

const P30: Offer = {
  version: '3.0.26',
  line: '3.0',
  vocabulary: 'adcp',
  stage: 'default',
  aliases: ['stable'],
};
const P31: Offer = { version: '3.1.19', line: '3.1', vocabulary: 'adcp', stage: 'default', aliases: [] };
const P32: Offer = { version: '3.2.0', line: '3.2', vocabulary: 'adcp', stage: 'preview', aliases: [] };

interface Case {
  readonly versions: readonly string[];
  readonly vocabulary?: 'proto' | 'adcp';
  readonly installed?: readonly Offer[];
  readonly target?: string;
  readonly requested?: string;
}

function plan({ versions, vocabulary = 'adcp', installed = [P30, P31, P32], target, requested }: Case) {
  const { main, label, others, previews, mismatch } = planBundles({
    ...{ declared: { versions, vocabulary }, installed, target, requested, fallback: '3.0' },
  });
  const versionsOf = (offers: readonly Offer[]) => offers.map(({ version }) => version);
  return { main: main.version, label, others: versionsOf(others), previews: versionsOf(previews), mismatch };
}

describe('the bundles of an agent', () => {
  it('are the defaults of the lines that it declares, the newest first', () => {
    expect(plan({ versions: ['3.0', '3.1'] })).toEqual({
      ...{ main: '3.1.19', label: '3.1', others: ['3.0.26'], previews: [], mismatch: undefined },
    });
  });

  it.each([
    ['a patch version', '3.1.4'],
    ['a pre-release', '3.1-beta'],
    ['a v in front', 'v3.1'],
  ])('are found by %s as well', (_name, version) => {
    expect(plan({ versions: [version] })).toMatchObject({ main: '3.1.19', mismatch: undefined });
  });

  it('are ours for the names of the specification, and the public ones for the public names', () => {
    expect(plan({ versions: ['3.0'], vocabulary: 'proto' }).main).toBe('3.0.0');
    expect(plan({ versions: ['3.0'], vocabulary: 'adcp' }).main).toBe('3.0.26');
  });

  it('are ours for the public names, too, where no other bundle of the line is in use', () => {
    const off: Offer = { ...P30, stage: 'off' };
    expect(plan({ versions: ['3.0'], installed: [off] })).toMatchObject({
      main: '3.0.0',
      mismatch: undefined,
    });
  });

  it('are those of the fallback for an agent that declares no version', () => {
    expect(plan({ versions: [] })).toMatchObject({ main: '3.0.26', label: '3.0', mismatch: undefined });
  });

  it('say so where none is of a version that the agent declares', () => {
    expect(plan({ versions: ['3.1'], installed: [P30] })).toMatchObject({
      main: '3.0.26',
      label: '3.0',
      mismatch: 'the agent declares 3.1; no bundle of this version is in use; tested with 3.0.26',
    });
  });

  it('include those in preview of a line that it declares, which decide nothing', () => {
    expect(plan({ versions: ['3.1', '3.2'] })).toMatchObject({
      main: '3.1.19',
      others: [],
      previews: ['3.2.0'],
      mismatch: undefined,
    });
    expect(plan({ versions: ['3.1'] }).previews).toEqual([]);
  });

  it.each([
    ['3.0', '3.0.26', '3.0'],
    ['3.0.26', '3.0.26', '3.0.26'],
    ['stable', '3.0.26', 'stable'],
    ['3.0.0', '3.0.0', '3.0.0'],
  ])('follow the target %s', (target, main, label) => {
    expect(plan({ versions: ['3.1', '3.0', '3.2'], target })).toMatchObject({
      main,
      label,
      mismatch: undefined,
    });
  });

  it('are still those in use for a target in preview or turned off, which is only tested as well', () => {
    const versions = ['3.0', '3.1'];
    expect(plan({ versions, target: '3.2' })).toEqual({
      ...{ main: '3.1.19', label: '3.1', others: ['3.0.26'], previews: ['3.2.0'] },
      mismatch: 'the target 3.2 is not in use; tested with 3.1.19',
    });
    const off: Offer = { ...P31, version: '3.1.18', stage: 'off' };
    expect(plan({ versions, installed: [P30, P31, off], target: '3.1.18' })).toMatchObject({
      main: '3.1.19',
      previews: ['3.1.18'],
    });
  });

  it('are what is requested for one run, in use or not', () => {
    expect(plan({ versions: ['3.1', '3.2'], target: '3.1', requested: '3.2' })).toMatchObject({
      main: '3.2.0',
      label: '3.2',
      mismatch: undefined,
    });
  });

  it('are never those in preview because the fallback names them', () => {
    const preview: Offer = { ...P30, stage: 'preview' };
    expect(plan({ versions: [], installed: [{ ...preview, aliases: ['3.0'] }] }).main).toBe('3.0.0');
  });

  it('follow a target of the other vocabulary only where none of their own matches', () => {
    expect(plan({ versions: ['3.0'], vocabulary: 'proto', target: '3.1' })).toMatchObject({
      main: '3.1.19',
      mismatch: 'the agent declares 3.0; tested with 3.1.19, as requested',
    });
    expect(plan({ versions: ['3.0'], vocabulary: 'proto', target: '3.0' }).main).toBe('3.0.0');
  });

  it('say so where a target is of a version that the agent does not declare', () => {
    expect(plan({ versions: ['3.1'], target: '3.0' }).mismatch).toBe(
      'the agent declares 3.1; tested with 3.0.26, as requested',
    );
  });

  it('are the usual ones for a target that nothing matches, and say so', () => {
    expect(plan({ versions: ['3.1'], target: '4.0' })).toMatchObject({
      main: '3.1.19',
      label: '3.1',
      mismatch: 'no installed bundle matches the target 4.0; tested with 3.1.19',
    });
  });
});
