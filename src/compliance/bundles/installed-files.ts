import { createHash } from 'node:crypto';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isObject, parseObject } from '../../base/json.ts';
import type { InstalledBundle } from '../../domain/bundle.ts';
import { isExactVersion } from '../../protocol/versions.ts';
import { VOCABULARIES, type VocabularyName } from '../../protocol/vocabulary.ts';

/*
 * An installed bundle is a folder named after its version: `compliance/` with storyboards and test kits, `schemas/`, and
 * the manifest `bundle.json`, which is written last.
 */

/** What `bundle.json` of an installed bundle says. */
export interface BundleManifest {
  /** `3.1.19`. */
  readonly version: string;
  /** `3.1`. */
  readonly line: string;
  readonly vocabulary: VocabularyName;
  /** SHA-256 over names and bytes of its files, `sha256:…`. */
  readonly digest: string;
  /** Where it came from: the name of the archive or folder, and the SHA-256 of an archive. */
  readonly source: { readonly name: string; readonly sha256: string | null };
  /** RFC 3339, UTC. */
  readonly installed_at: string;
  readonly storyboards: number;
}

export const MANIFEST = 'bundle.json';

/**
 * The files of a version on this machine. `incomplete`: the folder has no manifest that can be read. `altered`: files were
 * changed, added or deleted since the installation.
 */
export type LocalFiles =
  | { readonly state: 'complete'; readonly manifest: BundleManifest }
  | { readonly state: 'missing' | 'incomplete' | 'altered' };

/** Reads all files of an installed version, and compares them with its manifest. */
export async function checkFiles(bundles: string, version: string): Promise<LocalFiles> {
  if (!isExactVersion(version)) return { state: 'missing' };
  const folder = join(bundles, version);
  const text = await manifestText(bundles, version);
  if (text === undefined) return { state: (await namesIn(folder)) === undefined ? 'missing' : 'incomplete' };
  const manifest = readManifest(text);
  if (manifest === undefined) return { state: 'incomplete' };
  const isWhole = manifest.version === version && (await digestOf(folder)) === manifest.digest;
  return isWhole ? { state: 'complete', manifest } : { state: 'altered' };
}

/** Bundles in use or in preview whose files on this machine are not those of the records; agents of their lines cannot be tested here. */
export async function unusableBundles(
  installed: readonly InstalledBundle[],
  folder: string,
): Promise<readonly { readonly version: string; readonly state: string }[]> {
  const states = installed
    .filter(({ stage }) => stage !== 'off')
    .map(async ({ version, digest }) => {
      const found = await checkFiles(folder, version);
      if (found.state !== 'complete') return { version, state: found.state };
      return { version, state: found.manifest.digest === digest ? 'ok' : 'other_digest' };
    });
  return (await Promise.all(states)).filter(({ state }) => state !== 'ok');
}

/** The text of the manifest; undefined if there is none. */
export async function manifestText(bundles: string, version: string): Promise<string | undefined> {
  try {
    return await readFile(join(bundles, version, MANIFEST), 'utf8');
  } catch {
    return undefined;
  }
}

/** What the folders of versions say of themselves, by version, whether or not their files are complete. */
export async function installedManifests(bundles: string): Promise<readonly BundleManifest[]> {
  const names = ((await namesIn(bundles)) ?? []).filter(isExactVersion).toSorted();
  const texts = await Promise.all(names.map((name) => manifestText(bundles, name)));
  return texts.flatMap((text, at) => {
    const manifest = text === undefined ? undefined : readManifest(text);
    return manifest !== undefined && manifest.version === names[at] ? [manifest] : [];
  });
}

/** Written last and to the disk: a bundle with a manifest is complete, unless a later change or a crash altered its files. */
export async function writeManifest(folder: string, manifest: BundleManifest): Promise<void> {
  await using file = await open(join(folder, MANIFEST), 'wx', 0o644);
  await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  await file.sync();
}

/** SHA-256 over names and bytes of all files of a bundle except its manifest; undefined if one cannot be read. */
export async function digestOf(folder: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    if (!files.every((entry) => entry.isFile())) return undefined; // a link was added
    const paths = files.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    for (const name of paths.map((path) => path.replaceAll('\\', '/')).toSorted()) {
      if (name === MANIFEST) continue;
      const bytes = await readFile(join(folder, name));
      hash.update(`${name}\0${bytes.length}\0`).update(bytes);
    }
  } catch {
    return undefined;
  }
  return `sha256:${hash.digest('hex')}`;
}

function readManifest(text: string): BundleManifest | undefined {
  const manifest = parseObject(text) as Partial<BundleManifest> | undefined;
  if (manifest === undefined || !isObject(manifest.source)) return undefined;
  const { version, line, digest, installed_at: installedAt, storyboards, vocabulary, source } = manifest;
  const texts = [version, line, digest, installedAt, source.name];
  const isValid =
    texts.every((one) => typeof one === 'string') &&
    typeof storyboards === 'number' &&
    VOCABULARIES.some((name) => name === vocabulary);
  return isValid ? (manifest as BundleManifest) : undefined;
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch {
    return undefined;
  }
}
