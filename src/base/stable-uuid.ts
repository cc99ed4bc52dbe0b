import { hash } from 'node:crypto';

/** The same UUID for the same texts, always and everywhere: version 8 of RFC 9562, from SHA-256. */
export function stableUuid(...texts: readonly string[]): string {
  const hex = hash('sha256', JSON.stringify(texts), 'hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
