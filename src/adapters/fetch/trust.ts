import { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { once } from '../../base/once.ts';
import { RegistryError } from '../../errors.ts';

/**
 * Whose certificates count. One context each for all connections of a fetcher: making one costs more than a
 * handshake. They are made when first used.
 */
export interface Trust {
  /** The default authorities. */
  public(): SecureContext;
  /** The operator's authorities beside them; for mapped and opened hosts only. */
  operated(): SecureContext;
}

/**
 * @param pem the operator's authorities, one or more certificates
 * @throws RegistryError `usage` when there is text but no valid certificate
 */
export function createTrust(pem: string | undefined): Trust {
  const publicTrust = once(() => createSecureContext());
  if (pem === undefined) return { public: publicTrust, operated: publicTrust };
  const own = certificates(pem);
  return {
    public: publicTrust,
    operated: once(() => createSecureContext({ ca: [...getCACertificates('default'), ...own] })),
  };
}

function certificates(pem: string): readonly string[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length > 0 && found.every(isCertificate)) return found;
  throw new RegistryError('usage', 'the ca file holds no valid pem certificate', {
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
