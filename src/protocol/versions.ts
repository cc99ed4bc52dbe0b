/** One bundle of schemas: a version of the form major.minor.patch, with a pre-release behind it or not. */
interface Bundle {
  readonly version: string;
  readonly numbers: readonly number[];
  /** `['beta', '2']` of 3.1.0-beta.2; empty for a release. */
  readonly prerelease: readonly string[];
}

const EXACT = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z-]{1,64}(?:\.[0-9A-Za-z-]{1,64}){0,4}))?$/;
const LINE =
  /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z-]{1,64}(?:\.[0-9A-Za-z-]{1,64}){0,4}))?$/;

/** True for a version that names one bundle and never another: major.minor.patch, with or without a pre-release. */
export function isExactVersion(label: string): boolean {
  return EXACT.test(label);
}

const MAX_LABEL = 64;

/** True for a version with numbers: `3`, `v3.0`, `3.1-beta` or `3.1.0-beta.2`, at most 64 characters. False for `latest`. */
export function isVersionLabel(label: string): boolean {
  return label.length <= MAX_LABEL && LINE.test(label);
}

/**
 * The bundle that a version label stands for, of those there are; undefined when there is none. A line (`3`, `3.0`,
 * `latest`) is its newest release, or its newest pre-release while it has no release; a line with a release candidate's
 * name (`3.1-beta`) is the newest pre-release of that name. A `v` in front is what clients of the public protocol write.
 */
export function resolveVersion(label: string, versions: readonly string[]): string | undefined {
  const bundles = versions.flatMap((version) => readBundle(version) ?? []).toSorted(byAge);
  if (label === 'latest') return newest(bundles);
  const match = LINE.exec(label);
  if (match === null) return undefined;
  const numbers = match.slice(1, 4).flatMap((text) => (text === undefined ? [] : [Number(text)]));
  const name = match[4]?.split('.') ?? [];
  const line = bundles.filter((bundle) => startsWith(bundle.numbers, numbers));
  if (name.length > 0) return line.findLast((bundle) => startsWith(bundle.prerelease, name))?.version;
  return numbers.length === 3 ? line.find(isRelease)?.version : newest(line);
}

/** Every label that is not itself a version, with what it stands for: `latest`, and each line. */
export function versionAliases(versions: readonly string[]): Readonly<Record<string, string>> {
  const labels = new Set(['latest']);
  for (const { numbers, prerelease } of versions.flatMap((version) => readBundle(version) ?? [])) {
    const [major, minor] = numbers;
    labels.add(`${major}`).add(`${major}.${minor}`);
    if (prerelease[0] !== undefined) labels.add(`${major}.${minor}-${prerelease[0]}`);
  }
  const resolved = [...labels].map((label) => [label, resolveVersion(label, versions)] as const);
  return Object.fromEntries(
    resolved.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );
}

function readBundle(version: string): Bundle | undefined {
  const match = EXACT.exec(version);
  if (match === null) return undefined;
  return { version, numbers: match.slice(1, 4).map(Number), prerelease: match[4]?.split('.') ?? [] };
}

function newest(oldestFirst: readonly Bundle[]): string | undefined {
  return (oldestFirst.findLast(isRelease) ?? oldestFirst.at(-1))?.version;
}

function isRelease({ prerelease }: Bundle): boolean {
  return prerelease.length === 0;
}

function startsWith<T>(list: readonly T[], start: readonly T[]): boolean {
  return start.every((item, index) => list[index] === item);
}

/** The order of Semantic Versioning 2.0.0, section 11: a pre-release is older than its release. */
function byAge(a: Bundle, b: Bundle): number {
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (isRelease(a) || isRelease(b)) return Number(isRelease(a)) - Number(isRelease(b));
  const length = Math.max(a.prerelease.length, b.prerelease.length);
  for (let index = 0; index < length; index += 1) {
    const difference = compareIdentifiers(a.prerelease[index], b.prerelease[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const numeric = [a, b].map((text) => /^\d+$/.test(text));
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : 1;
}
