import { readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hasErrors } from '../../domain/finding.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import { isExactVersion } from '../../protocol/versions.ts';
import { type BundleFiles, readBundleFiles } from './bundle-files.ts';
import { type BundledStoryboard, type FileFindings, findingsOfNeeds, type Group, inOrder } from './needs.ts';
import { type ReadStoryboard, readStoryboard, type UnknownName } from './read-storyboard.ts';

const FOLDER = fileURLToPath(new URL('../../../pipelines/storyboards/', import.meta.url));

export interface Bundle {
  /** What its `index.json` says (`adcp_version`), else its folder's name where that is a version, `3.0.0`; else null. */
  readonly version: string | null;
  /** Each after what it needs. */
  readonly storyboards: readonly BundledStoryboard[];
  /** By file, for those with findings. */
  readonly findings: readonly FileFindings[];
  /** SHA-256 of its storyboards and test kits, `sha256:…`. */
  readonly digest: string;
  /** When it was made, epoch milliseconds, where it says so: what its samples had ahead of them may be past now. */
  readonly madeAt?: number;
  /** The schemas that its steps name, and judge by. */
  readonly schemas?: SchemaSet;
}

/**
 * Reads every storyboard under a folder. `universal/` is for every agent, `protocols/<protocol>/` for those that support
 * it (its `scenarios/` for whoever needs them), `specialisms/` and anything else named after a specialism for those that
 * declare it. A file that cannot be used is left out with its findings; other YAML files are no storyboards, and a file
 * with the text of another one is that file. Throws `usage` for a folder that cannot be read.
 */
export async function readBundle(folder: string, schemas?: SchemaSet): Promise<Bundle> {
  const files = await readBundleFiles(folder);
  const unknown: Unknown[] = [];
  const seen = new Set<string>();
  const found: ({ readonly file: string } & ReadStoryboard)[] = [];
  for (const [file, text] of [...files.storyboards].toReversed()) {
    // `domains/` is an older name of `protocols/`, and stands in public bundles with the same files
    if (seen.size === seen.add(text).size) continue;
    found.unshift({ file, ...readStoryboard(text, files) });
    await nextTurn(); // a server that reads them answers others meanwhile
  }
  for (const { file, unknown: names } of found) unknown.push(...names.map((one) => ({ file, ...one })));
  const storyboards = found.flatMap(({ file, storyboard }) =>
    storyboard === undefined ? [] : [{ file, storyboard, group: groupOf(file, storyboard.id) }],
  );
  const apart = findingsOfNeeds(storyboards);
  const unusable = new Set(apart.filter(({ findings }) => hasErrors(findings)).map(({ file }) => file));
  const named = versionOf(basename(resolve(folder)), files.index);
  const usable = storyboards.filter(({ file }) => !unusable.has(file));
  const findings = [
    ...found.map(({ file, findings }) => ({ file, findings })),
    ...apart,
    ...files.findings,
    ...findingsOfUnknown(unknown),
    ...named.findings,
  ];
  return {
    version: named.version,
    storyboards: inOrder(usable),
    findings: findings.filter((one) => one.findings.length > 0),
    digest: files.digest,
    ...(named.madeAt !== undefined && { madeAt: named.madeAt }),
    ...(schemas && { schemas }),
  };
}

interface Named extends Pick<Bundle, 'version' | 'madeAt' | 'findings'> {}

/** A folder is renamed and copied; what the index says was made with the bundle. */
function versionOf(name: string, index: BundleFiles['index']): Named {
  const version = isExactVersion(name) ? name : null;
  if (index === undefined) return { version, findings: [] };
  if (index === 'broken') return { version, findings: aboutIndex('index.json is not a JSON object') };
  const { version: said, madeAt } = index;
  const made = madeAt === undefined ? {} : { madeAt };
  if (said === undefined) return { version, ...made, findings: [] };
  if (!isExactVersion(said))
    return { version, ...made, findings: aboutIndex('adcp_version must have the form major.minor.patch') };
  const differs = version !== null && version !== said;
  const findings = differs ? aboutIndex(`adcp_version is ${said}, but the folder is named ${version}`) : [];
  return { version: said, ...made, findings };
}

function aboutIndex(message: string): readonly FileFindings[] {
  const where = { pointer: '', line: 1, column: 1 };
  const finding = { severity: 'warning' as const, code: 'bundle_version', ...where, message };
  return [{ file: 'index.json', findings: [finding] }];
}

interface Unknown extends UnknownName {
  readonly file: string;
}

/** One warning for each name, at the file that has it first, however many have it. */
function findingsOfUnknown(unknown: readonly Unknown[]): readonly FileFindings[] {
  const byName = Map.groupBy(unknown, ({ name }) => name);
  return [...byName].flatMap(([name, all]) => {
    const [first] = all;
    if (first === undefined) return [];
    const many = all.length === 1 ? '' : `, in ${all.length} files`;
    const message = `${name} is unknown and has no effect${many}; see limitations for what is not evaluated`;
    const finding = {
      severity: 'warning' as const,
      code: 'member_unknown',
      pointer: '',
      line: first.line,
      column: first.column,
      message,
    };
    return [{ file: first.file, findings: [finding] }];
  });
}

function groupOf(file: string, id: string): Group {
  const [top, second = ''] = file.split('/');
  if (top === 'universal') return { kind: 'universal' };
  if (top === 'protocols' || top === 'domains') {
    if (file.includes('/scenarios/')) return { kind: 'scenario' };
    return { kind: 'baseline', protocol: second.replace(/\.ya?ml$/, '').replaceAll('-', '_') };
  }
  // the folder of a specialism has its scenarios too: whoever declares it has to pass them all
  if (top === 'specialisms')
    return { kind: 'specialism', specialism: file.split('/').length > 2 ? second.replaceAll('-', '_') : id };
  return top === file ? { kind: 'universal' } : { kind: 'scenario' };
}

/** The versions of our own bundle of storyboards. */
export function shippedBundles(): readonly string[] {
  return readdirSync(FOLDER).filter(isExactVersion).toSorted();
}

const shipped = new Map<string, Promise<Bundle>>();

/** One of them, read when it is first asked for, and kept: the files of the release never change while the program runs. */
export function shippedBundle(version: string): Promise<Bundle> {
  const kept = shipped.get(version);
  if (kept !== undefined) return kept;
  const reading = readBundle(`${FOLDER}${version}`);
  shipped.set(version, reading);
  reading.catch(() => shipped.delete(version)); // the next one who asks reads again
  return reading;
}
