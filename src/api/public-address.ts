import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { trusting } from '../edge/peer.ts';

/** A name or an IPv4 address, or an IPv6 address between brackets, with a port: nothing that means anything to a shell or to HTML. */
const PLAIN_HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;
const NOWHERE = 'http://localhost';

/**
 * Where whoever asks reaches this registry: its public address, or else the host that the request was sent to. A caller writes
 * what it likes into `Host`. So only a plain host counts, no forwarded one does, and what is kept of an answer that names it is
 * kept by it.
 */
export function publicAddress(
  { headers: { host = '' }, protocol }: Pick<FastifyRequest, 'headers' | 'protocol'>,
  baseUrl = '',
): string {
  if (baseUrl !== '') return baseUrl;
  if (!PLAIN_HOST.test(host)) return NOWHERE;
  // a proxy that is trusted says which of the two it was
  return URL.parse(`${protocol === 'https' ? 'https' : 'http'}://${host}`)?.origin ?? NOWHERE;
}

interface ProxyNoteParts {
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
  readonly trustedProxies: readonly string[];
  readonly baseUrl?: string;
}

/** Says once of a registry without a public address that a proxy stands before it which is not trusted. */
export function createProxyNote({ logger, trustedProxies, baseUrl = '' }: ProxyNoteParts) {
  const isTrusted = trusting(trustedProxies);
  let isSaid = baseUrl !== '';
  return ({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): void => {
    if (isSaid || headers['x-forwarded-proto'] === undefined) return;
    const { remoteAddress: from = '' } = socket;
    if (isTrusted(from)) return;
    isSaid = true;
    const set = 'REGISTRY_BASE_URL and REGISTRY_TRUSTED_PROXIES';
    logger.warn({ from, set }, 'a proxy that is not trusted stands before the registry');
  };
}
