import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CHALLENGE_MS, proofPlaces } from '../domain/ownership.ts';

/**
 * An invitation for the owner of a domain. It is secret; only its hash is published, so readers of that text cannot join
 * with it. It is not stored: its seal proves that this registry issued it, and until when it is valid.
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

/** A new one for a domain, valid for seven days. `secret` seals it. */
export function newDomainInvitation(domain: string, secret: Uint8Array, now: number): DomainInvitation {
  const until = Math.floor((now + CHALLENGE_MS) / 1_000);
  const said = `domain:${domain}:${until}:${randomBytes(16).toString('base64url')}`;
  return described(domain, until, `${said}:${sealOf(said, secret)}`);
}

/** Opens an invitation; undefined for any other text, one of another registry, or an expired one. */
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

/** Stored for a domain with which a member joined: one member per domain. No secret has this hash. */
export function domainHash(domain: string): string {
  return hash('sha256', `domain ${domain}`);
}

/** Where its text is checked: like the verification of an agent at the root of the domain. */
export function siteRoot(domain: string): string {
  return `https://${domain}/`;
}

/** An invitation on the wire. */
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
