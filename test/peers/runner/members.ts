import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../../src/base/json.ts';
import { readYaml } from '../../../src/base/yaml.ts';
import { isKnownCheck } from '../../../src/compliance/checks/table.ts';
import { readBundle } from '../../../src/compliance/storyboards/bundle.ts';
import { STORYBOARD_BOUNDS } from '../../../src/compliance/storyboards/bundle-files.ts';
import { readStoryboard } from '../../../src/compliance/storyboards/read-storyboard.ts';

/** Members whose inside is no part of the format: it is sent, expected, or for people, and there is nothing to know. */
const DATA: ReadonlySet<string> = new Set([
  ...['sample_request', 'sample_response', 'fixtures', 'context', 'value', 'filter'],
  ...['agent', 'caller', 'grading', 'permanent_advisory'],
]);

/** What the walk over the public bundle came to. */
export interface MemberWalk {
  /** `phases.steps.validations.path`: places of members, each counted once however many files have it. */
  readonly looked: number;
  /** Places where a member that nobody knows is told of, in the bundle as it is. */
  readonly told: readonly string[];
  /** Places where one could stand and nobody would hear of it. */
  readonly silent: readonly string[];
}

/**
 * Renames each member of the public bundle once, at every place where it has one and at whatever depth, and reads the file
 * again: the reader has to tell of the strange name. What it tells of the bundle as it is, is in `told`.
 */
export async function walkMembers(folder: string): Promise<MemberWalk> {
  const { storyboards, findings } = await readBundle(folder);
  const told = findings.flatMap(({ file, findings: own }) =>
    own.filter(({ code }) => code === 'member_unknown').map(({ message }) => `${file}: ${message}`),
  );
  const seen = new Set<string>();
  const silent: string[] = [];
  for (const { file } of storyboards) {
    const read = readYaml(readFileSync(join(folder, file), 'utf8'), STORYBOARD_BOUNDS);
    const document = 'value' in read && isObject(read.value) ? read.value : {};
    // inside of what is not known nobody looks
    const unknown = readStoryboard(JSON.stringify(document)).unknown.map(({ name }) =>
      name.split('.').at(-1),
    );
    const closed = new Set([...DATA, ...unknown]);
    for (const [place, strange] of renamed(document, '', closed)) {
      if (seen.has(place)) continue;
      seen.add(place);
      const { unknown: names, findings: faults } = readStoryboard(
        JSON.stringify(replaced(document, strange)),
      );
      const isTold = names.some(({ name }) => name.includes(STRANGE));
      if (!isTold && !faults.some(({ severity }) => severity === 'error')) silent.push(`${place} (${file})`);
    }
  }
  return { looked: seen.size, told, silent };
}

const STRANGE = 'strange_';

/** An object of the document, and the same with one member renamed. */
type Renamed = readonly [from: JsonObject, to: JsonObject];

function* renamed(
  value: unknown,
  place: string,
  closed: ReadonlySet<string | undefined>,
): Generator<readonly [string, Renamed]> {
  if (Array.isArray(value)) for (const item of value) yield* renamed(item, place, closed);
  if (!isObject(value) || (typeof value.check === 'string' && !isKnownCheck(value.check))) return;
  for (const [key, item] of Object.entries(value)) {
    const at = place === '' ? key : `${place}.${key}`;
    const entries = Object.entries(value).map(([name, one]) => [name === key ? STRANGE + name : name, one]);
    yield [at, [value, Object.fromEntries(entries) as JsonObject]];
    if (!closed.has(key)) yield* renamed(item, at, closed);
  }
}

function replaced(value: unknown, [from, to]: Renamed): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((item) => replaced(item, [from, to]));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, [from, to])]));
}
