import type { Problem } from './generated/types.ts';

/** What ends a call without an answer: a code of the registry's problems, or one of these three. */
export type FailureCode =
  | Problem['code']
  /** The registry could not be reached, or the connection broke. */
  | 'unreachable'
  /** It did not answer in `timeoutMs`. */
  | 'timed_out'
  /** What answered is no registry, or something stands before it. */
  | 'not_understood';

interface FailureParts {
  readonly status?: number;
  readonly problem?: Problem;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
  /** Default: what the code says. */
  readonly hint?: string;
}

/** Why a call gave no answer: a stable code, one sentence, and what to do about it. */
export class RegistryFailure extends Error {
  readonly code: FailureCode;
  /** What to do about it, one sentence. */
  readonly hint: string;
  /** Of the HTTP answer; absent where there was none. */
  readonly status: number | undefined;
  /** The whole body, where the registry explained itself (RFC 9457). */
  readonly problem: Problem | undefined;
  /** How long the registry asked to wait, milliseconds. */
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

/** An answer that is not 2xx, with what it says of itself. */
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
    `the answer was ${status}, without a problem of a registry`,
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
  if (code === 'unreachable') return 'check the address of the registry and the network between';
  if (code === 'timed_out') return 'ask for less, or give the call a longer `timeoutMs`';
  if (code === 'not_understood') return 'check that the address is that of a registry';
  if (problem?.valid_values !== undefined) return `use one of: ${problem.valid_values.join(', ')}`;
  if (problem?.parameter !== undefined) return `correct the parameter "${problem.parameter}"`;
  if (problem?.required_scope !== undefined) return `use a key with the scope "${problem.required_scope}"`;
  if (code === 'invalid_key') return 'give `apiKey` a key that is not revoked and has not expired';
  if (retryAfterMs !== undefined) return `ask again in ${Math.ceil(retryAfterMs / 1_000)} seconds`;
  if (problem?.request_id !== undefined) return `tell the operator the request id ${problem.request_id}`;
  if (problem?.status === 501) return 'do without it, or ask the operator of the registry for it';
  if (problem?.status === 404) return 'check what was asked for: the registry does not know it';
  return (problem?.status ?? 500) < 500 ? 'change what is asked, as the message says' : 'ask again later';
}
