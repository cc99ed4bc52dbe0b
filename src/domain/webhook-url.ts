/** Longest address of a receiver that is accepted, in characters. */
export const MAX_WEBHOOK_URL = 2_000;
/** Between two wake-ups of one subscription, milliseconds. */
export const WAKE_EVERY_MS = 10_000;

/**
 * Why nothing can be sent to a URL, before anybody is asked where it leads; undefined when something can.
 *
 * @param allowHttp whether this http URL may be sent to. Default: none may
 */
export function webhookUrlFault(text: string, allowHttp?: (url: URL) => boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'the url is not valid';
  if (url.username !== '' || url.password !== '') return 'the url has a user name or a password';
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && allowHttp?.(url) === true);
  return secure ? undefined : 'only https is sent to';
}
