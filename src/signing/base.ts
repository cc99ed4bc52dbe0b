import { serializeString } from 'structured-headers';
import { fieldValue, type HttpMessage, TOKEN } from './message.ts';
import { readTarget, type Target } from './target.ts';

/** The derived components that this module can compute (RFC 9421, section 2.2). */
const OF_TARGET: Readonly<Record<string, (target: Target) => string>> = {
  '@target-uri': (target) => target.uri,
  '@authority': (target) => target.authority,
  '@scheme': (target) => target.scheme,
  '@request-target': (target) => target.path + target.query,
  '@path': (target) => target.path,
  '@query': (target) => target.query || '?',
};

/** Whether a name is one that can be covered: a header, or a derived component that is known here. */
export function isComponent(name: string): boolean {
  return TOKEN.test(name) || name === '@method' || name === '@status' || Object.hasOwn(OF_TARGET, name);
}

/** What a component of this message is; undefined when the message does not have it. */
export function componentValue(message: HttpMessage, name: string): string | undefined {
  if (!name.startsWith('@')) return fieldValue(message, name);
  if ('status' in message) return name === '@status' ? String(message.status) : undefined;
  if (name === '@method') return message.method;
  const read = readTarget(message.url);
  return read.ok ? OF_TARGET[name]?.(read.target) : undefined;
}

/**
 * The signature base (RFC 9421, section 2.5): one line for each component, then `@signature-params`, with no line
 * break after it. Undefined when the message lacks a component.
 */
export function signatureBase(
  message: HttpMessage,
  components: readonly string[],
  params: string,
): string | undefined {
  const lines: string[] = [];
  for (const name of components) {
    const value = componentValue(message, name);
    if (value === undefined) return undefined;
    lines.push(`${serializeString(name)}: ${value}`);
  }
  return [...lines, `"@signature-params": ${params}`].join('\n');
}
