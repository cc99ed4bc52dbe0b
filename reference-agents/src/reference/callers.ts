import type { IncomingMessage } from 'node:http';
import {
  type Clock,
  createSignatureGate,
  type FoundKey,
  type KeyDirectory,
  type KeySource,
  messageOfRequest,
  type ReplayStore,
  unknownKey,
} from '@agent-registry/surface/agent-kit';
import { directOf } from '../web/direct.ts';
import { ANONYMOUS, type Caller } from './handler.ts';

/** A buying agent with which an account was opened: what it was given, and where its keys are. */
export interface KnownCaller {
  /** Of the agent, as its brand.json declares it. */
  readonly url: string;
  /** The domain that it acts for. */
  readonly operator: string;
  /** The bearer token that it was given. */
  readonly token: string;
  /** The brand.json that leads to its keys. */
  readonly brandJsonUrl: string;
  /** Where it takes the webhooks of this agent, as it was registered. */
  readonly webhookUrl?: string;
}

export type IdentifiedCaller =
  | { readonly ok: true; readonly caller: Caller }
  | {
      readonly ok: false;
      readonly code: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Finds out who sends a message. */
export interface Callers {
  /**
   * A token or a signature that is there has to hold; nobody becomes anonymous by breaking one, or by sending two
   * tokens. `origin` is the agent's public one. With `signed` an unsigned message is refused.
   */
  identify(
    request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
    origin: string,
    body: Uint8Array,
    signed: boolean,
  ): Promise<IdentifiedCaller>;
}

export interface CallersOptions {
  readonly known: readonly KnownCaller[];
  readonly keys: KeyDirectory;
  readonly replays: ReplayStore;
  readonly clock: Clock;
}

/** The callers of an agent: those that it knows, by their token, their signature, or both. */
export function createCallers({ known, keys, replays, clock }: CallersOptions): Callers {
  return {
    async identify(request, origin, body, signed) {
      const [authorization, ...more] = linesOf(request.rawHeaders, 'authorization');
      if (more.length > 0) return invalidToken(); // nobody is to guess which of them counts
      const bearer = bearerOf(authorization);
      const byToken = known.find(({ token }) => token === bearer);
      if (bearer !== undefined && byToken === undefined) return invalidToken();
      const signers = keysOfCallers(byToken === undefined ? known : [byToken], keys);
      const admit = createSignatureGate({
        kind: 'request',
        keys: signers,
        replays,
        clock,
        digest: 'required',
      });
      const admission = await admit(messageAt(request, origin, body), signed);
      if (!admission.admitted) return { ok: false, code: admission.code, headers: admission.headers };
      if (admission.signer !== undefined) return callerOf(signers.found() ?? byToken, true);
      return callerOf(byToken, false);
    },
  };
}

interface CallerKeys extends KeySource {
  /** Whose key was found. */
  found(): KnownCaller | undefined;
}

/**
 * The keys of several callers. A `kid` that two of them publish stands for neither: else one could sign in the
 * other's name. The price is that one can keep the other's bare signature from being heard; the other is heard again
 * when it sends its token too, as then its keys alone are asked.
 */
function keysOfCallers(callers: readonly KnownCaller[], directory: KeyDirectory): CallerKeys {
  let owner: KnownCaller | undefined;
  return {
    found: () => owner,
    async find(keyid) {
      const answers = await Promise.all(
        callers.map(async (caller) => ({
          caller,
          key: await directory.keysOf({ ...caller, kind: 'request' }).find(keyid),
        })),
      );
      const holders = answers.filter(({ key }) => key.found);
      const [first, second] = holders;
      if (second !== undefined)
        return unknownKey('several callers publish a key with this kid; send your token as well');
      owner = first?.caller;
      return first?.key ?? absence(answers.map(({ key }) => key));
    },
  };
}

/** A set that could not be fetched may hold the key: that is worth saying, as a retry may help. */
function absence(answers: readonly FoundKey[]): FoundKey {
  const away = answers.find((answer) => !answer.found && answer.fault === 'signature_jwks_unavailable');
  return away ?? answers[0] ?? unknownKey('no known caller publishes keys');
}

function callerOf(known: KnownCaller | undefined, signed: boolean): IdentifiedCaller {
  if (known === undefined) return { ok: true, caller: ANONYMOUS };
  const { url: id, operator, webhookUrl } = known;
  return { ok: true, caller: { id, operator, signed, ...(webhookUrl !== undefined && { webhookUrl }) } };
}

/** A message that came in directly was signed for the address that its sender knows. */
function messageAt(
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
  origin: string,
  body: Uint8Array,
) {
  const direct = directOf(request);
  if (direct === undefined) return messageOfRequest(request, origin, body);
  const { method, rawHeaders } = request;
  return messageOfRequest({ method, rawHeaders, url: direct.target }, direct.origin, body);
}

/** Node keeps the first of several such lines and says nothing of the others. */
function linesOf(rawHeaders: readonly string[], wanted: string): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === wanted);
}

function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (/^Bearer +([^ ].*)$/i.exec(header)?.[1] ?? '');
}

/** RFC 6750, section 3.1. */
function invalidToken(): IdentifiedCaller {
  return {
    ok: false,
    code: 'invalid_token',
    headers: { 'www-authenticate': 'Bearer realm="sandbox", error="invalid_token"' },
  };
}
