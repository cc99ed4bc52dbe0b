/**
 * Whether a browser says that the page that asks is one of this registry: of its public address, or, where the registry
 * itself is reached by a loopback address, of any page on this machine. A name that is made to lead to a private address
 * (DNS rebinding) is neither, because the Host header counts for nothing else.
 */
export function isOwnOrigin(origin: string, host: string, baseUrl: string | undefined): boolean {
  const from = URL.parse(origin);
  if (from === null || from.origin !== origin.toLowerCase()) return false;
  if (baseUrl !== undefined && from.origin === URL.parse(baseUrl)?.origin) return true;
  return isLoopback(from.hostname) && isLoopback(URL.parse(`http://${host}`)?.hostname);
}

/** 127.0.0.0/8, ::1, and the names that RFC 6761, section 6.3 keeps for them. */
function isLoopback(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
