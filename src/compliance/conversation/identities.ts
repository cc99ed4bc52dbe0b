import { randomBytes } from 'node:crypto';
import { parseObject } from '../../base/json.ts';
import { shakeHands } from '../../calling/connect.ts';
import type { AgentConnection, TaskAnswer, TaskContent } from '../../calling/connection.ts';
import { CallFailure } from '../../calling/failure.ts';
import { openSession } from '../../calling/session.ts';
import { failedContent } from '../../calling/task-answer.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import type { ProvenOrigin } from '../../domain/proven-origin.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GuardedFetch, Visit } from '../../ports/fetcher.ts';
import type { HeaderLine, HttpRequest } from '../../signing/message.ts';
import type { StepAuth } from '../storyboard.ts';
import type { RequestBudget } from './conversation.ts';

/** Puts signatures on what a fetch sends. */
export type Sign = (fetch: GuardedFetch) => GuardedFetch;

export interface IdentitiesOptions {
  readonly url: URL;
  readonly visit: Visit;
  /** Every connection stays there, whatever a card says in the middle of a run. */
  readonly origin: ProvenOrigin;
  readonly clock: Clock;
  readonly budget: RequestBudget;
  readonly protocols: readonly Protocol[];
  /** Of the handshakes, milliseconds. */
  readonly callMs: number;
  /** Bearer token of the run. */
  readonly auth?: string;
  readonly sign?: Sign;
}

/**
 * Those as whom a run speaks to one agent: each has a connection of its own, as servers bind sessions to credentials.
 * One is open at a time: the stream of an old MCP server takes one of the visit's two connections for itself.
 */
export interface Identities {
  /** Opened when it is asked for and is not the one that is open; the other one is closed. */
  connectionOf(auth: StepAuth): Promise<AgentConnection | CallFailure>;
  /** The same, opened anew: the agent has forgotten the session of the one that is open. */
  renewed(auth: StepAuth): Promise<AgentConnection | CallFailure>;
  /** A document as nobody: a JSON object, or why there is none. Never rejects, and never leaves the agent's origin. */
  document(url: string, callMs: number): Promise<TaskAnswer>;
  /** Sends a message as it is, with the run's token, and says how it was received. Rejects where no answer came. */
  post(
    message: HttpRequest,
    callMs: number,
  ): Promise<{ readonly status: number; readonly challenge?: string }>;
  close(): Promise<void>;
}

export function createIdentities(options: IdentitiesOptions): Identities {
  let open: { readonly key: string; readonly connection: Promise<AgentConnection | CallFailure> } | undefined;
  let spoken = options.protocols;
  const close = async () => {
    const connection = await open?.connection;
    open = undefined;
    if (connection !== undefined && !(connection instanceof CallFailure)) await connection.close();
  };
  const connectionOf = async (auth: StepAuth) => {
    const key = typeof auth === 'string' ? sameAs(auth, options) : `literal ${auth.literal}`;
    if (open?.key !== key) {
      await close();
      open = { key, connection: openAs(auth, options, spoken) };
    }
    const connection = await open.connection;
    if (!(connection instanceof CallFailure)) spoken = [connection.protocol];
    return connection;
  };
  return {
    connectionOf,
    async renewed(auth) {
      await close();
      return connectionOf(auth);
    },
    document: (url, callMs) => readDocument(options, url, callMs),
    post: (message, callMs) => post(options, message, callMs),
    close,
  };
}

async function post({ visit, budget, auth }: IdentitiesOptions, message: HttpRequest, callMs: number) {
  const own: readonly HeaderLine[] = auth === undefined ? [] : [['authorization', `Bearer ${auth}`]];
  const response = await budget.around(visit.fetch)(message.url, {
    method: message.method,
    headers: [...message.headers, ...own].map(([name, value]): [string, string] => [name, value]),
    ...(message.body !== undefined && { body: Uint8Array.from(message.body) }),
    redirect: 'error',
    signal: AbortSignal.any([visit.signal, AbortSignal.timeout(callMs)]),
  });
  await response.body?.cancel();
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, ...(challenge !== null && { challenge }) };
}

const DOCUMENT_BYTES = 64 * 1024;

async function readDocument(
  { visit, budget, clock }: IdentitiesOptions,
  url: string,
  callMs: number,
): Promise<TaskAnswer> {
  const began = clock.now();
  const took = () => Math.max(0, Math.round(clock.now() - began));
  try {
    const signal = AbortSignal.any([visit.signal, AbortSignal.timeout(callMs)]);
    const response = await budget.around(visit.fetch)(url, {
      headers: { accept: 'application/json' },
      signal,
    });
    const { status } = response;
    const raw = (await response.text()).slice(0, DOCUMENT_BYTES);
    const data = parseObject(raw);
    const content: TaskContent =
      response.ok && data !== undefined
        ? { outcome: 'answered', data }
        : failedContent(response.ok ? 'not_protocol' : 'http_error', `http ${status} and no JSON object`, {
            status,
          });
    return { ...content, status, durationMs: took(), raw };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const errorClass = error instanceof CallFailure ? error.errorClass : 'blocked';
    return { ...failedContent(errorClass, message), durationMs: took(), raw: '' };
  }
}

/** Without a key nothing is signed, so those with and without a signature are one. */
function sameAs(auth: Exclude<StepAuth, object>, { sign }: IdentitiesOptions): string {
  if (auth === 'signed') return 'given';
  return auth === 'unsigned' && sign === undefined ? 'given' : auth;
}

async function openAs(
  auth: StepAuth,
  { url, visit, origin, clock, budget, callMs, ...own }: IdentitiesOptions,
  protocols: readonly Protocol[],
): Promise<AgentConnection | CallFailure> {
  const token = tokenOf(auth, own.auth);
  const change = CHANGES.get(auth);
  const signs = auth === 'given' || auth === 'signed' || change !== undefined;
  const wrap = (fetch: GuardedFetch): GuardedFetch => {
    const counted = budget.around(fetch);
    if (!signs || own.sign === undefined) return counted;
    return own.sign(change === undefined ? counted : change(counted));
  };
  const session = openSession({
    url,
    visit,
    origin,
    clock,
    callMs,
    wrap,
    maxRequests: Number.POSITIVE_INFINITY, // the budget of the run counts
    ...(token !== undefined && { auth: token }),
  });
  return shakeHands(session, protocols);
}

function tokenOf(auth: StepAuth, given: string | undefined): string | undefined {
  if (typeof auth === 'object') return auth.literal;
  if (auth === 'none') return undefined;
  if (auth === 'invalid') return `invalid-${randomBytes(24).toString('hex')}`;
  if (auth === 'invalid_jwt')
    return [16, 32, 32].map((size) => randomBytes(size).toString('base64url')).join('.');
  return given;
}

/** The signature of another message: its form is right, and it does not hold. */
function breaking(fetch: GuardedFetch): GuardedFetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    const signature = headers.get('signature');
    const other = randomBytes(64).toString('base64');
    if (signature !== null) headers.set('signature', signature.replace(/:[^:]*:/, `:${other}:`));
    return fetch(input, { ...init, headers });
  };
}

/** The very same message twice; the answer to the second is the one that counts. */
function replaying(fetch: GuardedFetch): GuardedFetch {
  return async (input, init) => {
    const first = await fetch(input, init);
    await first.body?.cancel();
    return fetch(input, init);
  };
}

/** What becomes of a signed message before it is sent. */
const CHANGES: ReadonlyMap<StepAuth, (fetch: GuardedFetch) => GuardedFetch> = new Map<
  StepAuth,
  (fetch: GuardedFetch) => GuardedFetch
>([
  ['broken_signature', breaking],
  ['replayed_signature', replaying],
]);
