import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CHALLENGE_MS, proofPlaces } from '../domain/ownership.ts';

/**
 * The invitation of whoever proves a domain. It is a secret of who asked for it; what is published for all to see is its
 * hash, so nobody who reads that can join with it. Nothing is kept of it: its seal says that it is ours, and until when.
 */
export interface DomainInvitation {
  readonly invitation: string;
  readonly domain: string;
  /** The text to publish. */
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

const FORM = /^domain:([a-z0-9.-]{1,253}):(\d{10}):([A-Za-z0-9_-]{22}):([A-Za-z0-9_-]{43})$/;

/** A new one for a domain, good for seven days. `secret` seals it. */
export function newDomainInvitation(domain: string, secret: Uint8Array, now: number): DomainInvitation {
  const until = Math.floor((now + CHALLENGE_MS) / 1_000);
  const said = `domain:${domain}:${until}:${randomBytes(16).toString('base64url')}`;
  return described(domain, until, `${said}:${sealOf(said, secret)}`);
}

/** What a text invites to; undefined for one that is no invitation of a domain, not of this registry, or over. */
export function openDomainInvitation(
  text: string,
  secret: Uint8Array,
  now: number,
): DomainInvitation | undefined {
  const [, domain, until, nonce, seal] = FORM.exec(text) ?? [];
  if (domain === undefined || seal === undefined) return undefined;
  const right = sealOf(`domain:${domain}:${until}:${nonce}`, secret);
  if (!timingSafeEqual(Buffer.from(seal), Buffer.from(right))) return undefined;
  return Number(until) * 1_000 > now ? described(domain, Number(until), text) : undefined;
}

/** What is kept of a domain by which somebody joined: of each one member does. No secret has this hash. */
export function domainHash(domain: string): string {
  return hash('sha256', `domain ${domain}`);
}

/** Where its text is looked for: as the proof of an agent at its root. */
export function siteRoot(domain: string): string {
  return `https://${domain}/`;
}

/** An invitation as programs are told it. */
export function shownInvitation({ invitation, domain, token, expiresAt }: DomainInvitation) {
  const { fileUrl, dnsName } = proofPlaces(siteRoot(domain));
  return {
    ...{ invitation, domain, token, expires_at: new Date(expiresAt).toISOString() },
    ...{ file_url: fileUrl, dns_name: dnsName ?? null },
  };
}

function described(domain: string, until: number, invitation: string): DomainInvitation {
  const token = `agent-registry-challenge=${hash('sha256', invitation, 'base64url')} join=${domain}`;
  return { invitation, domain, token, expiresAt: until * 1_000 };
}

function sealOf(said: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(said).digest('base64url');
}
