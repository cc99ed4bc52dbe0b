import { splitOutside } from './dictionary.ts';
import { digestFormFault } from './digest.ts';
import { type HttpRequest, isFieldValue, linesOf, TOKEN } from './message.ts';
import { readAuthority, readTarget } from './target.ts';

/**
 * What is wrong with the form of the message that a signature covers: a method, target or host that two readers could
 * take for different ones, a `content-type` or `content-digest` with several values, a covered header that is not
 * ASCII text. Undefined when all is well.
 */
export function messageFault(message: HttpRequest, components: readonly string[]): string | undefined {
  if (!TOKEN.test(message.method)) return 'the method is no token';
  const read = readTarget(message.url);
  if (!read.ok) return read.reason;
  return hostFault(message, read.target.scheme, read.target.authority) ?? fieldsFault(message, components);
}

/** The host that was asked for must be the one of the target: a message for one must not count at another. */
function hostFault(message: HttpRequest, scheme: string, authority: string): string | undefined {
  const [host, ...more] = linesOf(message, 'host');
  if (host === undefined) return undefined;
  if (more.length > 0) return 'Host stands there twice';
  const asked = readAuthority(host, scheme);
  if (asked === undefined) return 'Host is malformed';
  return asked === authority ? undefined : 'Host is not the host of the target';
}

function fieldsFault(message: HttpRequest, components: readonly string[]): string | undefined {
  const type = linesOf(message, 'content-type');
  if (
    components.includes('content-type') &&
    type.length > 0 &&
    (splitOutside(type.join(','), ',')?.length ?? 0) !== 1
  )
    return 'Content-Type has several values';
  const unreadable = components.find((name) => !linesOf(message, name).every(isFieldValue));
  if (unreadable !== undefined) return `the header ${unreadable} has characters that are not ASCII text`;
  const digest = linesOf(message, 'content-digest');
  return components.includes('content-digest') && digest.length > 0 ? digestFormFault(digest) : undefined;
}
