import type { JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';
import { type Found, parsePath, resolvePath } from '../json-path.ts';
import type { Validation } from '../storyboard.ts';

/** What a check looks at. */
export interface CheckInput {
  /** With its placeholders filled in. */
  readonly validation: Validation;
  readonly task: string;
  readonly answer: TaskAnswer;
  /** The payload that paths lead into: the data, or that of a refusal; undefined when no answer of the protocol came. */
  readonly payload: JsonObject | undefined;
  /** The bundle by whose schemas answers are judged, `3.0.0` for example. */
  readonly version: string;
  /** The vocabulary whose schemas decide. */
  readonly demands: VocabularyName;
  /** The values of the run by name. */
  readonly context: ReadonlyMap<string, unknown>;
  /** As it was named. */
  readonly agentUrl: string;
  /** Those that the bundle is written for, where there are any: they judge instead of ours. */
  readonly schemas?: SchemaSet;
  /** Which of them, as the step names it. */
  readonly responseSchema?: string;
  /** The request as it was sent. */
  readonly request?: JsonObject;
  /** Names of the tasks that the agent lists. Absent where the list may be incomplete, as on an A2A card. */
  readonly tools?: ReadonlySet<string>;
  /** The payloads of earlier steps that passed, by step id. */
  readonly prior?: ReadonlyMap<string, JsonObject>;
}

/** What came of it. `not_applicable` says that nothing could be looked at, which is never a pass. */
export type CheckVerdict =
  | {
      readonly result: 'pass';
      readonly message: string;
      readonly pointer?: string;
      /** Something could be better, and nothing that the protocol's readers need is missing. */
      readonly advice?: true;
    }
  | {
      readonly result: 'fail';
      /** One sentence: what was expected and what came instead; never repeats a value of the agent. */
      readonly message: string;
      readonly pointer?: string;
      readonly expected?: unknown;
      readonly actual?: unknown;
    }
  | { readonly result: 'not_applicable'; readonly message: string };

/** Pure. */
export type CheckFunction = (input: CheckInput) => CheckVerdict;

export function notApplicable(message: string): CheckVerdict {
  return { result: 'not_applicable', message };
}

/** The places of a check's path in the payload, or the verdict that there is no payload or no path. */
export function checkedPlaces(input: CheckInput): readonly Found[] | CheckVerdict {
  const { payload, answer } = input;
  const path = pathOf(input);
  const steps = path === undefined ? undefined : parsePath(path);
  if (steps === undefined) return notApplicable('the check has no path');
  if (payload === undefined)
    return { result: 'fail', message: `${path} was looked for, and there is no payload: ${answer.outcome}` };
  return resolvePath(payload, steps);
}

/** Where the check looks: an agent of the public vocabulary may have it in another place. */
export function pathOf({ validation, demands }: CheckInput): string | undefined {
  return demands === 'adcp' ? (validation.public_path ?? validation.path) : validation.path;
}

/** The values that a check allows: `allowed_values`, or the one `value`; none when it says neither. */
export function allowedOf({ validation }: CheckInput): readonly unknown[] {
  const { allowed_values: allowed } = validation;
  if (allowed !== undefined) return allowed;
  return Object.hasOwn(validation, 'value') ? [validation.value] : [];
}

/** `expected` as it is shown: the one value, or the list. */
export function expectedOf(allowed: readonly unknown[]): unknown {
  return allowed.length === 1 ? allowed[0] : allowed;
}

/** A failure at a place, with what is there. */
export function failAt(found: Found, message: string, expected?: unknown): CheckVerdict {
  return {
    result: 'fail',
    message,
    pointer: found.pointer,
    ...(expected !== undefined && { expected }),
    ...(found.present && { actual: found.value }),
  };
}

/** How a place is named in a sentence. */
export function nameOf({ pointer }: Found): string {
  return pointer === '' ? 'the answer' : pointer;
}
