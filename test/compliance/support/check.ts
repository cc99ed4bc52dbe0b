import type { JsonObject } from '../../../src/base/json.ts';
import type { TaskAnswer } from '../../../src/calling/connection.ts';
import { runCheck } from '../../../src/compliance/checks/table.ts';
import { payloadOf } from '../../../src/compliance/run/judge-step.ts';
import type { CheckResult } from '../../../src/compliance/step-result.ts';
import type { Validation } from '../../../src/compliance/storyboard.ts';
import type { VocabularyName } from '../../../src/protocol/vocabulary.ts';

const SENT = { status: 200, durationMs: 1, raw: '' };

/** An answer with these data. */
export function says(data: JsonObject): TaskAnswer {
  return { outcome: 'answered', data, ...SENT };
}

/** A refusal with this error, inside this payload. */
export function refuses(object: JsonObject, data?: JsonObject): TaskAnswer {
  const code = typeof object.code === 'string' ? { code: object.code } : {};
  return { outcome: 'refused', error: { ...code, message: 'no', object }, ...(data && { data }), ...SENT };
}

/** No answer of the protocol. */
export function fails(status?: number): TaskAnswer {
  const failure = { errorClass: 'http_error', message: 'answered badly' } as const;
  return {
    outcome: 'failed',
    failure: { ...failure, ...(status !== undefined && { status }) },
    durationMs: 1,
    raw: '',
    ...(status !== undefined && { status }),
  };
}

/** What a check knows beside the answer. */
interface Surroundings {
  readonly task?: string;
  readonly context?: JsonObject;
  /** Default: ours. */
  readonly demands?: VocabularyName;
  readonly request?: JsonObject;
  /** Answers of earlier steps by their ids. */
  readonly prior?: Readonly<Record<string, JsonObject>>;
  readonly tools?: readonly string[];
  /** Payloads of a step that sent its request several times. */
  readonly responses?: readonly JsonObject[];
}

/** Runs one check against an answer of `get_products`, or of another task. */
export function check(
  validation: Validation,
  answer: TaskAnswer,
  { task = 'get_products', context = {}, demands = 'proto', prior, tools, ...more }: Surroundings = {},
): CheckResult {
  const payload = payloadOf(answer);
  return runCheck({
    validation,
    answer,
    task,
    payload,
    version: '3.0.0',
    demands,
    context: new Map(Object.entries(context)),
    agentUrl: 'https://agent.example/mcp',
    ...more,
    ...(prior && { prior: new Map(Object.entries(prior)) }),
    ...(tools && { tools: new Set(tools) }),
  });
}
