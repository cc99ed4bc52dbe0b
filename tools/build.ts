import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkoutBuild } from '../src/cli/version-line.ts';
import { SHIPPED_DOCUMENTS } from '../src/pages/docs/guide-files.ts';

// node tools/build.ts: writes dist/, which the package ships; Node strips no types below node_modules.
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** For the workspace of the reference agents, which is in the checkout only. */
const SURFACE = join(ROOT, 'src/surface/');
/** Relative modules in an import, an export, an import() or a new URL(). */
const MODULE = /(\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)(['`"])(\.[^'`"\n]+)\.ts\2/g;

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST);
for (const folder of ['src', 'pipelines']) build(folder);
// read by paths relative to the modules
const documents = SHIPPED_DOCUMENTS.map((path) => join('docs', path));
for (const path of ['schemas', 'package.json', ...documents])
  cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
declareClient();
writeFileSync(join(DIST, 'build.txt'), checkoutBuild(ROOT) ?? '');

/** The same tree with JavaScript for TypeScript, in the same lines and columns; every other file as it is. */
function build(folder: string): void {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    if (from.startsWith(SURFACE)) continue;
    const to = join(DIST, from.slice(ROOT.length));
    mkdirSync(dirname(to), { recursive: true });
    if (entry.name.endsWith('.ts')) writeFileSync(to.replace(/ts$/, 'js'), asJavaScript(from));
    else cpSync(from, to);
  }
}

/** The types of `agent-registry/client`, checked with what a browser has and nothing of Node. */
function declareClient(): void {
  const types = join(DIST, 'types');
  execFileSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...['-p', join(ROOT, 'tools/client.tsconfig.json'), '--outDir', types],
    ],
    { stdio: 'inherit' },
  );
  for (const path of readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const file = join(types, path);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(MODULE, '$1$2$3.js$2'));
  }
}

function asJavaScript(path: string): string {
  return stripTypeScriptTypes(readFileSync(path, 'utf8')).replaceAll(MODULE, '$1$2$3.js$2');
}
