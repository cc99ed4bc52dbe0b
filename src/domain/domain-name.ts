import { getDomain, getPublicSuffix, parse } from 'tldts';
import { normalHost } from './agent-url.ts';
import type { DeclarationKind } from './declared-facts.ts';

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** Labels that are in their one form already, the last one no number; A-labels and hyphens are looked at beside it. */
const PLAIN = /^(?:[a-z0-9-]{1,63}\.)+[a-z]{1,63}$/;
const OUTER_HYPHEN = /(?:^|\.)-|-\./;

export type DomainNameProblem = 'empty' | 'url' | 'ip_address' | 'single_label' | 'too_long' | 'bad_label';

export type ParsedDomain =
  | { readonly ok: true; readonly domain: string }
  | { readonly ok: false; readonly problem: DomainNameProblem };

/**
 * Normal form of a domain name: lower case A-labels, no trailing dot (RFC 5890, RFC 1035).
 * A scheme, port, path, IP address or single label is refused, with the reason.
 */
export function parseDomain(text: string): ParsedDomain {
  if (text.length <= 253 && PLAIN.test(text) && !text.includes('xn--') && !OUTER_HYPHEN.test(text))
    return { ok: true, domain: text };
  const trimmed = text.trim();
  if (trimmed === '') return refuse('empty');
  if (/[/:@?#\\%\s]/.test(trimmed)) return refuse(/^\[|:.*:/.test(trimmed) ? 'ip_address' : 'url');
  const host = normalHost(trimmed);
  if (host === undefined) return refuse(trimmed.length > 253 ? 'too_long' : 'bad_label');
  const labels = host.split('.');
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return refuse('ip_address');
  if (!labels.every((label) => LABEL.test(label))) return refuse('bad_label');
  return labels.length < 2 ? refuse('single_label') : { ok: true, domain: host };
}

function refuse(problem: DomainNameProblem): ParsedDomain {
  return { ok: false, problem };
}

/** One sentence for each reason why a text is no domain name. */
export const DOMAIN_PROBLEMS: Readonly<Record<DomainNameProblem, string>> = {
  empty: 'the domain name is empty',
  url: 'use a domain name without scheme, port or path',
  ip_address: 'an IP address is not a domain name',
  single_label: 'a domain name needs at least two labels',
  too_long: 'a domain name may have at most 253 characters',
  bad_label: 'each label must have 1 to 63 letters, digits and inner hyphens',
};

/**
 * The domain under which a name was registered (eTLD+1), by the public suffix list with its private part,
 * so that `a.github.io` and `b.github.io` are strangers. A name that is itself a suffix stands for itself.
 * A dot at the end, as in the host of a URL, names the same domain.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host.replace(/\.$/, '');
}

/** The same of the host of a URL. Throws a TypeError where the text is none. */
export function registrableDomainOf(url: string): string {
  return registrableDomain(new URL(url).hostname);
}

/** A host without its public suffix: `shop` of `shop.co.uk`. A host that is a suffix or an address is returned unchanged. */
export function hostWithoutSuffix(host: string): string {
  const suffix = getPublicSuffix(host, { allowPrivateDomains: true });
  return suffix !== null && host.endsWith(`.${suffix}`) ? host.slice(0, -suffix.length - 1) : host;
}

/**
 * Whether a name is a public suffix (`co.uk`, `github.io`): strangers register names below it, so whoever names it names
 * nobody. A suffix that no list knows is one label, which is no domain name here.
 */
export function isPublicSuffix(domain: string): boolean {
  return getDomain(domain, { allowPrivateDomains: true }) === null;
}

/** Whether names are registered below it, as below `co.uk`: it has no site. `github.io` is the site of somebody. */
export function isRegistrySuffix(domain: string): boolean {
  return getDomain(domain) === null;
}

/** Whether names end in this label, as in `com`; the list of public suffixes knows it as ICANN's. */
export function isTopLevel(label: string): boolean {
  return parse(`name.${label}`).isIcann === true;
}

/** Whether whoever has `domain` has the host as well: it is that name or one below it, and `domain` is no public suffix. */
export function hasHost(domain: string, host: string): boolean {
  if (host === domain) return true;
  return host.endsWith(`.${domain}`) && registrableDomain(host) === registrableDomain(domain);
}

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

/**
 * The domains whose file may answer for a publisher that a question names: its own, and behind it the registered domain of
 * a `www.` or `m.` name, as in `identifierCovers`.
 */
export function publishersNamed(publisher: string): readonly string[] {
  const parent = publisher.slice(publisher.indexOf('.') + 1);
  const isSame = identifierCovers(parent, publisher) && hasHost(parent, publisher);
  return isSame ? [publisher, parent] : [publisher];
}

/** A host and the domains above it up to the one that was registered: whoever has one of them has the host. */
export function sitesAbove(host: string): readonly string[] {
  const site = host.startsWith('*.') ? host.slice(2) : host;
  const isShort = site.indexOf('.') === site.lastIndexOf('.');
  if (isShort) return [site]; // nobody registers a name of one label
  const registered = registrableDomain(site);
  const sites = parentsOf(site).filter((parent) => parent.length >= registered.length);
  return [site, ...sites];
}

/** All domain identifiers that can cover a host; whether one does is for `identifierCovers` to say. */
export function identifiersOfSite(host: string): readonly string[] {
  const names = [host];
  const add = (name: string) => names.includes(name) || names.push(name);
  if (host.startsWith('www.') || host.startsWith('m.')) add(host.slice(host.indexOf('.') + 1));
  for (const parent of parentsOf(host)) add(`*.${parent}`);
  return names;
}

function parentsOf(host: string): readonly string[] {
  const parents: string[] = [];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
    parents.push(host.slice(dot + 1));
  return parents;
}

/** Where a discovery file stands (specification, 4.3). */
export function wellKnownUrl(domain: string, kind: DeclarationKind): string {
  return `https://${domain}/.well-known/${kind}.json`;
}

/** Where a publisher without a file names its manager. */
export function adsTxtUrl(domain: string): string {
  return `https://${domain}/ads.txt`;
}
