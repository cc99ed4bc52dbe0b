import { Client, Connection } from '@opensearch-project/opensearch';
import { type LiveAddress, liveAddress } from '../../adapters/live-address.ts';
import { backOffMs, pause } from '../../base/back-off.ts';
import { type EngineError, engineError } from './errors.ts';

export interface EngineOptions {
  /** Addresses of the nodes of one cluster, with `user:password@` if it requires a login. */
  readonly nodes: readonly URL[];
  /** Reads the addresses again after OpenSearch denied access, because the password may have been changed. */
  readonly readNodes?: () => readonly URL[] | undefined;
  /** PEM of the authorities that are trusted instead of the system's. */
  readonly ca?: string;
  /** Deadline of a read including its retries, milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of retries of a read. */
  readonly retries: number;
  /** For commands: how long each request is repeated while OpenSearch is away or busy, milliseconds. Default: not at all. */
  readonly patienceMs?: number;
  /** Called for problems that are not reported as errors. */
  readonly onWarning?: (message: string) => void;
}

/** Options of the client for each request. */
export interface RequestOptions {
  readonly requestTimeout: number;
  readonly maxRetries: number;
}

/** Calls the client. The promises of the client can be aborted. */
export type Work<T> = (
  client: Client,
  options: RequestOptions,
) => Promise<T> & { readonly abort?: () => unknown };

/** The only access to OpenSearch. All methods reject with an EngineError. */
export interface Engine {
  /** The addresses without credentials, for messages. */
  readonly place: string;
  /** A read within `withinMs`, by default the deadline of a read. */
  read<T>(work: Work<T>, withinMs?: number): Promise<T>;
  /** A search whose answer is complete. `target` is an alias or an index. */
  query<T>(target: string, body: object): Promise<T>;
  /** A change of indices, aliases or settings. */
  change<T>(work: Work<T>, withinMs?: number): Promise<T>;
  /** Writes of documents, which can be repeated: retried until `withinMs` while OpenSearch is away or busy. */
  write<T>(work: Work<T>, withinMs: number): Promise<T>;
  close(): Promise<void>;
}

const CHANGE_MS = 30_000;
const CHANGE_RETRIES = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Of one request of a patient read: a node that is starting may never answer it. */
const PATIENT_READ_MS = 20_000;
/** Delay before the message that a request is being repeated. */
const SILENCE_MS = 3_000;

interface Limits {
  /** For one request, milliseconds. */
  readonly requestMs: number;
  /** For all requests together, milliseconds. */
  readonly withinMs: number;
  readonly maxRetries: number;
  /** Repeats the request until `withinMs` while OpenSearch is away or busy. */
  readonly isPatient: boolean;
}

export function createEngine(options: EngineOptions): Engine {
  const { patienceMs, onWarning } = options;
  const address = liveAddress(options.nodes, options.readNodes);
  const clients = new Map<readonly URL[], Client>();
  const clientOf = (nodes: readonly URL[]) => {
    const client = clients.get(nodes) ?? connect(nodes, options.ca);
    clients.set(nodes, client); // the client of the former password finishes its requests
    return client;
  };
  const place = options.nodes.map((node) => node.origin).join(',');
  // a node that hangs must leave time to ask another one
  const share = 1 / Math.min(options.nodes.length, 3);

  /**
   * The client retries at once on another connection, except after 429. The pauses of that, and of a patient caller, are
   * added here, as well as a deadline for all attempts together.
   */
  const call = async <T>(
    work: Work<T>,
    { requestMs, withinMs, maxRetries, isPatient }: Limits,
  ): Promise<T> => {
    const start = performance.now();
    let warn = onWarning;
    for (let failures = 1; ; failures++) {
      const refusal = address.cooldown();
      if (refusal !== undefined) throw refusal;
      const nodes = address.current();
      const leftMs = start + withinMs - performance.now();
      const requestTimeout = Math.ceil(Math.max(1, Math.min(leftMs, requestMs * share)));
      try {
        const running = work(clientOf(nodes), { requestTimeout, maxRetries });
        const answer = await inTime(running, leftMs);
        address.accepted();
        return answer;
      } catch (thrown) {
        const error = engineError(place, thrown, Date.now());
        if (hasRotated(address, nodes, error)) continue;
        const mayRepeat = isPatient || (error.status === 429 && failures <= maxRetries);
        const waitMs = Math.max(backOffMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), error.retryAfterMs);
        const waitedMs = performance.now() - start + waitMs;
        if (!error.isTransient || !mayRepeat || waitedMs >= withinMs) throw error;
        if (waitedMs > SILENCE_MS) {
          warn?.(`${error.message}; retrying for up to ${Math.ceil(withinMs / 1_000)} s`);
          warn = undefined;
        }
        await pause(waitMs);
      }
    }
  };
  const isPatient = patienceMs !== undefined;
  const patient = (ms: number) => ({ withinMs: Math.max(ms, patienceMs ?? 0), isPatient });
  const read: Engine['read'] = (work, withinMs = options.timeoutMs) => {
    const requestMs = isPatient ? Math.max(withinMs, PATIENT_READ_MS) : withinMs;
    return call(work, { requestMs, maxRetries: options.retries, ...patient(withinMs) });
  };
  return {
    place,
    read,
    async query(target, body) {
      const answer = await read((client, request) => {
        const timeout = `${request.requestTimeout}ms`;
        const whole = { allow_partial_search_results: false, timeout };
        return client.search({ index: target, body, ...whole }, request);
      });
      return answer.body as never;
    },
    change: (work, withinMs = CHANGE_MS) =>
      call(work, { requestMs: withinMs, maxRetries: CHANGE_RETRIES, ...patient(withinMs) }),
    write: (work, withinMs) =>
      call(work, { requestMs: withinMs, withinMs, maxRetries: CHANGE_RETRIES, isPatient: true }),
    async close() {
      for (const client of clients.values()) await client.close();
    },
  };
}

/** The client's own timeout ends with the head of a response. */
async function inTime<T>(running: ReturnType<Work<T>>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('no answer in time'));
      running.abort?.();
    }, ms);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether the credentials have changed since this request. Status 403 is of a user who is known and lacks a permission, so
 * other requests may still succeed.
 */
function hasRotated(address: LiveAddress<readonly URL[]>, used: readonly URL[], error: EngineError): boolean {
  if (error.status === 401) return address.refused(used, error);
  return error.code === 'index_denied' && address.changed(used);
}

function connect(nodes: readonly URL[], ca: string | undefined): Client {
  return new Client({
    nodes: nodes.map((node) => nodeOptions(node, ca)),
    Connection: QuietConnection,
    disablePrototypePoisoningProtection: true, // the mapping is strict, so all keys are ours; the check is slow
  });
}

/** The client does not decode a password in a URL. */
function nodeOptions(node: URL, ca: string | undefined) {
  const url = new URL(node);
  url.username = '';
  url.password = '';
  const login = `${decodeURIComponent(node.username)}:${decodeURIComponent(node.password)}`;
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  return {
    url,
    ...(node.username !== '' && { headers: { authorization } }),
    ...(ca !== undefined && { ssl: { ca } }),
  };
}

/** The client prints to stdout when a connection breaks after the head of a response; our stdout is data. */
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
