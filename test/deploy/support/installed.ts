import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './compose-file.ts';
import { productionPackages } from './production-packages.ts';

export interface Installation {
  /** Where the tarball was unpacked to. */
  readonly folder: string;
  /** The command as npm makes it. */
  readonly command: string;
  /** What `npm run release` wrote. */
  readonly release: string;
  remove(): void;
}

/**
 * Makes a release and lays it out as `npm ci` does in its folder. Its dependencies are the checkout's own, so nothing is
 * downloaded; `.ci/install` installs it for real.
 */
export function installTarball(): Installation {
  const prefix = mkdtempSync(join(tmpdir(), 'registry-prefix-'));
  const release = join(prefix, 'release');
  const folder = join(prefix, 'node_modules/agent-registry');
  execFileSync(process.execPath, ['tools/release.ts', release], { cwd: ROOT, stdio: 'pipe' });
  for (const path of [join(prefix, 'node_modules/.bin'), folder]) mkdirSync(path, { recursive: true });
  const { version, bin } = manifestOf(ROOT);
  const tarball = join(release, `agent-registry-${version}.tgz`);
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  for (const path of productionPackages()) {
    if (path.lastIndexOf('node_modules/') > 0) continue; // comes with the one that it is in
    mkdirSync(dirname(join(prefix, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(prefix, path));
  }
  for (const [name, path] of Object.entries(bin))
    symlinkSync(join(folder, path), join(prefix, 'node_modules/.bin', name));
  return {
    folder,
    release,
    command: join(prefix, 'node_modules/.bin/agent-registry'),
    remove: () => rmSync(prefix, { recursive: true, force: true }),
  };
}

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
