import { contentOf, type Known, nextCursorOf } from './content.ts';
import { failureOf, RegistryFailure } from './failure.ts';
import { OPERATIONS } from './generated/operations.ts';
import type { Operations } from './generated/types.ts';
import { type RetryLimits, withRetries } from './retries.ts';

/** The `operationId` of an operation of the API. */
export type OperationName = keyof typeof OPERATIONS & keyof Operations;
/**
 * Parameters of the path and the query by their names, and `body`. A parameter that may be repeated accepts one value or an
 * array: `accreditation: 'MRC'` is the same as `accreditation: ['MRC']`.
 */
export type InputOf<Name extends OperationName> = OneOrMore<Operations[Name]['input']>;
type OneOrMore<Input> = {
  [Key in keyof Input]: Key extends 'body'
    ? Input[Key]
    : Exclude<Input[Key], undefined> extends readonly (infer Value)[]
      ? Value | Input[Key]
      : Input[Key];
};
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

/** Operations with paginated answers. */
export type PagedName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends { readonly items: string } ? Name : never;
}[OperationName];
type ItemsMember<Name extends PagedName> = (typeof OPERATIONS)[Name] extends {
  readonly items: infer Member extends string;
}
  ? Member
  : never;
/** An item on the pages of an operation. */
export type ItemOf<Name extends PagedName> = Extract<
  AnswerOf<Name>,
  Record<ItemsMember<Name>, readonly unknown[]>
>[ItemsMember<Name>][number];

export interface ClientOptions extends Partial<RetryLimits> {
  /** The URL of the registry, `https://registry.example`, to which the paths of the API are appended. */
  readonly baseUrl: string;
  /** For operations of members and owners. It is sent to `baseUrl` only. */
  readonly apiKey?: string;
  /** Timeout of one attempt, including its answer, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Aborts the call and its waits; the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** The input is optional where it has no required field. */
type Input<Name extends OperationName> =
  Record<never, never> extends InputOf<Name>
    ? [input?: InputOf<Name>, options?: CallOptions]
    : [input: InputOf<Name>, options?: CallOptions];

export interface RegistryClient {
  /** One answer of one operation. Throws `RegistryFailure`, or the reason of the signal. */
  call<Name extends OperationName>(name: Name, ...input: Input<Name>): Promise<AnswerOf<Name>>;
  /** The answer of one operation as a stream, for long answers: `timeoutMs` applies until it begins. Throws as `call`. */
  open<Name extends OperationName>(name: Name, ...input: Input<Name>): Promise<Response>;
  /** All pages of an operation, from `cursor` or the first page on. Throws as `call`, during the iteration. */
  pages<Name extends PagedName>(
    name: Name,
    ...input: Input<Name>
  ): AsyncGenerator<AnswerOf<Name>, void, undefined>;
  /** The items on these pages, one after the other. */
  items<Name extends PagedName>(
    name: Name,
    ...input: Input<Name>
  ): AsyncGenerator<ItemOf<Name>, void, undefined>;
}

type AnyInput = Readonly<Record<string, unknown>>;
interface Sent extends Known {
  readonly method: string;
  readonly path: string;
}

interface Asked {
  readonly sent: Sent;
  readonly input: AnyInput;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

type Read<T> = (answer: Response, sent: Sent) => T | Promise<T>;

const DEFAULTS = { retries: 3, longestWaitMs: 30_000, timeoutMs: 30_000 };

/** A client of one registry, for browsers and for Node. It keeps no connection and no state of its own. */
export function createClient(options: ClientOptions): RegistryClient {
  const { baseUrl, apiKey, fetch = globalThis.fetch, ...limits } = { ...DEFAULTS, ...options };
  const base = new URL(baseUrl);
  const authorisation = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

  async function ask<T>({ sent, input, timeoutMs, signal }: Asked, read: Read<T>): Promise<T> {
    const { body, ...parameters } = input;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const ended = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]);
    try {
      const answer = await fetch(addressOf(base, sent.path, parameters), {
        method: sent.method,
        headers: {
          accept: 'application/json, */*;q=0.5',
          ...authorisation,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: ended,
      });
      if (!answer.ok) throw await failureOf(answer);
      return await read(answer, sent);
    } catch (cause) {
      if (cause instanceof RegistryFailure) throw cause;
      signal?.throwIfAborted();
      if (timeout.signal.aborted)
        throw new RegistryFailure('timed_out', `no answer within ${timeoutMs} ms`, { cause });
      throw new RegistryFailure('unreachable', `${base.origin} could not be reached`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  function askFor<T>(read: Read<T>) {
    return (
      name: OperationName,
      input: AnyInput = {},
      { signal, timeoutMs = limits.timeoutMs }: CallOptions = {},
    ): Promise<T> => {
      const sent: Sent = OPERATIONS[name];
      return withRetries(sent.method, limits, signal, async () => {
        signal?.throwIfAborted();
        return ask({ sent, input, timeoutMs, signal }, read);
      });
    };
  }
  const call = askFor(contentOf);
  const open = askFor((answer) => answer);

  async function* pages(name: PagedName, input: AnyInput = {}, callOptions: CallOptions = {}) {
    let cursor: unknown = input.cursor;
    do {
      const page = (await call(name, { ...input, cursor }, callOptions)) as AnyInput;
      yield page;
      const next = nextCursorOf(page);
      // a page that names itself as the next one would be read forever
      if (next !== undefined && next === cursor)
        throw new RegistryFailure('not_understood', `${name} returned the cursor of the same page`);
      cursor = next;
    } while (cursor !== undefined);
  }

  async function* items(name: PagedName, input?: AnyInput, callOptions?: CallOptions) {
    const { items: member } = OPERATIONS[name];
    for await (const page of pages(name, input, callOptions))
      yield* (page[member] ?? []) as readonly unknown[];
  }

  // the types and this table are generated from the same document
  return { call, open, pages, items } as unknown as RegistryClient;
}

function addressOf(base: URL, path: string, parameters: AnyInput): URL {
  const taken = new Set<string>();
  const filled = path.replace(/\{(\w+)\}/g, (_place, name: string) => {
    taken.add(name);
    return encodeURIComponent(String(parameters[name]));
  });
  const address = new URL(`${base.pathname.replace(/\/$/, '')}${filled}`, base);
  for (const [name, value] of Object.entries(parameters)) {
    if (taken.has(name) || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) address.searchParams.append(name, String(one));
  }
  return address;
}
