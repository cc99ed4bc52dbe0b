import type { Finding } from '../../domain/finding.ts';
import type { Storyboard } from '../storyboard.ts';

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

export interface FileFindings {
  readonly file: string;
  readonly findings: readonly Finding[];
}

const RANK: Readonly<Record<Group['kind'], number>> = {
  universal: 0,
  baseline: 1,
  specialism: 2,
  scenario: 3,
};

/** What only all of them together can have wrong: two of one name, and needs that are not there or go in a circle. */
export function findingsOfNeeds(storyboards: readonly BundledStoryboard[]): readonly FileFindings[] {
  const byId = new Map<string, BundledStoryboard>();
  const findings: { file: string; findings: Finding[] }[] = [];
  const add = (file: string, finding: Finding) => findings.push({ file, findings: [finding] });
  for (const one of storyboards) {
    const first = byId.get(one.storyboard.id);
    if (first === undefined) byId.set(one.storyboard.id, one);
    else
      add(one.file, fault('duplicate_id', '/id', `duplicate id ${one.storyboard.id}, also in ${first.file}`));
  }
  for (const { file, storyboard } of byId.values()) {
    for (const id of needsOf(storyboard).filter((name) => !byId.has(name)))
      add(file, {
        ...fault('storyboard_unknown', '', `the required storyboard ${id} is missing`),
        severity: 'warning',
      });
  }
  for (const cycle of circlesIn(byId)) {
    for (const id of new Set(cycle)) {
      const { file } = byId.get(id) ?? { file: '' };
      const message = `circular dependency of ${id}: ${wayOf(cycle)}`;
      add(file, fault('prerequisite_cycle', '/prerequisites', message));
    }
  }
  return findings;
}

/** Universal ones first, then by file; each after the prerequisites that it has. */
export function inOrder(storyboards: readonly BundledStoryboard[]): readonly BundledStoryboard[] {
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

/** Each as the names along it, from one to itself. */
function circlesIn(byId: ReadonlyMap<string, BundledStoryboard>): readonly (readonly string[])[] {
  return [...findCycles(new Map([...byId].map(([id, { storyboard }]) => [id, needsOf(storyboard)])))];
}

function wayOf(cycle: readonly string[]): string {
  const shown = cycle.length <= 10 ? cycle : [...cycle.slice(0, 8), '…', ...cycle.slice(-1)];
  return shown.join(' → ');
}

function needsOf({ prerequisites, requiredScenarios }: Storyboard): readonly string[] {
  return [...new Set([...prerequisites, ...requiredScenarios])];
}

function fault(code: string, pointer: string, message: string): Finding {
  return { severity: 'error', code, pointer, line: 1, column: 1, message, hint: 'change one of the two ids' };
}

/** The first way round that leads back to its start, as names; undefined when there is none. Names that nothing has are no edges. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  return findCycles(edges).next().value;
}

/**
 * Ways round that share no name, each from one name to itself; what is left has none. Each edge is followed once, and
 * without recursion: names and depth are the file's, and files are strangers'.
 */
function* findCycles(edges: ReadonlyMap<string, readonly string[]>): Generator<readonly string[], undefined> {
  const done = new Set<string>();
  for (const start of edges.keys()) yield* walk(start, edges, done);
}

function* walk(
  start: string,
  edges: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): Generator<readonly string[], void> {
  const path: { readonly name: string; readonly rest: Iterator<string> }[] = [];
  const places = new Map<string, number>();
  const enter = (name: string) => {
    places.set(name, path.length);
    path.push({ name, rest: (edges.get(name) ?? []).values() });
  };
  const leave = (length: number): readonly string[] => {
    const left = path.splice(length).map(({ name }) => name);
    for (const name of left) {
      places.delete(name);
      done.add(name);
    }
    return left;
  };
  if (!done.has(start)) enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const following = top.rest.next();
    if (following.done) {
      leave(path.length - 1);
      continue;
    }
    const place = places.get(following.value);
    if (place !== undefined) yield [...leave(place), following.value];
    else if (!done.has(following.value) && edges.has(following.value)) enter(following.value);
  }
}
