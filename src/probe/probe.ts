import type { Protocol } from '../domain/agent-type.ts';
import type { Observation } from '../domain/observation.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { speakA2a } from './a2a.ts';
import { type Asked, ask } from './ask.ts';
import { isHopeless, mostTelling, ProbeFailure, settle } from './failure.ts';
import { CALL_MS, PROBE_MS } from './limits.ts';
import { speakMcp } from './mcp.ts';
import { redact } from './redact.ts';
import { openSession, type ProbeSession } from './session.ts';
import type { Spoken } from './spoken.ts';

export interface ProbeRequest {
  /** The URL to dial, as declared. */
  readonly url: string;
  /** The agent's identity: its canonical URL. */
  readonly key: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Bearer token; it goes to the agent's own origin only and stands in nothing that is returned. */
  readonly auth?: string;
  /** What is known beforehand: this protocol is tried first. */
  readonly hints?: { readonly protocol?: Protocol };
  /** The loopback origin that the user typed as the command's argument. */
  readonly openOrigin?: string;
  /** The whole probe, milliseconds. Default 30,000. */
  readonly deadlineMs?: number;
  /** One call, milliseconds. Default 10,000. */
  readonly callMs?: number;
  /** Stops the probe; what is then returned says nothing about the agent. */
  readonly signal?: AbortSignal;
}

type Result = Pick<Observation, 'health'> & Partial<Observation>;

/**
 * One visit to one agent: the handshake over MCP or A2A, its tools, and the capabilities task in either
 * vocabulary; nothing but reading. Never rejects for what the agent does; a TypeError when `url` is not absolute.
 */
export async function probeAgent(request: ProbeRequest): Promise<Observation> {
  const { clock, fetcher, openOrigin, signal } = request;
  const url = new URL(request.url);
  const visited = await fetcher.visit(
    {
      host: url.hostname,
      deadlineMs: request.deadlineMs ?? PROBE_MS,
      ...(signal && { signal }),
      ...(openOrigin !== undefined && { openOrigin }),
    },
    async (visit) => {
      const at = clock.now();
      const { auth, callMs = CALL_MS } = request;
      const session = openSession({ url, visit, clock, callMs, ...(auth !== undefined && { auth }) });
      const result = await speakAndAsk(session, request.hints?.protocol);
      return observe(request, session, at, result);
    },
  );
  return request.auth === undefined ? visited : redact(visited, request.auth);
}

async function speakAndAsk(session: ProbeSession, hint: Protocol | undefined): Promise<Result> {
  const spoken = await speak(session, hint);
  if (spoken instanceof ProbeFailure) return { health: offline(spoken) };
  try {
    return online(spoken, await ask(session, spoken));
  } finally {
    await spoken.close();
  }
}

/** The first protocol in which the handshake succeeds; else the failure that tells most. */
async function speak(session: ProbeSession, hint: Protocol | undefined): Promise<Spoken | ProbeFailure> {
  const failures: ProbeFailure[] = [];
  for (const handshake of hint === 'a2a' ? [speakA2a, speakMcp] : [speakMcp, speakA2a]) {
    const spoken = await settle(handshake(session));
    if (!(spoken instanceof ProbeFailure)) return spoken;
    failures.push(spoken);
    if (isHopeless(spoken)) break;
  }
  return mostTelling(failures);
}

/** A demand for credentials is an answer: the agent is online. */
function offline({ errorClass, message }: ProbeFailure): Observation['health'] {
  return { online: errorClass === 'auth_required', errorClass, error: message };
}

function online(spoken: Spoken, asked: Asked): Result {
  return {
    health: {
      online: true,
      responseTimeMs: spoken.responseTimeMs,
      ...(asked.toolsCount !== undefined && { toolsCount: asked.toolsCount }),
      ...(asked.resourcesCount !== undefined && { resourcesCount: asked.resourcesCount }),
      ...(asked.failure && { errorClass: asked.failure.errorClass, error: asked.failure.message }),
    },
    protocol: spoken.protocol,
    endpoint: spoken.endpoint,
    ...(asked.exposed && { exposed: asked.exposed }),
  };
}

function observe(request: ProbeRequest, session: ProbeSession, at: number, result: Result): Observation {
  return {
    agent: request.key,
    dialledUrl: request.url,
    at,
    durationMs: Math.max(0, Math.round(request.clock.now() - at)),
    ...result,
    steps: session.steps,
    findings: session.findings.list(),
    // a throttled attempt on the way to a good answer means nothing
    ...(session.retryAt !== undefined &&
      result.health.errorClass === 'http_error' && { retryAt: session.retryAt }),
  };
}
