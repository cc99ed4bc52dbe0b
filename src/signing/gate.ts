import type { IncomingMessage } from 'node:http';
import type { Clock } from '../ports/clock.ts';
import type { Nonces } from '../records/counted-nonces.ts';
import type { KeySource } from './key-source.ts';
import type { HeaderLine, HttpRequest } from './message.ts';
import type { DigestRule, MessageKind, ProfileRule, SignatureCode } from './profile.ts';
import type { Revocations } from './revocations.ts';
import { type Signer, verifyMessage } from './verify.ts';

export interface GateOptions {
  readonly kind: MessageKind;
  /** Default `declared`. */
  readonly profile?: ProfileRule;
  readonly keys: KeySource;
  readonly replays: Nonces;
  readonly clock: Clock;
  readonly digest?: DigestRule;
  /** Asked for each message, so that a list can change while the agent runs. */
  readonly revoked?: () => Revocations;
}

/** What becomes of a message before the agent sees it. */
export type Admission =
  | { readonly admitted: true /** Absent: unsigned. */; readonly signer?: Signer }
  | {
      readonly admitted: false;
      readonly status: 401;
      readonly headers: { readonly 'www-authenticate': string };
      readonly code: SignatureCode;
      /** For the log; the caller is told the code alone. */
      readonly detail: string;
    };

/**
 * What stands before an agent: a function from a message, and whether it has to be signed, to who signed it or to
 * the answer that refuses it. A signature that is there is always judged, so that breaking one never makes a message
 * an unsigned one. Rejects when the replay store fails: then nothing may be let in.
 */
export type SignatureGate = (message: HttpRequest, required: boolean) => Promise<Admission>;

export function createSignatureGate({ clock, revoked, ...options }: GateOptions): SignatureGate {
  return async (message, required) => {
    const now = Math.floor(clock.now() / 1_000);
    const verdict = await verifyMessage(message, { ...options, now, ...(revoked && { revoked: revoked() }) });
    if (verdict.verified) return { admitted: true, signer: verdict.signer };
    const { code, detail } = verdict;
    if (code === `${options.kind}_signature_required` && !required) return { admitted: true };
    return {
      admitted: false,
      status: 401,
      headers: { 'www-authenticate': `Signature error="${code}"` },
      code,
      detail,
    };
  };
}

/**
 * The message of a Node request. The origin is the agent's own public one, as its operator knows it, and never what
 * the request says: a message that was signed for another host must not count here, so the gate compares `Host` with
 * it, and a request line with an origin of its own stands for no target at all. Repeated header lines stay apart.
 */
export function messageOfRequest(
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
  origin: string,
  body?: Uint8Array,
): HttpRequest {
  const headers: HeaderLine[] = [];
  for (let place = 0; place + 1 < request.rawHeaders.length; place += 2)
    headers.push([request.rawHeaders[place] ?? '', request.rawHeaders[place + 1] ?? '']);
  const target = request.url ?? '';
  const url = target.startsWith('/') ? origin.replace(/\/$/, '') + target : '';
  return { method: request.method ?? '', url, headers, ...(body && { body }) };
}
