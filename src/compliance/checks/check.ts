import type { JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
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
  /** The values of the run by name. */
  readonly context: ReadonlyMap<string, unknown>;
}

/** What came of it. `not_applicable` says that nothing could be looked at, which is never a pass. */
export type CheckVerdict =
  | { readonly result: 'pass'; readonly message: string; readonly pointer?: string }
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
export type Check = (input: CheckInput) => CheckVerdict;

export function notApplicable(message: string): CheckVerdict {
  return { result: 'not_applicable', message };
}
