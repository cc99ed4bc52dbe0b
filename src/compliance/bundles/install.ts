import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseObject } from '../../base/json.ts';
import { lineOf } from '../../domain/badge.ts';
import { hasErrors } from '../../domain/finding.ts';
import { RegistryError } from '../../errors.ts';
import { readSchemaSet } from '../../protocol/schema-set.ts';
import { isExactVersion } from '../../protocol/versions.ts';
import { VOCABULARY_NAMES, type VocabularyName } from '../../protocol/vocabulary.ts';
import { allSteps } from '../storyboard.ts';
import { type Bundle, readBundle, shippedBundles } from '../storyboards/bundle.ts';
import { type BundleSource, CONTENT, invalidBundle, MAX_UNPACKED_BYTES, openSource } from './archive.ts';
import { type BundleManifest, checkFiles, digestOf, writeManifest } from './installed-files.ts';
import { namedSchemas, unknownSchemas } from './review.ts';

export interface InstallOptions {
  /** Where installed bundles are (REGISTRY_BUNDLES); created if it does not exist. */
  readonly bundles: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The expected SHA-256 of the archive, in hexadecimal. */
  readonly sha256?: string;
  /** `3.1`: a bundle of another line is rejected. */
  readonly line?: string;
}

/** A bundle that was unpacked and checked, and is not installed yet. */
export interface StagedBundle {
  readonly manifest: BundleManifest;
  readonly bundle: Bundle;
  /** Files of the archive or folder that no reader uses. */
  readonly ignored: number;
  /** Moves it to the folder of its version, unless the same files are there already. Replaces other or damaged files. */
  install(): Promise<void>;
  /** Deletes what was not installed. */
  discard(): Promise<void>;
}

const STAGING = '.staging-';
/** An installation takes seconds: an older staging folder belongs to a process that was killed. */
const STAGING_MS = 60 * 60_000;

const MAX_FILES = 10_000;
const MAX_FILE_BYTES = 8 * 1024 ** 2;
const MAX_PATH = 200;
/** Findings that are part of an error message. */
const SHOWN = 3;

/**
 * Unpacks an archive or copies a folder into a staging folder, and checks everything that could make a verdict wrong. What this
 * program merely cannot evaluate is reported by `reviewBundle`. Rejects with `input_invalid`.
 */
export async function stageBundle(path: string, options: InstallOptions): Promise<StagedBundle> {
  const source = await openSource(path);
  verifySource(source, options.sha256);
  const { bundles } = options;
  await mkdir(bundles, { recursive: true });
  await deleteLeftovers(bundles, options.now);
  const folder = await mkdtemp(join(bundles, STAGING));
  const discard = () => deleteFolder(folder);
  try {
    const { top, ignored } = await copyContent(source, folder);
    const version = await versionOf(folder, top ?? source.name, source);
    const line = checkedLine(version, options.line, source);
    const bundle = await readStaged(folder, source);
    const vocabulary = vocabularyOf(bundle, source);
    checkSchemas(bundle, vocabulary, source);
    const digest = await digestOf(folder);
    if (digest === undefined) throw new Error(`cannot read ${folder}`);
    const manifest: BundleManifest = {
      ...{ version, line, vocabulary, digest },
      source: { name: source.name, sha256: source.sha256 },
      installed_at: new Date(options.now).toISOString(),
      storyboards: bundle.storyboards.length,
    };
    await writeManifest(folder, manifest);
    return { manifest, bundle, ignored, install: () => install(bundles, folder, manifest), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function verifySource({ name, sha256 }: BundleSource, expected: string | undefined): void {
  if (expected === undefined) return;
  if (sha256 === null)
    throw new RegistryError('usage', '--sha256 requires an archive, but a folder was given', {
      hint: 'give the archive, or omit --sha256',
    });
  const wanted = expected.toLowerCase().replace(/^sha256:/, '');
  if (!/^[0-9a-f]{64}$/.test(wanted))
    throw new RegistryError('usage', 'invalid --sha256', { hint: 'give 64 hexadecimal digits' });
  if (wanted !== sha256)
    throw invalidBundle(
      name,
      `its SHA-256 is ${sha256}, not ${wanted}`,
      'download the archive again; if it stays different, do not install it',
    );
}

async function deleteLeftovers(bundles: string, now: number): Promise<void> {
  for (const name of await readdir(bundles)) {
    if (!name.startsWith(STAGING)) continue;
    const folder = join(bundles, name);
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > STAGING_MS) await deleteFolder(folder);
  }
}

function deleteFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** The folder above the content, if there is one, and the number of files that were not copied. */
async function copyContent(source: BundleSource, folder: string): Promise<{ top?: string; ignored: number }> {
  const names = new Map<string, { readonly path: string; readonly isFile: boolean }>();
  let top: string | undefined;
  let ignored = 0;
  let files = 0;
  let total = 0;
  for await (const entry of source.entries()) {
    const invalid = (reason: string, hint: string) =>
      invalidBundle(source.name, `${entry.path.slice(0, MAX_PATH)}: ${reason}`, hint);
    const parts = partsOf(entry.path);
    if (parts === undefined) throw invalid('the path leads out of the archive', UNTRUSTED);
    const start = parts.slice(0, 2).findIndex((part) => CONTENT.includes(part));
    const inside = parts.slice(start);
    if (start === -1 || inside.some((part) => part.startsWith('.'))) {
      ignored += 1;
      continue;
    }
    if (entry.kind === 'other') throw invalid('a link or a device', 'replace it with a regular file');
    const path = inside.join('/');
    if (!isUsed(path)) {
      ignored += 1;
      continue;
    }
    const above = parts.slice(0, start).join('/');
    top ??= above;
    if (above !== top) throw invalid(`a second bundle, beside ${top || 'the one at the top'}`, ONE_BUNDLE);
    if (!inside.every((part) => /^[\w.-]+$/.test(part)))
      throw invalid(
        'the path has other characters than letters, digits, "_", "." and "-"',
        'rename the file',
      );
    if (path.length > MAX_PATH) throw invalid(`the path is longer than ${MAX_PATH} characters`, 'shorten it');
    const taken = takenBy(names, inside);
    if (taken === path) throw invalid('the path occurs twice', 'remove one of the two files');
    if (taken !== undefined) throw invalid(`conflicts with ${taken}`, 'rename one of the two');
    files += 1;
    if (files > MAX_FILES) throw invalid(`more than ${MAX_FILES} files`, ONE_BUNDLE);
    const tooLarge = invalid(`larger than ${MAX_FILE_BYTES / 1024 ** 2} MiB`, 'split or remove the file');
    if (entry.size > MAX_FILE_BYTES) throw tooLarge;
    const bytes = await entry.read();
    if (bytes.length > MAX_FILE_BYTES) throw tooLarge;
    total += bytes.length;
    if (total > MAX_UNPACKED_BYTES)
      throw invalid(`its files are larger than ${MAX_UNPACKED_BYTES / 1024 ** 2} MiB together`, ONE_BUNDLE);
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes, { flag: 'wx' });
  }
  return { ignored, ...(top !== undefined && top !== '' && { top }) };
}

const UNTRUSTED = 'do not use this archive; get it from its publisher';
const ONE_BUNDLE = 'give an archive or a folder with one bundle';

/** Undefined for a path that leads elsewhere. */
function partsOf(path: string): readonly string[] | undefined {
  const parts = path.split(/[\\/]/);
  const isAbsolute = parts[0] === '' || /^[a-z]:$/i.test(parts[0] ?? '');
  return isAbsolute || parts.includes('..') ? undefined : parts.filter((part) => part !== '' && part !== '.');
}

function isUsed(path: string): boolean {
  return /^compliance\/.*\.(?:ya?ml|json)$/.test(path) || /^schemas\/.*\.json$/.test(path);
}

/** The file or folder that the new file cannot be beside, on any file system: the same name, or one that differs in case only. */
function takenBy(
  names: Map<string, { readonly path: string; readonly isFile: boolean }>,
  parts: readonly string[],
): string | undefined {
  for (let length = 1; length <= parts.length; length += 1) {
    const path = parts.slice(0, length).join('/');
    const isFile = length === parts.length;
    const other = names.get(path.toLowerCase());
    if (other !== undefined && (other.path !== path || other.isFile || isFile)) return other.path;
    names.set(path.toLowerCase(), { path, isFile });
  }
  return undefined;
}

/** The index was written with the bundle; the name of a folder can be changed. */
async function versionOf(folder: string, top: string, { name }: BundleSource): Promise<string> {
  const text = await readFile(join(folder, 'compliance/index.json'), 'utf8').catch(() => undefined);
  const index = text === undefined ? {} : parseObject(text);
  if (index === undefined)
    throw invalidBundle(name, 'compliance/index.json: not a JSON object', 'correct or remove the file');
  const { adcp_version: declared } = index;
  const version = declared ?? top.slice(top.search(/\d/));
  if (typeof version !== 'string' || !isExactVersion(version))
    throw invalidBundle(
      name,
      declared === undefined
        ? 'its version is unknown'
        : 'compliance/index.json: adcp_version is not of the form major.minor.patch',
      'set adcp_version in compliance/index.json, or name the folder above compliance/ after the version, as in adcp-3.1.19',
    );
  if (shippedBundles().includes(version))
    throw invalidBundle(
      name,
      `its version ${version} is the one of the built-in bundle`,
      'install a bundle with another version',
    );
  return version;
}

function checkedLine(version: string, wanted: string | undefined, { name }: BundleSource): string {
  const line = lineOf(version) ?? version;
  if (wanted === undefined || wanted === line) return line;
  throw invalidBundle(name, `version ${version} is of line ${line}, not ${wanted}`, 'correct or omit --line');
}

async function readStaged(folder: string, { name }: BundleSource): Promise<Bundle> {
  const content = await readdir(folder);
  const schemas = content.includes('schemas') ? await readSchemaSet(join(folder, 'schemas')) : undefined;
  const bundle = content.includes('compliance')
    ? await readBundle(join(folder, 'compliance'), schemas)
    : undefined;
  const faults = (bundle?.findings ?? []).flatMap(({ file, findings }) =>
    findings.filter((one) => hasErrors([one])).map((one) => `compliance/${file}: ${one.message}`),
  );
  if (faults.length > 0) {
    const more = faults.length > SHOWN ? `; and ${faults.length - SHOWN} more` : '';
    throw invalidBundle(
      name,
      `${faults.slice(0, SHOWN).join('; ')}${more}`,
      'correct the files: agents would be judged without these storyboards. If the publisher considers them correct, upgrade this program',
    );
  }
  if (bundle === undefined || bundle.storyboards.length === 0)
    throw invalidBundle(
      name,
      'contains no storyboards',
      'give an archive or a folder with compliance/ and schemas/, at the top or in one folder there',
    );
  return bundle;
}

/**
 * Public bundles name a few schemas that they do not contain. One without any of them was packed without its schemas, and
 * its version of the protocol cannot be checked. Answers to bundles of our vocabulary are checked with our own schemas.
 */
function checkSchemas(bundle: Bundle, vocabulary: VocabularyName, { name }: BundleSource): void {
  if (vocabulary === 'proto' && bundle.schemas === undefined) return;
  const named = namedSchemas(bundle);
  if (named.size === 0 || unknownSchemas(named, bundle.schemas).length < named.size) return;
  const [first = ''] = named.keys();
  throw invalidBundle(
    name,
    `contains none of the ${named.size} schemas that its storyboards name, such as ${first}`,
    'give an archive or a folder that also has schemas/',
  );
}

function vocabularyOf(bundle: Bundle, { name }: BundleSource): VocabularyName {
  const tasks = new Set(
    bundle.storyboards.flatMap(({ storyboard }) => allSteps(storyboard).map(({ task }) => task)),
  );
  const uses = (vocabulary: VocabularyName) => tasks.has(VOCABULARY_NAMES[vocabulary].capabilitiesTask);
  if (uses('adcp') || (bundle.version !== null && !uses('proto'))) return 'adcp';
  if (uses('proto')) return 'proto';
  throw invalidBundle(
    name,
    'its vocabulary is unknown',
    'set adcp_version in compliance/index.json, or call get_adcp_capabilities or get_proto_capabilities in a storyboard',
  );
}

async function install(bundles: string, staged: string, manifest: BundleManifest): Promise<void> {
  const { version, digest } = manifest;
  const files = await checkFiles(bundles, version);
  if (files.state === 'complete' && files.manifest.digest === digest) return;
  if (files.state !== 'missing') await deleteVersion(bundles, version);
  await chmod(staged, 0o755); // an operator may install it as another user than that of the service
  await rename(staged, join(bundles, version));
}

/** Deletes the files of an installed version. It disappears in one step. */
export async function deleteVersion(bundles: string, version: string): Promise<void> {
  if (!isExactVersion(version)) return;
  const aside = await mkdtemp(join(bundles, STAGING));
  try {
    await rename(join(bundles, version), join(aside, version));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  await deleteFolder(aside);
}
