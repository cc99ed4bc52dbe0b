import type { FastifyRequest } from 'fastify';

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
