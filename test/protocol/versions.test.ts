import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isExactVersion,
  isVersionLabel,
  resolveVersion,
  versionAliases,
} from '../../src/protocol/versions.ts';

const SHIPPED = ['3.0.0'];
const MANY = [
  '3.0.0',
  '3.0.2',
  '3.0.10',
  '3.1.0-beta.2',
  '3.1.0-beta.10',
  '3.1.0-alpha.11',
  '2.9.4',
  '4.0.0-rc.1',
];

describe('a version label', () => {
  // label, versions, what it stands for
  const LABELS: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['3.0.0', SHIPPED, '3.0.0'],
    ['3.0', SHIPPED, '3.0.0'],
    ['3', SHIPPED, '3.0.0'],
    ['latest', SHIPPED, '3.0.0'],
    ['v3', SHIPPED, '3.0.0'],
    ['3.0', MANY, '3.0.10'],
    ['3', MANY, '3.0.10'],
    ['2', MANY, '2.9.4'],
    ['latest', MANY, '3.0.10'],
    ['3.1', MANY, '3.1.0-beta.10'],
    ['3.1-beta', MANY, '3.1.0-beta.10'],
    ['3.1-beta.2', MANY, '3.1.0-beta.2'],
    ['3.1-alpha', MANY, '3.1.0-alpha.11'],
    ['4', MANY, '4.0.0-rc.1'],
    ['4-rc', MANY, '4.0.0-rc.1'],
    ['3.1.0-beta.2', MANY, '3.1.0-beta.2'],
    ['3.1.0-beta.2', [...MANY, '3.1.0'], '3.1.0-beta.2'],
    ['3.1', [...MANY, '3.1.0'], '3.1.0'],
    ['3.1.0', MANY, undefined],
    ['3.0.1', MANY, undefined],
    ['3.2', MANY, undefined],
    ['3.0-beta', MANY, undefined],
    ['5', MANY, undefined],
    ['', MANY, undefined],
    ['newest', MANY, undefined],
    ['3.', MANY, undefined],
    ['03.0.0 ', MANY, undefined],
    ['../3.0.0', MANY, undefined],
    ['latest', [], undefined],
    ['latest', ['4.0.0-rc.1'], '4.0.0-rc.1'],
  ];

  it.each(LABELS)('%s of %j is %s', (label, versions, expected) => {
    expect(resolveVersion(label, versions)).toBe(expected);
  });

  it.each(['3', 'v3.0', '3.0.0', '3.1-beta', '3-rc.1', '3.1.0-beta.2'])('can be %s', (label) => {
    expect(isVersionLabel(label)).toBe(true);
  });

  it.each(['latest', '3.', '3.0-', '3.0 ', '3.0.0.0', '3.0+build', '', `3.0-${'a'.repeat(61)}`])(
    'cannot be %j',
    (label) => {
      expect(isVersionLabel(label)).toBe(false);
    },
  );

  it('is an alias when it may stand for another version tomorrow', () => {
    expect(versionAliases(SHIPPED)).toEqual({ latest: '3.0.0', '3': '3.0.0', '3.0': '3.0.0' });
    expect(versionAliases(MANY)).toMatchObject({
      '3.1-beta': '3.1.0-beta.10',
      '3': '3.0.10',
      '4.0-rc': '4.0.0-rc.1',
    });
    expect(['3.0.0', '3.1.0-beta.2', '3.0', 'latest', 'v3.0.0'].map(isExactVersion)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('stands for a version that there is, or for none, whatever it says', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^v?\d{1,2}(\.\d{1,2}){0,2}(-(rc|beta)\.\d)?$/)),
        (label) => {
          const version = resolveVersion(label, MANY);
          expect(version === undefined || MANY.includes(version)).toBe(true);
        },
      ),
    );
  });
});
