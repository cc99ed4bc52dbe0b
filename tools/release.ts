import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asInstalled, type Lock, productionLock } from './production-lock.ts';

// node tools/release.ts [FOLDER]: writes into it, or into release/, what an operator installs with `npm ci`.
//   agent-registry-VERSION.tgz       the program
//   package.json, package-lock.json  the tarball and all that it needs, by their hashes; also the Node that runs it
//   sbom.cdx.json                    the same as a bill of materials (CycloneDX)
// npm reads no lock file out of a tarball: `npm install` of the tarball alone would choose indirect dependencies anew.
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [target = 'release'] = process.argv.slice(2);
const folder = resolve(ROOT, target);
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
};
const lock = productionLock(ROOT);
const tarball = `${manifest.name}-${manifest.version}.tgz`;

mkdirSync(folder, { recursive: true });
npm(ROOT, 'pack', '--silent', '--pack-destination', folder);
const installation = {
  name: `${manifest.name}-installation`,
  version: manifest.version,
  private: true,
  dependencies: { [manifest.name]: `file:${tarball}` },
};
write(folder, 'package.json', installation);
write(folder, 'package-lock.json', installationLock());
write(folder, 'sbom.cdx.json', billOfMaterials());

/** Everything stays at its place of the checkout, and the program is one package among its dependencies. */
function installationLock(): Lock {
  const { '': program, ...dependencies } = lock.packages;
  const sha512 = hash('sha512', readFileSync(join(folder, tarball)), 'base64');
  const packages = {
    '': installation,
    [`node_modules/${manifest.name}`]: {
      ...program,
      resolved: `file:${tarball}`,
      integrity: `sha512-${sha512}`,
    },
    ...dependencies,
  };
  return { ...lock, name: installation.name, packages };
}

/** npm names the product after its folder, and would list the workspaces of a checkout. */
function billOfMaterials(): unknown {
  const work = mkdtempSync(join(tmpdir(), 'registry-sbom-'));
  try {
    const product = join(work, manifest.name);
    mkdirSync(product);
    write(product, 'package.json', asInstalled(manifest));
    write(product, 'package-lock.json', lock);
    const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
    return JSON.parse(npm(product, 'sbom', '--package-lock-only', ...format));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function write(place: string, name: string, content: unknown): void {
  writeFileSync(join(place, name), `${JSON.stringify(content, null, 2)}\n`);
}
