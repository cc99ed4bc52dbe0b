import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { lineOf } from '../../domain/badge.ts';
import { RegistryError } from '../../errors.ts';
import { readSchemaSet } from '../../protocol/schema-set.ts';
import { resolveVersion } from '../../protocol/versions.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';
import type { InstalledBundles } from '../../records/runs/installed-bundles.ts';
import { type Bundle, readBundle, shippedBundle, shippedBundles } from '../storyboards/bundle.ts';
import { type BundlePlan, type Declared, type Offer, type PlanInput, planBundles } from './choose.ts';
import { checkFiles, installedManifests, type LocalFiles, manifestText } from './installed-files.ts';

/** A bundle on this machine. */
export interface LocalBundle extends Bundle {
  /** `3.1.19`. */
  readonly version: string;
  /** `3.1`. */
  readonly line: string;
  readonly vocabulary: VocabularyName;
  /** SHA-256 of storyboards, test kits and schemas together, as the records have it. */
  readonly wholeDigest: string;
  /** Built in. */
  readonly isEmbedded: boolean;
}

/** The bundles of this machine: the embedded one, and those in the folder of REGISTRY_BUNDLES. */
export interface BundleLibrary {
  /**
   * Reads a bundle with its schemas; read and compiled once, however many runs use it.
   *
   * @throws RegistryError `bundle_unavailable` when it is not there or its files are not those that were installed
   */
  open(version: string): Promise<LocalBundle>;
}

/** Enough for a default and a preview of two lines. A bundle whose schemas are all compiled takes 60 MB. */
const MAX_OPEN = 4;

interface Opened {
  readonly manifest: string;
  readonly bundle: Promise<LocalBundle>;
}

/** The bundles of this machine; `folder` is that of REGISTRY_BUNDLES, which need not exist. */
export function createBundleLibrary(folder: string): BundleLibrary {
  const opened = new LRUCache<string, Opened>({ max: MAX_OPEN });
  async function openInstalled(version: string): Promise<LocalBundle> {
    // the manifest changes with each installation: the files are then read and verified again
    const manifest = (await manifestText(folder, version)) ?? '';
    const known = opened.get(version);
    if (known?.manifest === manifest) return known.bundle;
    const bundle = readInstalled(folder, version);
    opened.set(version, { manifest, bundle });
    bundle.catch(() => opened.get(version)?.bundle === bundle && opened.delete(version));
    return bundle;
  }
  return {
    open: (version) => (shippedBundles().includes(version) ? openEmbedded(version) : openInstalled(version)),
  };
}

/**
 * The bundles of this machine, for commands without records. The newest one of each line and vocabulary is its default.
 */
export async function localOffers(folder: string): Promise<readonly Offer[]> {
  const manifests = await installedManifests(folder);
  const groups = Map.groupBy(manifests, ({ line, vocabulary }) => `${line} ${vocabulary}`);
  return [...groups.values()].flatMap((group) => {
    const newest = resolveVersion(
      'latest',
      group.map(({ version }) => version),
    );
    return group.map(({ version, line, vocabulary }) => {
      const stage = version === newest ? ('default' as const) : ('off' as const);
      return { version, line, vocabulary, stage, aliases: [] };
    });
  });
}

async function openEmbedded(version: string): Promise<LocalBundle> {
  const bundle = await shippedBundle(version);
  const line = lineOf(version) ?? version;
  return { ...bundle, version, line, vocabulary: 'proto', wholeDigest: bundle.digest, isEmbedded: true };
}

async function readInstalled(folder: string, version: string): Promise<LocalBundle> {
  const files = await checkFiles(folder, version);
  if (files.state !== 'complete') throw unavailable(version, files.state);
  const { line, vocabulary, digest } = files.manifest;
  const place = join(folder, version);
  const schemas = existsSync(join(place, 'schemas'))
    ? await readSchemaSet(join(place, 'schemas'))
    : undefined;
  const bundle = await readBundle(join(place, 'compliance'), schemas);
  return { ...bundle, version, line, vocabulary, wholeDigest: digest, isEmbedded: false };
}

const STATES: Readonly<Record<Exclude<LocalFiles['state'], 'complete'> | 'removed', string>> = {
  removed: 'was removed from the registry',
  missing: 'is not installed on this machine',
  incomplete: 'is not completely installed on this machine: it has no readable bundle.json',
  altered: 'has other files on this machine than were installed',
};

/** The error for a bundle whose files cannot be used. */
export function unavailable(version: string, state: keyof typeof STATES): RegistryError {
  return new RegistryError('bundle_unavailable', `bundle ${version.slice(0, 100)} ${STATES[state]}`, {
    hint: 'install it on this machine: agent-registry bundles add FILE',
  });
}

/** The bundles that agents of a registry are tested with. */
export interface TestBundles {
  /** The bundles of an agent, by the current stages. */
  plan(declared: Declared, wanted: Pick<PlanInput, 'target' | 'requested'>): Promise<BundlePlan>;
  /**
   * Reads one, with its schemas.
   *
   * @throws RegistryError `bundle_unavailable` when this machine does not have it as the records know it, or it was removed
   */
  open(version: string): Promise<LocalBundle>;
}

interface TestBundlesParts {
  readonly library: BundleLibrary;
  readonly installed: Pick<InstalledBundles, 'list'>;
  /** REGISTRY_COMPLIANCE_TARGET. */
  readonly fallback: string;
}

/** The bundles that the records name, read from the folder of this machine. */
export function createTestBundles({ library, installed, fallback }: TestBundlesParts): TestBundles {
  return {
    plan: async (declared, wanted) =>
      planBundles({ declared, installed: await installed.list(), ...wanted, fallback }),
    async open(version) {
      const bundle = await library.open(version);
      const known = (await installed.list()).find((one) => one.version === version);
      if (bundle.isEmbedded || known?.digest === bundle.wholeDigest) return bundle;
      throw unavailable(version, known === undefined ? 'removed' : 'altered');
    },
  };
}
