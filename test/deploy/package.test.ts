import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { PROGRAM } from '../../src/cli/command.ts';
import { productionLock } from '../../tools/production-lock.ts';
import { bareDocument } from '../api/support/documents.ts';
import { openRegistry } from '../api/support/registry.ts';
import { ROOT } from './support/compose-file.ts';
import { FORMS, ON_OLDER_NODE, type Places, startForm } from './support/forms.ts';
import { buildImageFolder } from './support/image.ts';
import { installTarball, manifestOf } from './support/installed.ts';

const SELLERS = ['a', 'b', 'c'].map((name) => `https://${name}.example/mcp`);

let places: Places;
beforeAll(() => {
  places = { installed: installTarball(), image: buildImageFolder() };
}, 120_000);
afterAll(() => {
  places.installed.remove();
  places.image.remove();
});

/** Every file of the tarball. */
function packedFiles(): string[] {
  const { installed } = places;
  const entries = readdirSync(installed.folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.folder.length + 1))
    .filter((path) => !path.startsWith('node_modules/'));
}

const registry = (...args: readonly string[]) => promisify(execFile)(places.installed.command, [...args]);

describe('the tarball', () => {
  it('holds the program, its manifest, its licence and its README, and nothing else', () => {
    const roots = new Set(packedFiles().map((path) => path.split('/')[0]));
    expect([...roots].toSorted()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
    const inDist = readdirSync(join(places.installed.folder, 'dist')).toSorted();
    expect(inDist).toEqual(['build.txt', 'docs', 'package.json', 'pipelines', 'schemas', 'src', 'types']);
  });

  it('holds no TypeScript, no test, no reference agent and nothing that is only for them', () => {
    const wrong = packedFiles().filter((path) =>
      /(?<!\.d)\.ts$|(^|\/)(test|reference-agents|surface)\//.test(path),
    );
    expect(wrong).toEqual([]);
  });

  it('holds each module and asset of the program once, with imports that lead to one', () => {
    const modules = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.\w+$/.test(path) && !path.startsWith('surface/'))
      .map((path) => `dist/src/${path.replace(/ts$/, 'js')}`);
    const packed = packedFiles();
    expect(packed.filter((path) => path.startsWith('dist/src/')).toSorted()).toEqual(modules.toSorted());
    const missing = packed
      .filter((path) => path.startsWith('dist/') && path.endsWith('.js'))
      .flatMap((path) =>
        relativeImports(join(places.installed.folder, path)).filter((target) => !existsSync(target)),
      );
    expect(missing).toEqual([]);
  });

  it('has a command of its own name, which is the name of the package', () => {
    const { bin } = manifestOf(places.installed.folder);
    expect(Object.keys(bin)[0]).toBe(PROGRAM);
    expect(manifestOf(ROOT)).toMatchObject({ name: PROGRAM });
  });
});

describe('the client of the package', () => {
  it('is all that others may import, and names nothing of Node, with all that it imports', () => {
    const { exports } = manifestOf(places.installed.folder);
    expect(Object.keys(exports)).toEqual(['./client', './client/directory', './package.json']);
    const files = new Set(
      packedFiles()
        .filter((path) => path.startsWith('dist/src/client/'))
        .map((path) => join(places.installed.folder, path)),
    );
    for (const path of files) for (const one of relativeImports(path)) files.add(one);
    const texts = [...files].map((path) => [path, readFileSync(path, 'utf8')] as const);
    const ofNode = /from '(?!\.|tldts')|\b(?:process\.|Buffer\.)/;
    expect(texts.filter(([, text]) => ofNode.test(text)).map(([path]) => path)).toEqual([]);
  });

  it('is used by a program of somebody else, which is checked by its types and asks a registry', async () => {
    const exports = join(places.installed.folder, '../../exports');
    const registry = await openRegistry(
      SELLERS.map((url) => bareDocument(url)),
      { exports },
    );
    const { records, clock } = registry;
    await writeExport({ records, clock, cursorSecret: await cursorSecretOf(records) }, exports);
    const address = await registry.server.listen({ port: 0, host: '127.0.0.1' });
    const folder = join(places.installed.folder, '../../consumer');
    cpSync(join(ROOT, 'test/deploy/consumer'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
    await run(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder);
    const { stdout } = await run(join(folder, 'main.js'), address);
    const because = { authorized: false, why: 1, refused: 'invalid_value' };
    const offline = { name: 'a.example', local: ['unknown_publisher'] };
    expect(JSON.parse(stdout)).toEqual({ urls: SELLERS, ...because, ...offline });
  });
});

describe('the release', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(places.installed.release, name), 'utf8'));

  it('installs the tarball and every dependency by their hashes, and nothing else', () => {
    const { '': program, ...dependencies } = productionLock(ROOT).packages;
    const { '': root, 'node_modules/agent-registry': tarball, ...rest } = read('package-lock.json').packages;
    expect(rest).toEqual(dependencies);
    expect(root.dependencies).toEqual(read('package.json').dependencies);
    expect(tarball).toMatchObject({ dependencies: program?.dependencies });
    const bytes = readFileSync(join(places.installed.release, tarball.resolved.replace('file:', '')));
    expect(tarball.integrity).toBe(`sha512-${hash('sha512', bytes, 'base64')}`);
  });

  it('has a bill of materials that names every dependency with its hash, and the program as the product', () => {
    const { bomFormat, metadata, components } = read('sbom.cdx.json');
    expect(bomFormat).toBe('CycloneDX');
    const { name, version } = metadata.component;
    expect({ name, version }).toMatchObject({ name: PROGRAM, version: manifestOf(ROOT).version });
    const named = new Set<string>(
      components.map((found: Component) => `${found.name}@${found.version} ${sha512Of(found)}`),
    );
    const { '': _program, ...dependencies } = productionLock(ROOT).packages;
    const wanted = Object.entries(dependencies).map(([path, { version: pinned, integrity = '' }]) => {
      const hash = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
      return `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${pinned} ${hash}`;
    });
    expect(wanted.filter((line) => !named.has(line))).toEqual([]);
  });
});

describe('the installed program', () => {
  it('says its version and knows the commands of the checkout', async () => {
    expect((await registry('--version')).stdout).toContain(`${manifestOf(ROOT).version} (build `);
    const { stdout } = await registry('--help');
    expect(stdout).toContain('serve');
  });

  it.each(['sandbox', 'campaign', 'approvals'])(
    'says of %s that it is in the checkout only',
    async (name) => {
      const { code, stdout, stderr } = await registry(name).catch((error) => error);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/requires the reference agents, which are not installed\n {2}hint: clone/);
    },
  );

  it('reads what it ships beside its modules', async () => {
    const { stdout } = await registry('validate', join(ROOT, 'package.json')).catch((error) => error);
    expect(stdout).toContain('package.json');
  });
});

describe('SIGTERM to what was started ends the process that listens, for', () => {
  it.each(FORMS)('%s', async (_what, words) => {
    const { child, isServing, ended } = await startForm(words(places), places);
    expect(await isServing()).toBe(true);
    child.kill('SIGTERM');
    await ended;
    expect(await isServing()).toBe(false);
  });
});

it.skipIf(process.platform !== 'linux')(
  'the launcher becomes the Node of the lock file, whichever new enough one starts it',
  async () => {
    const other = places.image.node;
    const { child } = await startForm([other, join(ROOT, 'bin/agent-registry.mjs'), 'serve'], places);
    expect(readlinkSync(`/proc/${child.pid}/exe`)).toBe(realpathSync(process.execPath));
  },
);

describe('the launcher on an older Node', () => {
  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 0],
    ['SIGHUP', 129],
    ['SIGKILL', null],
  ] as const)('ends on %s with the process that listens, and as it does', async (signal, expected) => {
    const { child, isServing, ended } = await startForm(ON_OLDER_NODE, places);
    expect(await isServing()).toBe(true);
    child.kill(signal);
    expect(await ended).toBe(expected);
    expect(await isServing()).toBe(false);
  });
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

function sha512Of({ hashes = [] }: Component): string | undefined {
  return hashes.find(({ alg }) => alg === 'SHA-512')?.content;
}

function relativeImports(path: string): string[] {
  const lines = readFileSync(path, 'utf8').matchAll(/(?:from\s+|import\(\s*|import\s+)'(\.[^']+)'/g);
  return [...lines].map(([, target = '']) => join(path, '..', target));
}
