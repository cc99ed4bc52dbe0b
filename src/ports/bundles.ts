import type { Actor } from '../domain/actor.ts';

/**
 * What a bundle is used for. `preview`: agents of its line are also tested with it, without any effect on status and badges.
 * `default`: it decides the status and badges of agents of its line. `off`: it was replaced, and is kept to go back to.
 */
export type BundleStage = 'preview' | 'default' | 'off';

/** The names that its storyboards use (`protocol/vocabulary.ts`). */
export type BundleVocabulary = 'proto' | 'adcp';

/** An installed bundle, the same for all processes on these records. The built-in one is not among them. */
export interface InstalledBundle {
  /** `3.1.19`. */
  readonly version: string;
  /** `3.1`. */
  readonly line: string;
  /** Agents of the other vocabulary are not tested with it. */
  readonly vocabulary: BundleVocabulary;
  /** SHA-256 of its storyboards, test kits and schemas, `sha256:…`. A folder with another digest is not used. */
  readonly digest: string;
  readonly stage: BundleStage;
  /** Other labels of it, such as `stable`; each belongs to one bundle. */
  readonly aliases: readonly string[];
  /** Epoch milliseconds. */
  readonly addedAt: number;
}

/** The installed bundles of a registry. The files themselves lie in a folder of each machine (REGISTRY_BUNDLES). */
export interface InstalledBundles {
  /** By version. */
  list(): Promise<readonly InstalledBundle[]>;
  /** Installs a bundle in preview. `other_digest`: one of this version with another digest is there, and stays. An alias moves to the new one. */
  add(
    bundle: Omit<InstalledBundle, 'stage' | 'addedAt'>,
    actor: Actor,
    now: number,
  ): Promise<'added' | 'known' | 'other_digest'>;
  /** Changes the stage; the default of the same line and vocabulary, if it is another, becomes `off`. False for an unknown version. */
  setStage(version: string, stage: BundleStage, actor: Actor, now: number): Promise<boolean>;
  /** Removes a bundle with the standings that its runs gave; the runs themselves stay. `default`: it is one, and stays. */
  remove(version: string, actor: Actor, now: number): Promise<'removed' | 'unknown' | 'default'>;
}
