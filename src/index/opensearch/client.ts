import type { Client } from '@opensearch-project/opensearch';
import { type LiveAddress, liveAddress } from '../../adapters/live-address.ts';
import { backOffMs, pause } from '../../base/back-off.ts';
import { connected } from './connected.ts';
import { EngineFault, indexUnavailable, isBlocked, isTransient, readFault } from './errors.ts';

export interface EngineOptions {
  /** Addresses of one cluster, tried in turn; `user:password@` may stand in each. */
  readonly nodes: readonly URL[];
  /** The same as they are by now, for some that may change while the process runs: read when the engine refuses ours. */
  readonly readNodes?: () => readonly URL[] | undefined;
  /** PEM of the authorities that are trusted instead of the system's. */
  readonly ca?: string;
  /** For a read as a whole, retries included, milliseconds. */
  readonly timeoutMs: number;
  /** How often a read is tried again within that time. */
  readonly retries: number;
  /**
   * For a command that would rather wait than fail: for how long each request is tried again at an engine that starts or
   * is busy, milliseconds; reads too.
   */
  readonly patienceMs?: number;
  /** Called for problems that no caller gets as an error. */
  readonly onWarning?: (message: string) => void;
}

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** Ready lines of a bulk request, instead of `body`. */
  readonly lines?: string;
}

export interface Patience {
  /** For all attempts together, milliseconds. */
  readonly withinMs: number;
  readonly retries: number;
  /** For one attempt at most, milliseconds. */
  readonly attemptMs?: number;
}

/** The way to the engine: nothing else talks to it. */
export interface Engine {
  /** Its address without credentials, for people. */
  readonly place: string;
  /** For what the API asks. */
  readonly reads: Patience;
  /** For listing generations while a caller waits. */
  readonly generationReads: Patience;
  /** For what the cluster's manager changes, which has more to do than a search. */
  readonly changes: Patience;
  /**
   * The body of the answer. Rejects with an EngineFault, in time whatever the engine does. `ensure` may throw one for an
   * answer that is not whole; it is asked for again then.
   */
  send<T>(request: EngineRequest, patience: Patience, ensure?: (answer: T) => void): Promise<T>;
  /** The same for callers that have no use for the fault: it is a RegistryError `index_unavailable`. */
  ask<T>(request: EngineRequest, patience?: Patience): Promise<T>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const GENERATION_READ_MS = 5_000;
const CHANGE_MS = 30_000;
/** What was sent into a node that starts may never be answered. */
const LONGEST_ATTEMPT_MS = 20_000;
/** Delay before the first message about waiting. */
const SILENCE_MS = 3_000;

export function createEngine(options: EngineOptions): Engine {
  const address = liveAddress(options.nodes, options.readNodes);
  const clients = new Map<readonly URL[], Client>();
  const clientOf = (nodes: readonly URL[]) => {
    const client = clients.get(nodes) ?? connected(nodes, options.ca);
    clients.set(nodes, client); // one that was rotated away finishes what it has under way
    return client;
  };
  const place = options.nodes.map((node) => node.origin).join(',');
  const { patienceMs, onWarning } = options;
  const patient: Patience | undefined = patienceMs === undefined ? undefined : waiting(patienceMs);
  const reads: Patience = patient ?? { withinMs: options.timeoutMs, retries: options.retries };
  // a node that hangs must leave time for another one, where another one is asked
  const share = 1 / Math.min(options.nodes.length, 3);

  const send = async <T>(
    request: EngineRequest,
    patience: Patience,
    ensure?: (answer: T) => void,
  ): Promise<T> => {
    const { withinMs, retries } = patience;
    const start = performance.now();
    const attemptMs = Math.min(
      retries === 0 ? withinMs : withinMs * share,
      patience.attemptMs ?? Number.POSITIVE_INFINITY,
    );
    let warn = onWarning;
    for (let attempt = 0; ; attempt++) {
      const refusal = address.spared();
      if (refusal !== undefined) throw refusal;
      const nodes = address.current();
      try {
        const leftMs = start + withinMs - performance.now();
        const answer = await once<T>(clientOf(nodes), request, leftMs, attemptMs);
        address.accepted();
        ensure?.(answer);
        return answer;
      } catch (thrown) {
        const fault = readFault(thrown, Date.now());
        if (hasRotated(address, nodes, fault)) continue;
        const waitMs = Math.max(pauseMs(attempt), fault.retryAfterMs);
        const waited = performance.now() - start;
        if (attempt >= retries || waited + waitMs >= withinMs || !isTransient(fault)) throw fault;
        if (waited + waitMs > SILENCE_MS) {
          warn?.(`${place}: ${fault.message}; retrying for up to ${Math.ceil(withinMs / 1_000)} s`);
          warn = undefined;
        }
        await pause(waitMs);
      }
    }
  };
  return {
    place,
    reads,
    generationReads: patient ?? { withinMs: GENERATION_READ_MS, retries: 3 },
    changes: patient ?? { withinMs: CHANGE_MS, retries: 3 },
    send,
    async ask<T>(request: EngineRequest, patience: Patience = reads) {
      try {
        return await send<T>(request, patience);
      } catch (fault) {
        throw indexUnavailable(place, fault as EngineFault);
      }
    },
    async close() {
      for (const client of clients.values()) await client.close();
    },
  };
}

/**
 * Whether there are other credentials by now than those that the engine did not take. It says 403 to a user whom it
 * knows and who may not do this, which says nothing of what else they may do.
 */
function hasRotated(address: LiveAddress<readonly URL[]>, used: readonly URL[], fault: EngineFault): boolean {
  if (fault.status === 401) return address.refused(used, fault);
  return fault.status === 403 && !isBlocked(fault) && address.changed(used);
}

function waiting(withinMs: number): Patience {
  return { withinMs, retries: Number.POSITIVE_INFINITY, attemptMs: LONGEST_ATTEMPT_MS };
}

/** With jitter. */
function pauseMs(attempt: number): number {
  return backOffMs(attempt + 1, FIRST_PAUSE_MS, LONGEST_PAUSE_MS) * (0.5 + Math.random());
}

/** One attempt. The client's own timeout ends with the head of an answer, so the clock that counts is ours. */
async function once<T>(
  client: Client,
  request: EngineRequest,
  leftMs: number,
  attemptMs: number,
): Promise<T> {
  const { method, path, query, body, lines } = request;
  const payload = lines === undefined ? { body } : { bulkBody: lines };
  const sent = client.transport.request({ method, path, querystring: { ...query }, ...payload } as never, {
    requestTimeout: Math.max(1, Math.min(attemptMs, leftMs)),
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new EngineFault('no answer in time'));
      sent.abort();
    }, leftMs);
  });
  try {
    return (await Promise.race([sent, late])).body as T;
  } finally {
    clearTimeout(timer);
  }
}
