import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../../base/ajv.ts';
import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import type { Position } from '../../base/json-positions.ts';
import { readYaml, type YamlFault, type YamlText } from '../../base/yaml.ts';
import { type Finding, hasErrors } from '../../domain/finding.ts';
import { isKnownCheck } from '../checks/table.ts';
import { ASSERT_CONTRIBUTION, isSpecial } from '../conversation/consent.ts';
import type { Step, Storyboard } from '../storyboard.ts';
import { type BundleFiles, MAX_STORYBOARD_BYTES, STORYBOARD_BOUNDS } from './bundle-files.ts';
import { normalise } from './normalise-storyboard.ts';
import { reviewStoryboard } from './review-storyboard.ts';

/** A storyboard, absent when the file cannot be used, and what was found in it. */
export interface ReadStoryboard {
  readonly storyboard?: Storyboard;
  readonly findings: readonly Finding[];
  /** Members and values that have no effect, each once. */
  readonly unknown: readonly UnknownName[];
}

/** `step.retry_trigger.colour`, and where it stands first. */
export type UnknownName = Pick<NotUnderstood, 'name'> & Position;

const MAX_FINDINGS = 20;
// The schema is shipped and never changes while the program runs.
let compiled: ValidateFunction | undefined;
let schema: JsonObject | undefined;

/**
 * Reads a storyboard in the public YAML format. Findings of severity `error` make it unusable; a `warning` is a part
 * that has no effect, an unknown kind of check for example. Every finding has line, column and JSON Pointer.
 */
export function readStoryboard(
  text: string,
  { kits = new Map(), ...files }: Partial<Pick<BundleFiles, 'kits' | 'vectors' | 'vectorKeys'>> = {},
): ReadStoryboard {
  if (Buffer.byteLength(text) > MAX_STORYBOARD_BYTES) return { findings: [TOO_LARGE], unknown: [] };
  const yaml = readYaml(text, STORYBOARD_BOUNDS);
  if (!('value' in yaml)) return { findings: yaml.map(findingOfFault), unknown: [] };
  const wrong = schemaFindings(yaml);
  if (wrong.length > 0) return { findings: wrong, unknown: [] };
  const document = withVectors(yaml.value as JsonObject, files);
  const kit = String(member(document.prerequisites, 'test_kit'));
  const places = notUnderstood(document);
  const storyboard = withUnsupported(normalise(document, kits.get(kit)), places);
  const firsts = [...Map.groupBy(places, ({ name }) => name).values()].flatMap((all) => all.slice(0, 1));
  const unknown = firsts.map(({ name, pointer }) => ({ name, ...yaml.positionOf(pointer) }));
  const findings = reviewStoryboard(storyboard).map((finding) => ({
    ...finding,
    ...yaml.positionOf(finding.pointer),
  }));
  return hasErrors(findings) ? { findings, unknown } : { storyboard, findings, unknown };
}

/** The phases of the public storyboard of signatures have no steps: each vector of that folder is one. */
function withVectors(
  document: JsonObject,
  { vectors = new Map(), vectorKeys: keys = [] }: Partial<Pick<BundleFiles, 'vectors' | 'vectorKeys'>>,
): JsonObject {
  const phases = elements(document.phases).map((phase) => {
    const kind = /^(positive|negative)_vectors$/.exec(String(member(phase, 'id')))?.[1];
    if (kind === undefined || !isObject(phase) || phase.steps !== undefined) return phase;
    const own = [...vectors].filter(([name]) => name.startsWith(`${kind}/`));
    const steps = own.map(([name, vector]) => ({
      id: name.replace('/', '-'),
      title: `Signed request ${name}`,
      task: 'request_signing_probe',
      vector: { name, document: vector, keys },
    }));
    return { ...phase, steps };
  });
  const hasVectors = phases.some((phase, index) => phase !== elements(document.phases)[index]);
  // whoever does not say that it verifies signatures is not asked to
  const gate = hasVectors && { requires_capability: { path: 'request_signing.supported', equals: true } };
  return { ...gate, ...document, phases };
}

const TOO_LARGE = findingOfFault({
  code: 'file_too_large',
  message: `the file is larger than ${MAX_STORYBOARD_BYTES / 1024} KiB`,
  line: 1,
  column: 1,
});

function findingOfFault(fault: Omit<YamlFault, 'code'> & { readonly code: string }): Finding {
  return { severity: 'error', pointer: '', ...fault };
}

function schemaFindings(yaml: YamlText): readonly Finding[] {
  const validate = validator();
  if (validate(yaml.value)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf');
  const told = errors.length > 0 ? errors : (validate.errors ?? []);
  return told.slice(0, MAX_FINDINGS).map((error) => schemaFinding(error, yaml));
}

function schemaFinding(error: ErrorObject, yaml: YamlText): Finding {
  const { keyword, params, instancePath } = error;
  const missing = keyword === 'required' ? String(params.missingProperty) : undefined;
  const pointer = missing === undefined ? instancePath : pointerTo(instancePath, missing);
  return {
    severity: 'error',
    code: 'schema',
    pointer,
    ...yaml.positionOf(instancePath),
    message:
      missing === undefined ? `${instancePath || 'the file'} ${messageOf(error)}` : `${missing} is missing`,
    hint: hintAt(instancePath, yaml.value),
  };
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${elements(params.allowedValues).join(', ')}`;
  return message ?? 'is invalid';
}

/** People look for a step by its id sooner than by its number. */
function hintAt(pointer: string, root: unknown): string {
  const match = /^\/phases\/(\d+)(?:\/steps\/(\d+))?/.exec(pointer);
  const phase = match === null ? undefined : elements(member(root, 'phases'))[Number(match[1])];
  const step = match?.[2] === undefined ? undefined : elements(member(phase, 'steps'))[Number(match[2])];
  const names = [phase, step].flatMap((item) =>
    isObject(item) && typeof item.id === 'string' ? [item.id] : [],
  );
  const where = names.length === 0 ? '' : `in ${names.join('/')}; `;
  return `${where}see schemas/storyboard.json`;
}

function validator(): ValidateFunction {
  compiled ??= createAjv({ allErrors: true, strictRequired: false, keywords: ['understood'] }).compile(
    readSchema('storyboard.json'),
  );
  return compiled;
}

/*
 * What is not understood is never a success: a storyboard can ask for something by a member that nobody here knows. The
 * schema of the format is the one list of what is known, at every level; `understood` there lists the values that are.
 */

/** A member or a value of a storyboard that has no effect here. */
interface NotUnderstood {
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

/** What a document that follows schemas/storyboard.json says beyond it, in the order of the file; pure. */
function notUnderstood(document: JsonObject): readonly NotUnderstood[] {
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
  // an unknown kind is a finding of its own, and its fields say nothing more
  if (name === 'check' && !isKnownCheck(String(value.check))) return;
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
function withUnsupported(storyboard: Storyboard, places: readonly NotUnderstood[]): Storyboard {
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
