import { type ComplyTestControllerResponse, isObject, member } from '@agent-registry/surface/agent-kit';

/** What a scenario did. */
export type ScenarioResult = Omit<ComplyTestControllerResponse, 'success' | 'error' | 'error_detail'>;

/** Why a scenario could not be carried out; an answer of the controller, not a refused task. */
export class ScenarioFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ScenarioFailed';
    this.code = code;
  }
}

/** What a scenario was given; anything at all. */
export type Params = Readonly<Record<string, unknown>>;

/** A member that must be a text. Throws a ScenarioFailed `INVALID_PARAMS`. */
export function textIn(params: Params, name: string): string {
  const value = member(params, name);
  if (typeof value === 'string' && value !== '' && value.length <= 2_000) return value;
  throw new ScenarioFailed('INVALID_PARAMS', `params.${name} must be a string`);
}

/** A member that must be one of these texts. Throws a ScenarioFailed `INVALID_PARAMS`. */
export function choiceIn<T extends string>(params: Params, name: string, choices: readonly T[]): T {
  const value = member(params, name);
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new ScenarioFailed('INVALID_PARAMS', `params.${name} must be one of ${choices.join(', ')}`);
}

/** A member that must be a number from `least` to `most`; `fallback` when it is left out. Throws a ScenarioFailed `INVALID_PARAMS`. */
export function numberIn(
  params: Params,
  name: string,
  [least, most]: readonly [number, number],
  fallback?: number,
): number {
  const value = member(params, name) ?? fallback;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new ScenarioFailed('INVALID_PARAMS', `params.${name} must be a number from ${least} to ${most}`);
}

/** A member that must be an object; undefined when it is left out. Throws a ScenarioFailed `INVALID_PARAMS`. */
export function objectIn(params: Params, name: string): Params | undefined {
  const value = member(params, name);
  if (value === undefined) return undefined;
  if (isObject(value)) return value;
  throw new ScenarioFailed('INVALID_PARAMS', `params.${name} must be an object`);
}
