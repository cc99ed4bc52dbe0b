import { declaredLines, declaresLine } from '../../domain/badge.ts';
import type { JudgedRun } from '../../domain/judged-run.ts';
import type { InstalledBundle } from '../../ports/bundles.ts';
import { resolveVersion } from '../../protocol/versions.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';

/** A bundle that agents may be tested with. */
export type Offer = Pick<InstalledBundle, 'version' | 'line' | 'vocabulary' | 'stage' | 'aliases'>;

/** The bundle that came with the program. It is a default of its line until an installed one is. */
export const EMBEDDED: Offer = {
  version: '3.0.0',
  line: '3.0',
  vocabulary: 'proto',
  stage: 'default',
  aliases: [],
};

/** What an agent says of itself that decides about its bundles. */
export interface Declared {
  /** Labels of the protocol's versions as it wrote them, `3.1` or `3.1.0-beta.2`. */
  readonly versions: readonly string[];
  /** Absent for an agent whose names are not known. */
  readonly vocabulary?: VocabularyName | undefined;
}

/** With which bundles an agent is tested. */
export interface BundlePlan {
  /** Its status follows from this one. */
  readonly main: Offer;
  /** What `main` was asked for by, before aliases were resolved: a line, or what the owner named. */
  readonly label: string;
  /** Defaults of the other lines that it declares, newest first; badges of these lines follow from them. */
  readonly others: readonly Offer[];
  /** Bundles in preview, and the one that the owner wants if it is not in use; nothing follows from these. */
  readonly previews: readonly Offer[];
  /** Why the bundle is not of a version that the agent declares, or not the one that was asked for; one sentence, lower case. */
  readonly mismatch?: string;
}

/** What decides about an agent's bundles. */
export interface PlanInput {
  readonly declared: Declared;
  /** The installed bundles; the embedded one comes on top. */
  readonly installed: readonly Offer[];
  /** The bundle that the owner wants, if it is in use; absent: by what the agent declares. */
  readonly target?: string | undefined;
  /** The bundle for this run alone, in use or not; goes before the owner's. */
  readonly requested?: string | undefined;
  /** For an agent that declares no version of a bundle that is there. */
  readonly fallback: string;
}

/**
 * The bundles of an agent: the default of each line that it declares, the newest line first (specification, 9.2). An agent
 * of one vocabulary is not tested with bundles of the other unless somebody asks for it, but for the embedded one, where its
 * line has no other.
 */
export function planBundles({ declared, installed, fallback, ...wanted }: PlanInput): BundlePlan {
  const offers = offersTo(declared, installed);
  const defaults = defaultsOf(offers);
  const lines = declaredLines(declared.versions);
  const tested = defaults.filter(({ line }) => lines.includes(line));
  const target = wanted.requested ?? wanted.target;
  // who asks for a bundle of the other vocabulary gets it where none of the agent's own matches
  const asked =
    target === undefined ? undefined : (resolveTarget(target, offers) ?? resolveTarget(target, installed));
  // no setting of an owner keeps its agent from being judged
  const isUsed = wanted.requested !== undefined || asked?.stage === 'default';
  const inUse = offers.filter(({ stage }) => stage === 'default');
  const usual = tested[0] ?? resolveTarget(fallback, inUse) ?? defaults[0] ?? EMBEDDED;
  const main = (isUsed && asked) || usual;
  const previews = offers.filter(
    ({ stage, line, version }) =>
      stage === 'preview' && (lines.includes(line) || line === main.line) && version !== main.version,
  );
  const isLeftOut = asked !== undefined && asked !== main && !previews.includes(asked);
  const mismatch = mismatchOf({ main, declared: declared.versions, target, asked });
  return {
    main,
    label: main === asked && target !== undefined ? target : main.line,
    others: tested.filter(({ version }) => version !== main.version),
    previews: isLeftOut ? [...previews, asked] : previews,
    ...(mismatch !== undefined && { mismatch }),
  };
}

/** What a run decides about, and the lines that the agent is tested in where it decides about all. */
export interface Decides extends Pick<JudgedRun, 'role'> {
  readonly testedLines?: readonly string[];
}

/** What a run with this version decides about, by the plan of the agent without a request for a single run. */
export function decidedBy(version: string, { main, others }: BundlePlan): Decides {
  if (version === main.version) return { testedLines: [main, ...others].map(({ line }) => line) };
  return { role: others.some((other) => other.version === version) ? 'line' : 'preview' };
}

/**
 * The bundle that a version, a line or an alias stands for, of those that there are. A line is its default, and its newest
 * bundle where it has none.
 */
export function resolveTarget(label: string, offers: readonly Offer[]): Offer | undefined {
  const byVersion = (version: string | undefined) => offers.find((offer) => offer.version === version);
  const named = offers.find(({ version, aliases }) => version === label || aliases.includes(label));
  if (named !== undefined) return named;
  const versionsOf = (some: readonly Offer[]) => some.map(({ version }) => version);
  return (
    byVersion(resolveVersion(label, versionsOf(defaultsOf(offers)))) ??
    byVersion(resolveVersion(label, versionsOf(offers)))
  );
}

/** The bundles that an agent could be tested with. */
function offersTo({ vocabulary = 'proto' }: Declared, installed: readonly Offer[]): readonly Offer[] {
  const fitting = installed.filter((offer) => offer.vocabulary === vocabulary);
  return [...fitting, EMBEDDED];
}

/** One for each line, newest line first; the embedded one gives way to an installed one. */
function defaultsOf(offers: readonly Offer[]): readonly Offer[] {
  const byLine = new Map<string, Offer>();
  for (const offer of offers)
    if (offer.stage === 'default' && !byLine.has(offer.line)) byLine.set(offer.line, offer);
  return declaredLines([...byLine.keys()]).flatMap((line) => byLine.get(line) ?? []);
}

interface Compared {
  readonly main: Offer;
  readonly declared: readonly string[];
  readonly target: string | undefined;
  /** What the target stands for. */
  readonly asked: Offer | undefined;
}

function mismatchOf({ main, declared, target, asked }: Compared): string | undefined {
  const tested = `tested with ${main.version}`;
  if (target !== undefined && asked === undefined)
    return `no installed bundle matches the target ${target}; ${tested}`;
  if (asked !== undefined && asked !== main) return `the target ${target} is not in use; ${tested}`;
  if (declared.length === 0 || declaresLine(declared, main.line)) return undefined;
  const lines = declaredLines(declared);
  const declares = `the agent declares ${lines.length > 0 ? lines.join(', ') : declared[0]}`;
  return asked === undefined
    ? `${declares}; no bundle of ${lines.length > 1 ? 'these versions' : 'this version'} is in use; ${tested}`
    : `${declares}; ${tested}, as requested`;
}
