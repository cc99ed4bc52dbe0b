import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './compose-file.ts';
import { productionPackages } from './production-packages.ts';

export interface Installation {
  /** Where the tarball was unpacked to. */
  readonly folder: string;
  /** The command as `npm install --global` puts it onto the PATH. */
  readonly command: string;
  remove(): void;
}

/**
 * Packs the project and lays the tarball out as `npm install --global` does. Its dependencies are the checkout's own,
 * so nothing is downloaded; `.ci/install` installs the tarball for real.
 */
export function installTarball(): Installation {
  const prefix = mkdtempSync(join(tmpdir(), 'registry-prefix-'));
  const folder = join(prefix, 'lib/node_modules/agent-registry');
  for (const path of [join(prefix, 'bin'), folder]) mkdirSync(path, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', prefix], { cwd: ROOT, stdio: 'pipe' });
  const { version, bin } = manifestOf(ROOT);
  const tarball = join(prefix, `agent-registry-${version}.tgz`);
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  for (const path of productionPackages()) {
    if (path.lastIndexOf('node_modules/') > 0) continue; // comes with the one that it is in
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
  for (const [name, path] of Object.entries(bin)) symlinkSync(join(folder, path), join(prefix, 'bin', name));
  return {
    folder,
    command: join(prefix, 'bin/agent-registry'),
    remove: () => rmSync(prefix, { recursive: true, force: true }),
  };
}

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
