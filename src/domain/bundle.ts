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
