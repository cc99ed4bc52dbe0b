import { hash } from 'node:crypto';

/** The same UUID for the same texts, always and everywhere: version 8 of RFC 9562, from SHA-256. */
export function stableUuid(...texts: readonly string[]): string {
  const bytes = hash('sha256', JSON.stringify(texts), 'buffer').subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
