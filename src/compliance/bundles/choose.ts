import { declaredLines, declaresLine } from '../../domain/badge.ts';
import type { InstalledBundle } from '../../domain/bundle.ts';
import type { JudgedRun } from '../../domain/judged-run.ts';
import { resolveVersion } from '../../protocol/versions.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';

/** A bundle that agents may be tested with. */
export type Offer = Pick<InstalledBundle, 'version' | 'line' | 'vocabulary' | 'stage' | 'aliases'>;

/** The built-in bundle. It is the default of its line until an installed one is made the default. */
export const EMBEDDED: Offer = {
  version: '3.0.0',
  line: '3.0',
  vocabulary: 'proto',
  stage: 'default',
  aliases: [],
};

/** The part of an agent's declaration that selects its bundles. */
export interface Declared {
  /** Labels of the protocol's versions as it wrote them, `3.1` or `3.1.0-beta.2`. */
  readonly versions: readonly string[];
  /** Absent if unknown. */
  readonly vocabulary?: VocabularyName | undefined;
}

/** The bundles that an agent is tested with. */
export interface BundlePlan {
  /** Decides the status of the agent. */
  readonly main: Offer;
  /** The label that selected `main`, before aliases were resolved: its line, or what was requested. */
  readonly label: string;
  /** The defaults of the other declared lines, newest first. They decide the badges of these lines. */
  readonly others: readonly Offer[];
  /** Bundles in preview, and the owner's target if it is not in use. Their results affect neither status nor badges. */
  readonly previews: readonly Offer[];
  /** Why `main` is not of a declared version, or not what was requested; one sentence, lower case. Absent if it is both. */
  readonly mismatch?: string;
}

/** What selects an agent's bundles. */
export interface PlanInput {
  readonly declared: Declared;
  /** Without the built-in bundle. */
  readonly installed: readonly Offer[];
  /** The owner's target. It selects among the bundles in use; absent: the declared lines select. */
  readonly target?: string | undefined;
  /** The target of this run alone. Takes precedence over the owner's, and also selects bundles that are not in use. */
  readonly requested?: string | undefined;
  /** The target for an agent that declares no version with a bundle. */
  readonly fallback: string;
}

/**
 * The bundles of an agent: the default of each line that it declares, the newest line first (specification, 9.2). Bundles
 * of the other vocabulary are used only on request, except for the built-in one if its line has no other.
 */
export function planBundles({ declared, installed, fallback, ...wanted }: PlanInput): BundlePlan {
  const offers = offersTo(declared, installed);
  const defaults = defaultsOf(offers);
  const lines = declaredLines(declared.versions);
  const tested = defaults.filter(({ line }) => lines.includes(line));
  const target = wanted.requested ?? wanted.target;
  // a bundle of the other vocabulary is used if none of the agent's own matches
  const asked =
    target === undefined ? undefined : (resolveTarget(target, offers) ?? resolveTarget(target, installed));
  // otherwise an owner could keep its agent from being judged
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

/** What a run decides. `testedLines`: the lines that the agent is tested in; set if the run decides the status. */
export interface Decides extends Pick<JudgedRun, 'role'> {
  readonly testedLines?: readonly string[];
}

/** What a run with this version decides, by the agent's plan without a target for a single run. */
export function decidedBy(version: string, { main, others }: BundlePlan): Decides {
  if (version === main.version) return { testedLines: [main, ...others].map(({ line }) => line) };
  return { role: others.some((other) => other.version === version) ? 'line' : 'preview' };
}

/**
 * The bundle that a version, a line or an alias resolves to. A line resolves to its default or, without one, to its newest
 * bundle.
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
