import { X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import { RegistryError } from '../../errors.ts';

/**
 * What a connection is for: files that anybody may read, or calls, which may carry what is secret. A secret is kept from
 * whoever records it for the computers of later days: OpenSSL's own groups have an ML-KEM key for that. It costs a tenth of
 * a connection, so connections for files go without.
 */
export type Use = 'files' | 'calls';

/** The groups that OpenSSL offers beside those. */
const GROUPS_FOR_FILES = 'X25519:prime256v1:X448:secp384r1:secp521r1';

/**
 * Whose certificates count. One context each for all connections of a fetcher: making one costs more than a
 * handshake. They are made when first used.
 */
export interface Trust {
  /** The default authorities. */
  readonly public: (use: Use) => SecureContext;
  /** The operator's authorities beside them; for mapped and opened hosts only. */
  readonly operated: (use: Use) => SecureContext;
}

/**
 * @param pem the operator's authorities, one or more certificates
 * @throws RegistryError `usage` when there is text but no valid certificate
 */
export function createTrust(pem: string | undefined): Trust {
  const publicTrust = contexts(() => ({}));
  if (pem === undefined) return { public: publicTrust, operated: publicTrust };
  const own = certificates(pem);
  return {
    public: publicTrust,
    operated: contexts(() => ({ ca: [...getCACertificates('default'), ...own] })),
  };
}

function contexts(trusted: () => SecureContextOptions): (use: Use) => SecureContext {
  const made: Partial<Record<Use, SecureContext>> = {};
  return (use) => {
    made[use] ??= createSecureContext({
      ...trusted(),
      ...(use === 'files' && { ecdhCurve: GROUPS_FOR_FILES }),
    });
    return made[use];
  };
}

function certificates(pem: string): readonly string[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length > 0 && found.every(isCertificate)) return found;
  throw new RegistryError('usage', 'the --ca file contains no valid PEM certificate', {
    hint: "give a file with '-----BEGIN CERTIFICATE-----' blocks",
  });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
