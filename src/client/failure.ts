import type { Problem } from './generated/types.ts';

/** Why a call failed: a code of the registry's problems, or one of these three. */
export type FailureCode =
  | Problem['code']
  /** The registry could not be reached, or the connection broke. */
  | 'unreachable'
  /** No answer within `timeoutMs`. */
  | 'timed_out'
  /** The answer is not from a registry, but for example from a proxy. */
  | 'not_understood';

interface FailureParts {
  readonly status?: number;
  readonly problem?: Problem;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
  /** Default: the hint of the code. */
  readonly hint?: string;
}

/** A failed call: a stable code, one sentence, and what to do. */
export class RegistryFailure extends Error {
  readonly code: FailureCode;
  /** What to do, in one sentence. */
  readonly hint: string;
  /** Status of the HTTP answer; absent without one. */
  readonly status: number | undefined;
  /** The whole body, if it is a problem of the registry (RFC 9457). */
  readonly problem: Problem | undefined;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: FailureCode, message: string, parts: FailureParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'RegistryFailure';
    this.code = code;
    this.status = parts.status;
    this.problem = parts.problem;
    this.retryAfterMs = parts.retryAfterMs;
    this.hint = parts.hint ?? hintOf(this);
  }
}

/** The failure of an answer that is not 2xx. */
export async function failureOf(answer: Response): Promise<RegistryFailure> {
  const { status } = answer;
  const retryAfterMs = waitAsked(answer.headers.get('retry-after'), Date.now());
  const parts = { status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = isProblem ? await readProblem(answer) : undefined;
  if (problem !== undefined) return new RegistryFailure(problem.code, problem.detail, { ...parts, problem });
  if (!isProblem) await answer.body?.cancel();
  return new RegistryFailure(
    'not_understood',
    `HTTP ${status} without a problem document of a registry`,
    parts,
  );
}

async function readProblem(answer: Response): Promise<Problem | undefined> {
  const body: unknown = await answer.json().catch(() => undefined);
  const { code, detail } = (body ?? {}) as Partial<Record<keyof Problem, unknown>>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as Problem) : undefined;
}

/** Seconds, or a date (RFC 9110, section 10.2.3), as milliseconds from `now`. */
function waitAsked(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds * 1_000));
}

function hintOf({ code, problem, retryAfterMs }: RegistryFailure): string {
  if (code === 'unreachable') return 'check `baseUrl` and the network connection';
  if (code === 'timed_out') return 'request less, or increase `timeoutMs`';
  if (code === 'not_understood') return 'check that `baseUrl` is the URL of a registry';
  if (code === 'unknown_agent') return 'check the URL, or find the agent with `searchAgents`';
  if (problem?.valid_values !== undefined) return `use one of: ${problem.valid_values.join(', ')}`;
  if (problem?.parameter !== undefined) return `correct the parameter "${problem.parameter}"`;
  if (problem?.required_scope !== undefined) return `use a key with the scope "${problem.required_scope}"`;
  if (code === 'invalid_key') return 'set `apiKey` to a key that is not revoked or expired';
  if (retryAfterMs !== undefined) return `retry in ${Math.ceil(retryAfterMs / 1_000)} seconds`;
  if (problem?.request_id !== undefined) return `report the request id ${problem.request_id} to the operator`;
  if (problem?.status === 501) return 'this registry does not offer the operation';
  if (problem?.status === 404) return 'check the URL, domain or id: the registry does not know it';
  return (problem?.status ?? 500) < 500 ? 'correct the request as the message says' : 'retry later';
}
