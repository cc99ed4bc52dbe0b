import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection } from '@opensearch-project/opensearch';
import { EngineFault, indexUnavailable, isPassing, readFault } from './errors.ts';

export interface EngineOptions {
  /** Addresses of one cluster, tried in turn; `user:password@` may stand in each. */
  readonly nodes: readonly URL[];
  /** PEM of the authorities that are trusted instead of the system's. */
  readonly ca?: string;
  /** For a read as a whole, retries included, milliseconds. */
  readonly timeoutMs: number;
  /** How often a read is tried again within that time. */
  readonly retries: number;
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
}

/** The way to the engine: nothing else talks to it. */
export interface Engine {
  /** Its address without credentials, for people. */
  readonly place: string;
  readonly reads: Patience;
  /** The body of the answer. Rejects with an EngineFault, in time whatever the engine does. */
  send<T>(request: EngineRequest, patience: Patience): Promise<T>;
  /** The same for callers that have no use for the fault: it is a RegistryError `index_unavailable`. */
  ask<T>(request: EngineRequest, patience?: Patience): Promise<T>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 50;

export function createEngine(options: EngineOptions): Engine {
  const client = new Client({
    nodes: options.nodes.map((node) => nodeOptions(node, options.ca)),
    Connection: QuietConnection,
    maxRetries: 0, // the client knows no deadline over several attempts
    disablePrototypePoisoningProtection: true, // strict mappings: what a key is called is ours; the check costs
  });
  const place = options.nodes.map((node) => node.origin).join(',');
  const reads: Patience = { withinMs: options.timeoutMs, retries: options.retries };
  // a node that hangs must leave time for another one, where another one is asked
  const share = 1 / Math.min(options.nodes.length, 3);

  const send = async <T>(request: EngineRequest, { withinMs, retries }: Patience): Promise<T> => {
    const end = performance.now() + withinMs;
    const attemptMs = retries === 0 ? withinMs : withinMs * share;
    for (let attempt = 0; ; attempt++) {
      try {
        return await once<T>(client, request, end - performance.now(), attemptMs);
      } catch (thrown) {
        const fault = readFault(thrown, Date.now());
        const pause = Math.max(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()), fault.retryAfterMs);
        const isOver = attempt >= retries || performance.now() + pause >= end;
        if (isOver || !isPassing(fault)) throw fault;
        await wait(pause);
      }
    }
  };
  return {
    place,
    reads,
    send,
    async ask<T>(request: EngineRequest, patience: Patience = reads) {
      try {
        return await send<T>(request, patience);
      } catch (fault) {
        throw indexUnavailable(place, fault as EngineFault);
      }
    },
    close: () => client.close(),
  };
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

function nodeOptions(node: URL, ca: string | undefined) {
  const bare = new URL(node);
  bare.username = '';
  bare.password = '';
  const login = `${decodeURIComponent(node.username)}:${decodeURIComponent(node.password)}`;
  return {
    url: bare,
    ...(node.username !== '' && {
      headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    }),
    ...(ca !== undefined && { ssl: { ca } }),
  };
}

/** The client writes to stdout when a connection breaks after the head of an answer; our stdout is data. */
class QuietConnection extends Connection {
  override request(
    ...[params, callback]: Parameters<Connection['request']>
  ): ReturnType<Connection['request']> {
    const request = super.request(params, (error, response) => {
      callback(error, response);
      if (error !== null) return;
      request.removeAllListeners('error');
      request.on('error', () => {});
    });
    return request;
  }
}
