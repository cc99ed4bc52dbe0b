import { readSchema } from '../../base/ajv.ts';
import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import { ASSERT_CONTRIBUTION, isSpecial } from '../conversation/consent.ts';
import type { Step, Storyboard } from '../storyboard.ts';

/*
 * What is not understood is never a success: a storyboard can ask for something by a member that nobody here knows. The
 * schema of the format is the one list of what is known, at every level; `understood` there lists the values that are.
 */

/** A member or a value of a storyboard that has no effect here. */
export interface NotUnderstood {
  readonly pointer: string;
  /** `step.retry_trigger.colour`, or `step.negative_path: "perhaps"`. */
  readonly name: string;
}

/** Told of one file; a file with more is none that anybody wrote. */
const MAX_TOLD = 100;
const MAX_NAME = 100;

/** What is called after itself, and not after where it stands. */
const KINDS: Readonly<Record<string, string>> = { phases: 'phase', steps: 'step', validations: 'check' };

/** Members that only calls of tasks have an effect by. */
const OF_CALLS = ['validations', 'context_outputs', 'context_inputs', 'expect_error', 'negative_path'];

// The schema is shipped and never changes while the program runs.
let schema: JsonObject | undefined;

/** What a document that follows schemas/storyboard.json says beyond it, in the order of the file; pure. */
export function notUnderstood(document: JsonObject): readonly NotUnderstood[] {
  schema ??= readSchema('storyboard.json') as JsonObject;
  const found: NotUnderstood[] = [];
  look({ nodes: meant(schema), value: document, pointer: '', name: 'storyboard' }, found);
  return found;
}

interface Place {
  readonly nodes: readonly JsonObject[];
  readonly value: unknown;
  readonly pointer: string;
  readonly name: string;
}

/** The schema leads, so that it is as deep as that is; data that are sent or expected have no members there. */
function look({ nodes, value, pointer, name }: Place, found: NotUnderstood[]): void {
  if (Array.isArray(value)) {
    const items = nodes.flatMap(({ items: item }) => meant(item));
    if (items.length === 0) return;
    for (const [index, one] of value.entries())
      look({ nodes: items, value: one, pointer: `${pointer}/${index}`, name }, found);
  } else if (isObject(value)) lookInside({ nodes, value, pointer, name }, value, found);
  else {
    const known = nodes.flatMap(({ understood }) => elements(understood));
    if (known.length > 0 && !known.includes(value)) tell(`${name}: ${JSON.stringify(value)}`, pointer, found);
  }
}

function lookInside({ nodes, pointer, name }: Place, value: JsonObject, found: NotUnderstood[]): void {
  const sets = nodes.map(({ properties }) => properties).filter(isObject);
  if (sets.length === 0) return;
  const isCall = name !== 'step' || !(isSpecial(String(value.task)) || value.task === ASSERT_CONTRIBUTION);
  for (const [key, one] of Object.entries(value)) {
    if (key.startsWith('$')) continue;
    const at = pointerTo(pointer, key);
    const known = sets.flatMap((set) => (Object.hasOwn(set, key) ? [set[key]] : []));
    const isIdle = !isCall && OF_CALLS.includes(key) && !isOfContribution(value.task, key);
    if (known.length === 0 || isIdle) tell(`${name}.${key}`, at, found);
    else
      look(
        { nodes: known.flatMap(meant), value: one, pointer: at, name: KINDS[key] ?? `${name}.${key}` },
        found,
      );
  }
}

function isOfContribution(task: unknown, key: string): boolean {
  return task === ASSERT_CONTRIBUTION && key === 'validations';
}

function tell(name: string, pointer: string, found: NotUnderstood[]): void {
  if (found.length < MAX_TOLD) found.push({ pointer, name: name.slice(0, MAX_NAME) });
}

/** A schema with what it refers to, and each form that it allows. */
function meant(node: unknown): readonly JsonObject[] {
  if (!isObject(node)) return [];
  const named = typeof node.$ref === 'string' ? node.$ref.replace('#/$defs/', '') : undefined;
  return [
    node,
    ...(named === undefined ? [] : meant(member(schema?.$defs, named))),
    ...elements(node.oneOf).flatMap(meant),
  ];
}

/** Members that decide whether something runs at all; an unknown one is taken for a requirement that is not met. */
const GATES =
  /^(?:requires?|required|requirements?|prerequisites?|depends|skip|only|unless|when|if|gate|applies|applicable|condition)(?:_|$)/;

interface Unsupported {
  readonly unknownGates?: readonly string[];
  readonly notEvaluated?: readonly string[];
}

/** `storyboard.requires.colour` names the gate `requires`. */
function unsupportedOf(names: readonly string[]): Unsupported {
  const isGate = (name: string) => GATES.test(name.split('.')[1]?.split(':')[0] ?? '');
  const unknownGates = names.filter(isGate);
  const notEvaluated = names.filter((name) => !isGate(name));
  return {
    ...(unknownGates.length > 0 && { unknownGates }),
    ...(notEvaluated.length > 0 && { notEvaluated }),
  };
}

/** The storyboard with what this runner cannot evaluate noted where it stands: its own, of its phases, steps and checks. */
export function withUnsupported(storyboard: Storyboard, places: readonly NotUnderstood[]): Storyboard {
  const within = (prefix: string, below?: string) =>
    places
      .filter(({ pointer }) => pointer.startsWith(`${prefix}/`))
      .filter(({ pointer }) => below === undefined || !pointer.startsWith(`${prefix}/${below}/`))
      .map(({ name }) => name);
  const phases = storyboard.phases.map((phase, p) => ({
    ...phase,
    ...unsupportedOf(within(`/phases/${p}`, 'steps')),
    steps: phase.steps.map((step, s) => stepWithUnsupported(step, within, `/phases/${p}/steps/${s}`)),
  }));
  return { ...storyboard, ...unsupportedOf(within('', 'phases')), phases };
}

function stepWithUnsupported(
  step: Step,
  within: (prefix: string, below?: string) => readonly string[],
  at: string,
): Step {
  const validations = step.validations.map((one, index) => {
    const [name] = within(`${at}/validations/${index}`);
    return name === undefined ? one : { ...one, notEvaluated: name };
  });
  return { ...step, ...unsupportedOf(within(at, 'validations')), validations };
}
