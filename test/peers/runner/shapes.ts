import { isObject, pointerOf } from '../../../src/base/json.ts';
import { checkPublicError, checkPublicResponse } from '../../../src/protocol/public-shapes.ts';
import { isBound, type SchemaSet } from '../../../src/protocol/schema-set.ts';
import { taskNamed } from '../../../src/protocol/tasks.ts';

/** What the comparison of the field's schemas with our public shapes came to. */
export interface ShapeComparison {
  /** Answers that were checked against both. */
  readonly answers: number;
  /** Valid answers of which one value was changed, and that were checked against both. */
  readonly changed: number;
  /** Answers that one accepts and the other does not, one sentence each. */
  readonly differing: readonly string[];
}

/** How many valid answers of a task are changed, and how often each. */
const MAX_ANSWERS = 3;
const MAX_CHANGES = 600;

/** A set that is asked like the field's, and checks every answer against our public shapes too. */
export function compareShapes(field: SchemaSet): {
  readonly schemas: SchemaSet;
  readonly compared: () => ShapeComparison;
} {
  const differing = new Set<string>();
  const valid = new Map<string, unknown[]>();
  let answers = 0;
  let changed = 0;
  const compare = (path: string, payload: unknown, what: string) => {
    const ours = issuesOfOurs(path, payload);
    const theirs = field.check(path, payload);
    if (ours === undefined || theirs === undefined) return undefined;
    // a minimum of 0 is the one bound of ours
    const our = ours.find((issue) => !isBound(issue)) ?? (theirs.length === 0 ? ours[0] : undefined);
    const their = theirs.find((issue) => !isBound(issue) && issue.keyword !== 'additionalProperties');
    const isLooser = LOOSENED.some(
      ([file, place]) => path.endsWith(file) && place.test(their?.pointer ?? ''),
    );
    if (our !== undefined && their === undefined)
      differing.add(`${path}${what}: ours alone refuses ${our.pointer} ${our.message}`);
    if (their !== undefined && our === undefined && !isLooser)
      differing.add(`${path}${what}: theirs alone refuses ${their.pointer} ${their.message}`);
    return { isValid: theirs.length === 0 };
  };
  const schemas: SchemaSet = {
    ...field,
    check(path, payload) {
      const compared = compare(path, payload, '');
      if (compared !== undefined) answers += 1;
      const kept = valid.get(path) ?? [];
      if (compared?.isValid === true && kept.length < MAX_ANSWERS) valid.set(path, [...kept, payload]);
      return field.check(path, payload);
    },
  };
  return {
    schemas,
    compared: () => {
      for (const [path, payloads] of valid)
        for (const payload of payloads)
          for (const [place, other] of changesOf(payload)) {
            changed += 1;
            compare(path, other, ` with ${place}`);
          }
      return { answers, changed, differing: [...differing] };
    },
  };
}

function issuesOfOurs(path: string, payload: unknown) {
  if (path === 'core/error.json') return checkPublicError(payload);
  const task = taskNamed(/([a-z-]+)-response\.json$/.exec(path)?.[1] ?? '');
  return task && checkPublicResponse(task, payload);
}

/** Where ours accept more, because a later bundle of the lines 3.0 and 3.1 does (schemas/protocol/adcp/README.md). */
const LOOSENED: readonly (readonly [file: string, place: RegExp])[] = [
  ['get-adcp-capabilities-response.json', /^\/compliance_testing\/scenarios\//],
  ['get-products-response.json', /\/publisher_domain$/],
  // 3.0.26 requires it of sellers of media only
  ['get-adcp-capabilities-response.json', /^\/account\/supported_billing$/],
  // required in 3.0, not in 3.1
  ['preview-creative-response.json', /^\/expires_at$/],
  ['get-signals-response.json', /^\/signals\/\d+\/(?:data_provider|coverage_percentage|pricing_options)$/],
];

/** One value changed at a time: left out, or of another type. */
function* changesOf(payload: unknown): Generator<readonly [place: string, changed: unknown]> {
  let left = MAX_CHANGES;
  for (const steps of placesIn(payload)) {
    const place = pointerOf(steps);
    for (const [what, value] of [
      ['left out', undefined],
      ['another type', typeof valueAt(payload, steps) === 'string' ? 7 : 'text'],
      ['another text', 'no_such_value'],
    ] as const) {
      if (left === 0) return;
      left -= 1;
      yield [`${place} ${what}`, changedAt(payload, steps, value)];
    }
  }
}

type Steps = readonly (string | number)[];

/** Of a list only the first item is changed, and nothing in what the sender defines. */
function* placesIn(value: unknown, at: Steps = []): Generator<Steps> {
  const entries = Array.isArray(value)
    ? [[0, value[0]] as const]
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, item] of entries) {
    if (item === undefined || key === 'context' || key === 'ext') continue;
    yield [...at, key];
    yield* placesIn(item, [...at, key]);
  }
}

function valueAt(value: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value);
}

function changedAt(value: unknown, [step, ...rest]: Steps, to: unknown): unknown {
  if (step === undefined) return to;
  const change = (item: unknown) => changedAt(item, rest, to);
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      index === step ? (rest.length === 0 && to === undefined ? [] : [change(item)]) : [item],
    );
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([key, item]) =>
      key !== step ? [[key, item]] : rest.length === 0 && to === undefined ? [] : [[key, change(item)]],
    ),
  );
}
