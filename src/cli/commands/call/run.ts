import { createRedact } from '../../../base/redact.ts';
import { callByName, withConnection } from '../../../calling/connect.ts';
import { CallFailure } from '../../../calling/failure.ts';
import type { CallSession } from '../../../calling/session.ts';
import { asRefusal, unconnectedAnswer } from '../../../calling/task-answer.ts';
import { systemClock } from '../../../compose/clock.ts';
import { composeFetcher } from '../../../compose/network.ts';
import type { GuardedFetch } from '../../../ports/fetcher.ts';
import type { Issue } from '../../../protocol/issues.ts';
import { checkResponse } from '../../../protocol/read-request.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { namedAgentUrl, readCredential } from '../../input/arguments.ts';
import { signingFetchOf } from '../../input/signing-key.ts';
import { onInterrupt } from '../../interrupt.ts';
import { note } from '../../output/print.ts';
import { configOf, networkOf } from '../../setup/settings.ts';
import type { CallFlags } from './flags.ts';
import { type CallReport, type MadeCall, printCall, printUnsent } from './print.ts';
import { buildTaskRequest, type TaskRequest } from './request.ts';

/** Largest answer, bytes after decompression. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** For the whole visit beside the call itself, milliseconds: the handshakes have their own limit below it. */
const HANDSHAKE_MS = 30_000;

/** What was typed. */
interface CallArguments {
  readonly url: string;
  readonly task: string;
  readonly fields: readonly string[];
}

interface Sending {
  readonly auth: string | undefined;
  readonly wrap: ((fetch: GuardedFetch) => GuardedFetch) | undefined;
  readonly signal: AbortSignal;
}

/**
 * `agent-registry call`: 0 when the agent answered by the schema, 1 when the request or the answer does not follow it or the
 * agent refused, 4 when no answer of the protocol came.
 */
export async function callTask(args: CallArguments, flags: CallFlags): Promise<ExitCode> {
  namedAgentUrl(args.url, 'called');
  const auth = await readCredential(flags, args.url);
  const wrap = await signingFetchOf(flags);
  const request = await buildTaskRequest({
    ...args,
    validate: flags.validate,
    ...(flags.json !== undefined && { file: flags.json }),
  });
  if (request.problem !== undefined) {
    printUnsent(args, request.problem, flags.format === 'json');
    return EXIT.findings;
  }
  announce(args.task, request);
  const interrupt = onInterrupt();
  try {
    const report = await call(args, flags, request, { auth, wrap, signal: interrupt.signal });
    if (interrupt.signal.aborted) return EXIT.interrupted;
    printCall(report, flags.raw ? 'raw' : flags.format);
    return exitCodeOf(report);
  } finally {
    interrupt.dispose();
  }
}

/** Said before anything is sent: whoever has to repeat a call that was cut off needs its key. */
function announce(task: string, { known, madeKey }: TaskRequest): void {
  if (known === undefined)
    note(`${task} is not a task of the protocol: request and answer are not validated`);
  if (madeKey !== undefined) note(`generated for this call; to repeat it, use idempotency_key=${madeKey}`);
}

async function call(
  { url, task }: CallArguments,
  flags: CallFlags,
  request: TaskRequest,
  { auth, wrap, signal }: Sending,
): Promise<CallReport> {
  const config = configOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const callMs = flags.timeout * 1_000;
  const visit = {
    url,
    fetcher,
    clock: systemClock,
    callMs,
    deadlineMs: callMs + HANDSHAKE_MS,
    openOrigin: url,
    signal,
    ...(flags.protocol !== undefined && { protocols: [flags.protocol] }),
    ...(auth !== undefined && { auth }),
    ...(wrap !== undefined && { wrap }),
  };
  try {
    const report = await withConnection(visit, async (connection, session) => {
      const { steps } = session;
      const findings = session.findings.list();
      if (connection instanceof CallFailure)
        return reportOf(
          { url, name: task, answer: unconnectedAnswer(atTyped(connection, session)), steps, findings },
          request,
        );
      const { protocol, endpoint } = connection;
      const called = await callByName(connection, task, request.payload, { maxBytes: MAX_ANSWER_BYTES });
      const { name } = called;
      const answer = asRefusal(called.answer);
      return reportOf({ url, name, answer, protocol, endpoint, steps, findings }, request);
    });
    return createRedact(auth === undefined ? [] : [auth])(report); // what an agent says in the handshake may echo the token too
  } finally {
    await fetcher.close();
  }
}

/** What the address that was typed says, and not one that was tried beside it; who wants credentials is heard anyway. */
function atTyped(failure: CallFailure, { url, failureAt }: CallSession): CallFailure {
  return failure.errorClass === 'auth_required' ? failure : (failureAt(url.href) ?? failure);
}

function reportOf(made: MadeCall, { known, version, madeKey }: TaskRequest): CallReport {
  const { answer } = made;
  const issues: readonly Issue[] =
    known === undefined || answer.outcome !== 'answered' ? [] : checkResponse(known, answer.data, version);
  return { ...made, issues, ...(madeKey !== undefined && { idempotencyKey: madeKey }) };
}

function exitCodeOf({ answer, issues }: CallReport): ExitCode {
  if (answer.outcome === 'failed') return EXIT.unanswered;
  return answer.outcome === 'answered' && issues.length === 0 ? EXIT.ok : EXIT.findings;
}
