import { isObject, member, pointerTo } from '../../base/json.ts';
import { type CheckFunction, notApplicable } from './check.ts';

/** Top-level fields that describe one response: a replay may have others. `ext` belongs to the agent's vendor. */
const OF_ONE_RESPONSE: ReadonlySet<string> = new Set([
  'replayed',
  'context',
  'context_id',
  'correlation_id',
  'request_id',
  'timestamp',
  'message',
  'ext',
]);

/** A place where two answers differ. */
interface Difference {
  readonly pointer: string;
  readonly first: unknown;
  readonly second: unknown;
}

/**
 * `replay_equals`: the answer equals that of an earlier step, whole (universal/idempotency.yaml 3.0: a retry with the same
 * key gets the cached response).
 */
export const replayEquals: CheckFunction = ({ validation: { step }, prior, answer }) => {
  if (step === undefined) return notApplicable('the check names no step');
  const first = prior?.get(step);
  if (first === undefined) return notApplicable(`the step ${step} did not pass, so there is no first answer`);
  if (answer.outcome !== 'answered')
    return { result: 'fail', message: 'the retry was not answered', expected: 'the first answer' };
  const difference = firstDifference(whole(first), whole(answer.data));
  if (difference === undefined)
    return { result: 'pass', message: `the answer equals that of the step ${step}` };
  const { pointer, first: expected = 'nothing', second: actual } = difference;
  const message = `${pointer} differs from the first answer, that of the step ${step}`;
  return { result: 'fail', message, pointer, expected, ...(actual !== undefined && { actual }) };
};

function whole(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !OF_ONE_RESPONSE.has(name)));
}

/** Where two JSON values differ first; the order of fields does not matter. */
function firstDifference(first: unknown, second: unknown, pointer = ''): Difference | undefined {
  for (const name of commonShape(first, second) ?? []) {
    const found = firstDifference(at(first, name), at(second, name), pointerTo(pointer, name));
    if (found !== undefined) return found;
  }
  const isSame = commonShape(first, second) !== undefined || first === second;
  return isSame ? undefined : { pointer, first, second };
}

/** The fields of two objects, or the indexes of two lists; undefined for values that are not compared by parts. */
function commonShape(first: unknown, second: unknown): readonly (string | number)[] | undefined {
  if (Array.isArray(first) && Array.isArray(second))
    return Array.from({ length: Math.max(first.length, second.length) }, (_, index) => index);
  if (!isObject(first) || !isObject(second)) return undefined;
  return [...new Set([...Object.keys(first), ...Object.keys(second)])];
}

function at(value: unknown, name: string | number): unknown {
  return Array.isArray(value) ? value[Number(name)] : member(value, String(name));
}
