import type { SigningProfile } from './profile.ts';

const ALPHABETS: Readonly<Record<SigningProfile, RegExp>> = {
  '3.1': /^[A-Za-z0-9_-]*$/,
  '3.2': /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

/** Bytes as a byte sequence of a structured field, between colons. */
export function writeBytes(bytes: Uint8Array, profile: SigningProfile): string {
  return `:${encoded(bytes, profile)}:`;
}

/**
 * The bytes of a text that stands between colons; undefined when the profile does not write bytes so. Text with
 * bits left over at its end stands for the same bytes as another text, and is told by `isExact`.
 */
export function readBytes(text: string, profile: SigningProfile): Uint8Array | undefined {
  if (!ALPHABETS[profile].test(text) || text.length % 4 === 1) return undefined;
  return Buffer.from(text, profile === '3.1' ? 'base64url' : 'base64');
}

/** True for the one way in which the profile writes these bytes. */
export function isExact(text: string, bytes: Uint8Array, profile: SigningProfile): boolean {
  return encoded(bytes, profile) === text;
}

function encoded(bytes: Uint8Array, profile: SigningProfile): string {
  return Buffer.from(bytes).toString(profile === '3.1' ? 'base64url' : 'base64');
}
