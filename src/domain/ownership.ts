import { normalHost } from './agent-url.ts';
import { registrableDomain } from './domain-name.ts';

/** A token as it is sent, or an OAuth client that gets one (RFC 6749, section 4.4). */
export type CredentialKind = 'bearer' | 'oauth_client_credentials';

/** Where a member shows that an agent's domain is theirs: a file on its host, or a record of its registrable domain. */
const PROOF_WAYS = ['file', 'dns'] as const;
export type ProofWay = (typeof PROOF_WAYS)[number];

/** The member that an agent is registered to, once control of its domain was proven. Times are epoch milliseconds. */
export interface Owner {
  readonly member: string;
  readonly provenAt: number;
  readonly via: ProofWay;
  /** Since when the proof is asked for again, as it is old. */
  readonly askedAgainAt?: number;
}

/** A text to publish, for one member and one agent. */
export interface Challenge {
  readonly agent: string;
  readonly member: string;
  readonly token: string;
  readonly expiresAt: number;
}

/** Where a challenge is looked for. */
export interface ProofPlaces {
  /** Always on the standard port: whoever may listen on another one of a machine need not own the host. */
  readonly fileUrl: string;
  /** Name of the TXT record; absent for an agent at an IP address. */
  readonly dnsName?: string;
}

/** How long a challenge may be proven: long enough for a change of DNS that somebody else has to make. */
export const CHALLENGE_MS = 7 * 86_400_000;

/** A proof is asked for again when it is older than this. */
export const PROOF_MS = 180 * 86_400_000;
/** So long an old proof still counts, from the moment at which it was asked for again. */
export const PROOF_GRACE_MS = 30 * 86_400_000;

/**
 * Until when an owner has to prove again, epoch milliseconds; undefined while nobody has asked. The grace begins with the
 * asking and not with the age, so that a clock that jumps ahead ends no ownership.
 */
export function proveAgainBy({ askedAgainAt }: Pick<Owner, 'askedAgainAt'>): number | undefined {
  return askedAgainAt === undefined ? undefined : askedAgainAt + PROOF_GRACE_MS;
}

/** The two places for an agent, by its canonical URL. */
export function proofPlaces(agent: string): ProofPlaces {
  const host = new URL(agent).hostname;
  const fileUrl = `https://${host}/.well-known/agent-registry-challenge.txt`;
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host);
  if (isAddress) return { fileUrl };
  return { fileUrl, dnsName: `_agent-registry.${registrableDomain(host)}` };
}

/** Whether a host is this machine itself: `localhost` (RFC 6761, section 6.3), 127.0.0.0/8, ::1. */
export function isLoopbackHost(host: string): boolean {
  const name = normalHost(host) ?? host;
  return /(^|\.)localhost$/.test(name) || /^127(\.\d+){3}$/.test(name) || name === '[::1]';
}

/** Whether the proof for an agent shows control of a whole domain: a file does for its host, a record for what is below it. */
export function provesDomain(domain: string, agent: string, via: ProofWay | undefined): boolean {
  const host = new URL(agent).hostname;
  return host === domain || (via === 'dns' && registrableDomain(host) === domain);
}
