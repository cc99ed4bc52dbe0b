import { type BundlePlan, EMBEDDED, planBundles, resolveTarget } from '../../../compliance/bundles/choose.ts';
import {
  type BundleLibrary,
  createBundleLibrary,
  createTestBundles,
  localOffers,
} from '../../../compliance/bundles/library.ts';
import type { BuyerSetup } from '../../../compliance/buyer.ts';
import type { RunOptions } from '../../../compliance/run/run-agent.ts';
import { type Bundle, readBundle } from '../../../compliance/storyboards/bundle.ts';
import type { Config } from '../../../config.ts';
import { lineOf } from '../../../domain/badge.ts';
import type { InstalledBundle } from '../../../domain/bundle.ts';
import { RegistryError } from '../../../errors.ts';
import { readSchemaSet } from '../../../protocol/schema-set.ts';
import { VOCABULARIES } from '../../../protocol/vocabulary.ts';
import type { CheckFlags } from './flags.ts';

/** The bundles that a check can use. */
export interface CheckBundles {
  /** Those that the agent could be tested with, the most likely one first; it counts for an agent that does not say what it declares. */
  readonly candidates: readonly [CheckBundle, ...CheckBundle[]];
  /** `requested_compliance_target` of a run that uses the first of them. */
  readonly target: string;
  /** Chooses by what the agent declares; absent when there is one candidate. */
  readonly choose?: NonNullable<RunOptions['choose']>;
  /** How the last one was chosen. */
  readonly plan: () => BundlePlan | undefined;
}

type CheckBundle = BuyerSetup['bundle'];

/** What a recorded run is held to: the bundles that the registry has in use, and the target that the owner wants. */
export interface RecordedBundles {
  readonly installed: readonly InstalledBundle[];
  readonly target?: string | undefined;
}

/**
 * The bundles for a check: a folder that the user names, what `--target` matches, or the bundles of the lines that the agent
 * declares. Throws `usage` for a target that no bundle matches.
 */
export async function checkBundles(
  flags: CheckFlags,
  { bundles, complianceTarget: fallback }: Config,
  recorded?: RecordedBundles,
): Promise<CheckBundles> {
  const { storyboards, schemas: folder, target: wanted } = flags;
  const schemas = folder === undefined ? undefined : await readSchemaSet(folder);
  if (storyboards !== undefined) {
    const bundle = { ...(await readBundle(storyboards, schemas)), isEmbedded: false };
    return only(bundle, wanted ?? lineOf(bundle.version) ?? fallback);
  }
  const installed = recorded?.installed ?? (await localOffers(bundles));
  const offers = [...installed, EMBEDDED];
  if (wanted !== undefined && resolveTarget(wanted, offers) === undefined)
    throw unknownTarget(wanted, offers);
  const library = createBundleLibrary(bundles);
  // a run is recorded with the very files that the registry has agreed on
  const opener =
    recorded === undefined
      ? library
      : createTestBundles({ library, installed: { list: async () => recorded.installed }, fallback });
  const open = (version: string) => withSchemas(opener, version, schemas);
  const planFor = (declared: Parameters<typeof planBundles>[0]['declared']) =>
    planBundles({ declared, installed, target: recorded?.target, requested: wanted, fallback });
  const likely = VOCABULARIES.map((vocabulary) => planFor({ versions: [], vocabulary }).main.version);
  const inUse = wanted === undefined ? installed.filter(({ stage }) => stage === 'default') : [];
  // all of them only where the user names storyboards, which may be of any: each takes a second to open
  const isNamed = flags.only.length + flags.track.length > 0 || flags.step !== undefined;
  const possible = [...new Set([...likely, ...inUse.map(({ version }) => version)])];
  const versions = isNamed ? possible : possible.slice(0, 1);
  // one that is missing here is no matter, unless the agent turns out to need it
  const usable = await Promise.all(versions.map((version) => open(version).catch(absent)));
  const [first = await open(EMBEDDED.version), ...others] = usable.filter((one) => one !== undefined);
  const label = wanted ?? lineOf(first.version) ?? fallback;
  if (others.length === 0 && installed.length === 0) return only(first, label);
  let plan: BundlePlan | undefined;
  return {
    candidates: [first, ...others],
    target: label,
    async choose({ supported_versions, vocabulary }) {
      plan = planFor({ versions: supported_versions, vocabulary });
      const { main, label, mismatch } = plan;
      const bundle = await open(main.version);
      return { bundle, target: label, ...(mismatch !== undefined && { mismatch }) };
    },
    plan: () => plan,
  };
}

function only(bundle: CheckBundle, target: string): CheckBundles {
  return { candidates: [bundle], target, plan: () => undefined };
}

async function withSchemas(
  library: Pick<BundleLibrary, 'open'>,
  version: string,
  schemas: Bundle['schemas'],
): Promise<CheckBundle> {
  const bundle = await library.open(version);
  return schemas === undefined ? bundle : { ...bundle, schemas };
}

function absent(error: unknown): undefined {
  if (!(error instanceof RegistryError) || error.code !== 'bundle_unavailable') throw error;
}

function unknownTarget(target: string, offers: readonly { readonly version: string }[]): RegistryError {
  const versions = [...new Set(offers.map(({ version }) => version))].join(', ');
  return new RegistryError('usage', `--target: no installed bundle matches ${target.slice(0, 64)}`, {
    hint: `installed: ${versions}; a line such as 3.0 selects its default. Install others with agent-registry bundles add`,
  });
}
