import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, hasErrors } from '../../domain/finding.ts';
import { RegistryError } from '../../errors.ts';
import type { Storyboard } from '../storyboard.ts';
import { findCycle } from './cycles.ts';
import { looksLikeStoryboard, readStoryboard } from './read-storyboard.ts';
import { MAX_FILE_BYTES } from './yaml-text.ts';

/** Why a storyboard is in a bundle: its folder says so. */
export type Group =
  | { readonly kind: 'universal' }
  | { readonly kind: 'baseline'; readonly protocol: string }
  | { readonly kind: 'specialism'; readonly specialism: string }
  | { readonly kind: 'scenario' };

export interface BundledStoryboard {
  readonly storyboard: Storyboard;
  readonly group: Group;
  /** Relative to the bundle. */
  readonly file: string;
}

export interface Bundle {
  /** Its folder's name where that is a version, `3.0.0`; else null. */
  readonly version: string | null;
  /** Each after what it needs. */
  readonly storyboards: readonly BundledStoryboard[];
  /** By file, for those with findings. */
  readonly findings: readonly { readonly file: string; readonly findings: readonly Finding[] }[];
}

const MAX_FILES = 2_000;

/**
 * Reads every storyboard under a folder. `universal/` is for every agent, `protocols/<protocol>/` for those that support
 * it (its `scenarios/` for whoever needs them), `specialisms/` and anything else named after a specialism for those that
 * declare it. A file that cannot be used is left out with its findings; other YAML files are no storyboards. Throws
 * `usage` for a folder that cannot be read.
 */
export async function readBundle(folder: string, version: string | null = null): Promise<Bundle> {
  const files = await yamlFiles(folder);
  const read = await Promise.all(files.map((file) => readOne(folder, file)));
  const found = read.filter((one) => one !== undefined);
  const storyboards = found.flatMap(({ file, storyboard }) =>
    storyboard === undefined ? [] : [{ file, storyboard, group: groupOf(file, storyboard.id) }],
  );
  const apart = crossFindings(storyboards);
  const unusable = new Set(apart.filter(({ findings }) => hasErrors(findings)).map(({ file }) => file));
  const usable = storyboards.filter(({ file }) => !unusable.has(file));
  const findings = [...found.map(({ file, findings }) => ({ file, findings })), ...apart];
  return {
    version,
    storyboards: inOrder(usable),
    findings: findings.filter((one) => one.findings.length > 0),
  };
}

interface ReadOne {
  readonly file: string;
  readonly storyboard?: Storyboard;
  readonly findings: readonly Finding[];
}

async function readOne(folder: string, file: string): Promise<ReadOne | undefined> {
  const bytes = await readFile(join(folder, file));
  const text = bytes.subarray(0, MAX_FILE_BYTES + 1).toString('utf8');
  if (!looksLikeStoryboard(text)) return undefined;
  return { file, ...readStoryboard(text) };
}

async function yamlFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted()
      .slice(0, MAX_FILES);
  } catch (cause) {
    throw new RegistryError('usage', `cannot read the folder of storyboards ${folder}`, {
      cause,
      hint: 'name a folder with storyboards as YAML files',
    });
  }
}

function groupOf(file: string, id: string): Group {
  const [top, second = ''] = file.split('/');
  if (top === 'universal') return { kind: 'universal' };
  if (top === 'protocols' || top === 'domains') {
    if (file.includes('/scenarios/')) return { kind: 'scenario' };
    return { kind: 'baseline', protocol: second.replace(/\.ya?ml$/, '').replaceAll('-', '_') };
  }
  if (top === 'specialisms' && !file.includes('/scenarios/')) return { kind: 'specialism', specialism: id };
  return top === file ? { kind: 'universal' } : { kind: 'scenario' };
}

/** What only all of them together can have wrong: two of one name, and needs that are not there or go in a circle. */
function crossFindings(storyboards: readonly BundledStoryboard[]): Bundle['findings'] {
  const byId = new Map<string, BundledStoryboard>();
  const findings: { file: string; findings: Finding[] }[] = [];
  const add = (file: string, finding: Finding) => findings.push({ file, findings: [finding] });
  for (const one of storyboards) {
    const first = byId.get(one.storyboard.id);
    if (first === undefined) byId.set(one.storyboard.id, one);
    else add(one.file, fault('duplicate_id', '/id', `${first.file} has the id ${one.storyboard.id} too`));
  }
  for (const { file, storyboard } of byId.values()) {
    for (const id of needsOf(storyboard).filter((name) => !byId.has(name)))
      add(file, {
        ...fault('storyboard_unknown', '', `it needs the storyboard ${id}, which is not here`),
        severity: 'warning',
      });
  }
  for (const cycle of circlesIn(byId)) {
    for (const id of new Set(cycle)) {
      const { file } = byId.get(id) ?? { file: '' };
      const message = `${id} needs itself in a circle: ${wayOf(cycle)}`;
      add(file, fault('prerequisite_cycle', '/prerequisites', message));
    }
  }
  return findings;
}

/** Each as the names along it, from one to itself. */
function circlesIn(byId: ReadonlyMap<string, BundledStoryboard>): readonly (readonly string[])[] {
  const edges = new Map([...byId].map(([id, { storyboard }]) => [id, needsOf(storyboard)]));
  const circles: (readonly string[])[] = [];
  for (let cycle = findCycle(edges); cycle !== undefined; cycle = findCycle(edges)) {
    circles.push(cycle);
    for (const id of cycle) edges.delete(id);
  }
  return circles;
}

function wayOf(cycle: readonly string[]): string {
  const shown = cycle.length <= 10 ? cycle : [...cycle.slice(0, 8), '…', ...cycle.slice(-1)];
  return shown.join(' → ');
}

function needsOf({ prerequisites, requiredScenarios }: Storyboard): readonly string[] {
  return [...new Set([...prerequisites, ...requiredScenarios])];
}

function fault(code: string, pointer: string, message: string): Finding {
  return { severity: 'error', code, pointer, line: 1, column: 1, message, hint: 'change one of the files' };
}

const RANK: Readonly<Record<Group['kind'], number>> = {
  universal: 0,
  baseline: 1,
  specialism: 2,
  scenario: 3,
};

/** Universal ones first, then by file; each after the prerequisites that it has. */
function inOrder(storyboards: readonly BundledStoryboard[]): readonly BundledStoryboard[] {
  const sorted = storyboards.toSorted((a, b) => RANK[a.group.kind] - RANK[b.group.kind]);
  const byId = new Map(sorted.map((one) => [one.storyboard.id, one]));
  const ordered = new Set<BundledStoryboard>();
  const place = (one: BundledStoryboard) => {
    if (ordered.has(one)) return;
    for (const id of one.storyboard.prerequisites) {
      const before = byId.get(id);
      if (before !== undefined) place(before);
    }
    ordered.add(one);
  };
  for (const one of sorted) place(one);
  return [...ordered];
}
