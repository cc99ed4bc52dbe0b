import { RegistryError } from '../../errors.ts';
import type { InstalledBundles } from '../../ports/bundles.ts';
import { type BundlePlan, type Declared, planBundles } from './choose.ts';
import type { BundleLibrary, LocalBundle } from './library.ts';

/** The bundles that agents of a registry are tested with. */
export interface TestBundles {
  /** With which an agent is tested, as the operator has decided by now. */
  plan(declared: Declared, target: string | undefined): Promise<BundlePlan>;
  /**
   * Reads one, with its schemas.
   *
   * @throws RegistryError `bundle_unavailable` when this machine does not have it as the records know it
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
    plan: async (declared, target) =>
      planBundles({ declared, installed: await installed.list(), target, fallback }),
    async open(version) {
      const bundle = await library.open(version);
      const known = (await installed.list()).find((one) => one.version === version);
      if (bundle.isEmbedded || known === undefined || known.digest === bundle.wholeDigest) return bundle;
      throw otherFiles(version);
    },
  };
}

function otherFiles(version: string): RegistryError {
  return new RegistryError(
    'bundle_unavailable',
    `the bundle ${version} on this machine has other files than the one that was installed`,
    { hint: 'copy the folder of REGISTRY_BUNDLES from the machine where it was installed' },
  );
}
