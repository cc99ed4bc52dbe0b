import { readdirSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finding, hasErrors } from '../../domain/finding.ts';
import { RegistryError } from '../../errors.ts';
import { isExactVersion } from '../../protocol/versions.ts';
import type { Storyboard } from '../storyboard.ts';
import { type BundledStoryboard, type FileFindings, findingsOfNeeds, type Group, inOrder } from './needs.ts';
import { looksLikeStoryboard, MAX_STORYBOARD_BYTES, readStoryboard } from './read-storyboard.ts';

const FOLDER = fileURLToPath(new URL('../../../pipelines/storyboards/', import.meta.url));

export interface Bundle {
  /** Its folder's name where that is a version, `3.0.0`; else null. */
  readonly version: string | null;
  /** Each after what it needs. */
  readonly storyboards: readonly BundledStoryboard[];
  /** By file, for those with findings. */
  readonly findings: readonly FileFindings[];
}

/** Of one folder, its storyboards together. What is beyond them is left out and said. */
const MAX_FILES = 2_000;
const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;

/**
 * Reads every storyboard under a folder. `universal/` is for every agent, `protocols/<protocol>/` for those that support
 * it (its `scenarios/` for whoever needs them), `specialisms/` and anything else named after a specialism for those that
 * declare it. A file that cannot be used is left out with its findings; other YAML files are no storyboards. Throws
 * `usage` for a folder that cannot be read.
 */
export async function readBundle(folder: string, version: string | null = null): Promise<Bundle> {
  const files = await yamlFiles(folder);
  const found = await readFiles(folder, files);
  const storyboards = found.flatMap(({ file, storyboard }) =>
    storyboard === undefined ? [] : [{ file, storyboard, group: groupOf(file, storyboard.id) }],
  );
  const apart = findingsOfNeeds(storyboards);
  const unusable = new Set(apart.filter(({ findings }) => hasErrors(findings)).map(({ file }) => file));
  const usable = storyboards.filter(({ file }) => !unusable.has(file));
  const findings = [...found.map(({ file, findings }) => ({ file, findings })), ...apart];
  return {
    version,
    storyboards: inOrder(usable),
    findings: findings.filter((one) => one.findings.length > 0),
  };
}

interface ReadOne {
  readonly file: string;
  readonly storyboard?: Storyboard;
  readonly findings: readonly Finding[];
}

/** One after the other: a folder of strangers is read only as far as it counts. */
async function readFiles(folder: string, files: readonly string[]): Promise<readonly ReadOne[]> {
  const found: ReadOne[] = [];
  let bytes = 0;
  for (const file of files) {
    const text = await textOf(join(folder, file));
    if (text === undefined || !looksLikeStoryboard(text)) continue;
    bytes += text.length;
    if (found.length >= MAX_FILES || bytes > MAX_BUNDLE_BYTES)
      return [...found, { file, findings: [TOO_MANY] }];
    found.push({ file, ...readStoryboard(text) });
  }
  return found;
}

const TOO_MANY: Finding = {
  severity: 'error',
  code: 'bundle_too_large',
  pointer: '',
  line: 1,
  column: 1,
  message: `this file and those after it are left out: a folder has at most ${MAX_FILES} storyboards and ${MAX_BUNDLE_BYTES / 1024 ** 2} MiB`,
  hint: 'divide the folder',
};

/** The beginning of a file, one byte more than is read; undefined for what is no file, which might never end. */
async function textOf(path: string): Promise<string | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_STORYBOARD_BYTES + 1));
  return buffer.toString('utf8', 0, bytesRead);
}

async function yamlFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted();
  } catch (cause) {
    throw new RegistryError('usage', `cannot read the folder of storyboards ${folder}`, {
      cause,
      hint: 'name a folder with storyboards as YAML files',
    });
  }
}

function groupOf(file: string, id: string): Group {
  const [top, second = ''] = file.split('/');
  if (top === 'universal') return { kind: 'universal' };
  if (top === 'protocols' || top === 'domains') {
    if (file.includes('/scenarios/')) return { kind: 'scenario' };
    return { kind: 'baseline', protocol: second.replace(/\.ya?ml$/, '').replaceAll('-', '_') };
  }
  if (top === 'specialisms' && !file.includes('/scenarios/')) return { kind: 'specialism', specialism: id };
  return top === file ? { kind: 'universal' } : { kind: 'scenario' };
}

/** The versions of our own bundle of storyboards. */
export function shippedBundles(): readonly string[] {
  return readdirSync(FOLDER).filter(isExactVersion).toSorted();
}

/** The folder of one of them. */
export function bundleFolder(version: string): string {
  return `${FOLDER}${version}`;
}
