import { checkFiles } from '../../../compliance/bundles/installed-files.ts';
import { unavailable } from '../../../compliance/bundles/library.ts';
import { shippedBundle, shippedBundles } from '../../../compliance/storyboards/bundle.ts';
import { lineOf } from '../../../domain/badge.ts';
import type { BundleStage, InstalledBundle } from '../../../domain/bundle.ts';
import { RegistryError } from '../../../errors.ts';
import type { Records } from '../../../ports/records.ts';
import { VOCABULARIES } from '../../../protocol/vocabulary.ts';

/** `ok`: the files that the records name are on this machine. `built_in`: they are part of the program. */
type FilesState = 'ok' | 'missing' | 'incomplete' | 'altered' | 'other_digest' | 'built_in';

/** A bundle in the JSON of these commands (schemas/cli/bundles-list.json). */
export interface BundleRow {
  readonly version: string;
  readonly line: string;
  readonly vocabulary: string;
  readonly stage: BundleStage;
  readonly aliases: readonly string[];
  readonly digest: string;
  /** Null if the files on this machine cannot be used. */
  readonly storyboards: number | null;
  readonly files: FilesState;
  readonly added_at: string | null;
}

/** The built-in bundles and the installed ones, with the state of their files on this machine. */
export async function bundleRows(
  { bundles }: Pick<Records, 'bundles'>,
  folder: string,
): Promise<readonly BundleRow[]> {
  const installed = await bundles.list();
  const builtIn = await Promise.all(shippedBundles().map((version) => builtInRow(version, installed)));
  return [...builtIn, ...(await Promise.all(installed.map((bundle) => rowOf(bundle, folder))))];
}

async function rowOf({ addedAt, ...bundle }: InstalledBundle, folder: string): Promise<BundleRow> {
  const found = await checkFiles(folder, bundle.version);
  const row = { ...bundle, added_at: new Date(addedAt).toISOString() };
  if (found.state !== 'complete') return { ...row, storyboards: null, files: found.state };
  const isSame = found.manifest.digest === bundle.digest;
  return { ...row, storyboards: found.manifest.storyboards, files: isSame ? 'ok' : 'other_digest' };
}

async function builtInRow(version: string, installed: readonly InstalledBundle[]): Promise<BundleRow> {
  const { storyboards, digest } = await shippedBundle(version);
  const line = lineOf(version) ?? version;
  const replaced = installed.filter((bundle) => bundle.line === line && bundle.stage === 'default');
  return {
    ...{ version, line, vocabulary: 'proto', aliases: [], digest, storyboards: storyboards.length },
    stage: replaced.length < VOCABULARIES.length ? 'default' : 'off',
    ...{ files: 'built_in', added_at: null },
  };
}

export function isBuiltIn(version: string): boolean {
  return shippedBundles().includes(version);
}

/** The version that an argument names: a version, or an alias of one. */
export async function namedVersion({ bundles }: Pick<Records, 'bundles'>, name: string): Promise<string> {
  const aliased = (await bundles.list()).find(({ aliases }) => aliases.includes(name));
  return aliased?.version ?? name;
}

/** The record of a version; `not_found` if it is not installed. */
export async function installedBundle(
  { bundles }: Pick<Records, 'bundles'>,
  version: string,
): Promise<InstalledBundle> {
  const found = (await bundles.list()).find((bundle) => bundle.version === version);
  if (found !== undefined) return found;
  throw unknownBundle(version);
}

export function unknownBundle(version: string): RegistryError {
  return new RegistryError('not_found', `bundle ${version.slice(0, 100)} is not installed`, {
    hint: 'list the versions: agent-registry bundles list',
  });
}

/** Throws `bundle_unavailable` unless the files on this machine are those of the records. */
export async function requireFiles({ version, digest }: InstalledBundle, folder: string): Promise<void> {
  const found = await checkFiles(folder, version);
  if (found.state !== 'complete') throw unavailable(version, found.state);
  if (found.manifest.digest !== digest) throw unavailable(version, 'altered');
}
