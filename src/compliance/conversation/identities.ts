import { randomBytes } from 'node:crypto';
import { parseObject } from '../../base/json.ts';
import { shakeHands } from '../../calling/connect.ts';
import type { AgentConnection, TaskAnswer } from '../../calling/connection.ts';
import { CallFailure } from '../../calling/failure.ts';
import { openSession, type Pause } from '../../calling/session.ts';
import { callStep, failedContent } from '../../calling/task-answer.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import type { ProvenOrigin } from '../../domain/proven-origin.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GuardedFetch, Visit } from '../../ports/fetcher.ts';
import type { RunCredential } from '../../ports/run-credential.ts';
import type { StepAuth } from '../storyboard.ts';
import type { RequestBudget } from './conversation.ts';
import type { RunToken } from './renewed-token.ts';

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
  readonly token?: RunToken;
  readonly sign?: Sign;
  /** Between two tries. Default: a timer. */
  readonly pause?: Pause;
}

/** Largest document, bytes. */
const DOCUMENT_BYTES = 64 * 1024;

/** The token of a credential, which is renewed within the visit where another can be had. */
export async function runToken(given: string | RunCredential, visit: Visit, clock: Clock): Promise<RunToken> {
  if (typeof given !== 'string' && given.renewal !== undefined) {
    const { renewedToken } = await import('./renewed-token.ts'); // few agents have an OAuth client
    return renewedToken(given, visit, clock);
  }
  const { token, sent = [] } = typeof given === 'string' ? { token: given } : given;
  const fixed = { current: async () => token, another: async () => false };
  return { ...fixed, seen: [token, ...sent], lost: undefined, heldMs: () => 0 };
}

/**
 * Those as whom a run speaks to one agent: each has a connection of its own, as servers bind sessions to credentials.
 * One is open at a time: the stream of an old MCP server takes one of the visit's two connections for itself.
 */
export interface Identities {
  /** Opened when it is asked for and is not the one that is open; the other one is closed. With `lane`, one of `openLanes`. */
  connectionOf(auth: StepAuth, lane?: number): Promise<AgentConnection | CallFailure>;
  /**
   * Further connections of one identity, for calls that are made at the same time; the function closes them. Undefined where
   * one cannot be opened, or keeps a connection of the visit for itself.
   */
  openLanes(auth: StepAuth, count: number): Promise<(() => Promise<void>) | undefined>;
  /** The same, opened again: the token has been renewed. */
  renewed(auth: StepAuth): Promise<AgentConnection | CallFailure>;
  /** Whether a call that was answered with 401 may be made again, `renewed`: there is another token since. */
  mayAskAgain(auth: StepAuth): Promise<boolean>;
  /** A JSON object of the agent's origin, read with GET and without credentials. Never rejects. */
  read(url: string, callMs: number): Promise<TaskAnswer>;
  /** Sends one request as it is, with the token of `auth` only; counted and confined as all are, and rejects as they do. */
  send(auth: StepAuth, url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export function createIdentities(options: IdentitiesOptions): Identities {
  const { token, visit, budget } = options;
  let open: { readonly key: string; readonly connection: Promise<AgentConnection | CallFailure> } | undefined;
  let spoken = options.protocols;
  const close = async () => {
    const connection = await open?.connection;
    open = undefined;
    if (connection !== undefined && !(connection instanceof CallFailure)) await connection.close();
  };
  const lanes: AgentConnection[] = [];
  const connectionOf = async (auth: StepAuth, lane?: number): Promise<AgentConnection | CallFailure> => {
    const ofLane = lane === undefined ? undefined : lanes[lane];
    if (ofLane !== undefined) return ofLane;
    const bearer = await tokenOf(auth, token);
    const who = typeof auth === 'string' ? sameAs(auth, options) : `literal ${auth.literal}`;
    const key = takesGiven(auth) ? `${who} ${bearer}` : who;
    if (open?.key !== key) {
      await close();
      open = { key, connection: openAs(auth, bearer, options, spoken) };
    }
    const connection = await open.connection;
    if (!(connection instanceof CallFailure)) spoken = [connection.protocol];
    else if (connection.status === 401 && (await mayAskAgain(auth))) return connectionOf(auth);
    return connection;
  };
  // what is signed wrongly, or not at all, is refused for that
  const mayAskAgain = async (auth: StepAuth) =>
    typeof auth === 'string' && sameAs(auth, options) === 'given' && (await token?.another()) === true;
  const closeLanes = async () => {
    for (const lane of lanes.splice(0)) await lane.close();
  };
  return {
    connectionOf,
    async openLanes(auth, count) {
      await closeLanes();
      for (let lane = 0; lane < count; lane += 1) {
        budget.beginStep();
        const opened = await openAs(auth, await tokenOf(auth, token), options, spoken, 'no standing stream');
        if (opened instanceof CallFailure) break;
        lanes.push(opened);
      }
      if (lanes.length === count) return closeLanes;
      await closeLanes();
      return undefined;
    },
    async renewed(auth) {
      await close();
      return connectionOf(auth);
    },
    mayAskAgain,
    read: (at, callMs) => readDocument(options, at, callMs),
    async send(auth, url, init) {
      const headers = new Headers(init.headers);
      const bearer = await tokenOf(auth, token);
      if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
      const signal = AbortSignal.any([visit.signal, ...(init.signal ? [init.signal] : [])]);
      return budget.around(visit.fetch)(url, { ...init, headers, signal });
    },
    async close() {
      await closeLanes();
      await close();
    },
  };
}

/** Without a key nothing is signed, so those with and without a signature are one. */
function sameAs(auth: Exclude<StepAuth, object>, { sign }: IdentitiesOptions): string {
  if (auth === 'signed') return 'given';
  return auth === 'unsigned' && sign === undefined ? 'given' : auth;
}

function readDocument(
  { url, visit, origin, clock, budget, pause }: IdentitiesOptions,
  at: string,
  callMs: number,
): Promise<TaskAnswer> {
  const wrap = (fetch: GuardedFetch) => budget.around(fetch);
  const session = openSession({ url, visit, origin, clock, callMs, wrap, ...(pause && { pause }) });
  const call = { task: 'get_document', at, payload: {}, options: { maxBytes: DOCUMENT_BYTES } };
  return callStep(session, call, async (signal) => {
    const response = await session.fetch(at, { headers: { accept: 'application/json' }, signal });
    const text = await response.text();
    if (!response.ok) throw new Error('no document'); // the session knows the status
    const data = parseObject(text);
    return data === undefined
      ? failedContent('not_protocol', `HTTP ${response.status} without a JSON object`)
      : { outcome: 'answered', data };
  });
}

async function openAs(
  auth: StepAuth,
  token: string | undefined,
  { url, visit, origin, clock, budget, callMs, pause, ...own }: IdentitiesOptions,
  protocols: readonly Protocol[],
  allowed?: 'no standing stream',
): Promise<AgentConnection | CallFailure> {
  const change = CHANGES.get(auth);
  const signs = auth === 'given' || auth === 'signed' || change !== undefined;
  const wrap = (fetch: GuardedFetch): GuardedFetch => {
    const counted = auth === 'invalid_basic' ? withBasic(budget.around(fetch)) : budget.around(fetch);
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
    ...(pause && { pause }),
    ...(token !== undefined && { auth: token }),
  });
  const connection = await shakeHands(session, protocols);
  const hasStream = session.steps.some(({ step, ok }) => ok && step === 'initialize (sse)');
  if (allowed === undefined || !hasStream || connection instanceof CallFailure) return connection;
  await connection.close();
  return new CallFailure('blocked', 'the connection has a standing stream');
}

/** With a random user name and password, which cannot be valid. */
function withBasic(fetch: GuardedFetch): GuardedFetch {
  const pair = `${randomBytes(12).toString('hex')}:${randomBytes(24).toString('hex')}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', authorization);
    return fetch(input, { ...init, headers });
  };
}

/** Its token is that of the run, whatever becomes of its signature. */
function takesGiven(auth: StepAuth): boolean {
  return typeof auth === 'string' && auth !== 'none' && !auth.startsWith('invalid');
}

async function tokenOf(auth: StepAuth, given: RunToken | undefined): Promise<string | undefined> {
  if (typeof auth === 'object') return auth.literal;
  if (auth === 'none' || auth === 'invalid_basic') return undefined;
  if (auth === 'invalid') return `invalid-${randomBytes(24).toString('hex')}`;
  if (auth === 'invalid_jwt')
    return [16, 32, 32].map((size) => randomBytes(size).toString('base64url')).join('.');
  return given?.current();
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
