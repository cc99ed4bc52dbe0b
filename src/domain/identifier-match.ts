import { registrableDomain } from './domain-name.ts';

/**
 * Whether a domain identifier of a property covers a host. A registrable domain (`example.com`) covers itself,
 * its `www.` and its `m.`; `sub.example.com` only itself; `*.example.com` every subdomain but not the apex.
 * Both sides are lower-case A-labels.
 */
export function identifierCovers(identifier: string, host: string): boolean {
  if (identifier === host) return true;
  if (identifier.startsWith('*.'))
    return host.length > identifier.length - 1 && host.endsWith(identifier.slice(1));
  if (host !== `www.${identifier}` && host !== `m.${identifier}`) return false;
  return registrableDomain(identifier) === identifier;
}
