import { RegistryError } from '../../errors.ts';

/** Who we say we are. */
export interface UserAgent {
  /** A robots.txt product token (RFC 9309, section 2.2.1): letters, `-` and `_`. */
  readonly product: string;
  readonly version: string;
  /** A page or address where the people behind the registry can be reached. */
  readonly contact: URL;
}

/**
 * The User-Agent header: `agent-registry/0.1 (+https://registry.example/crawler)`.
 *
 * @throws RegistryError `usage` when a part cannot stand in the header
 */
export function formatUserAgent({ product, version, contact }: UserAgent): string {
  if (!/^[a-z_-]+$/i.test(product))
    throw refuse('the product of the User-Agent can contain only letters, hyphens and underscores');
  if (!/^[\w.+-]+$/.test(version)) throw refuse('the version of the User-Agent is not a token');
  if (!['https:', 'http:', 'mailto:'].includes(contact.protocol))
    throw refuse('the contact of the User-Agent must be an https, http or mailto URL');
  return `${product}/${version} (+${contact.href.replace(/[()\\]/g, encodeURIComponent)})`;
}

function refuse(message: string): RegistryError {
  return new RegistryError('usage', message, { hint: 'set REGISTRY_CONTACT' });
}
