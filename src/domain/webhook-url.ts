/** Longest address of a receiver that is accepted, in characters. */
export const MAX_WEBHOOK_URL = 2_000;
/** Between two wake-ups of one subscription, milliseconds. */
export const WAKE_EVERY_MS = 10_000;

/**
 * Why no webhook can be sent to a URL, before anybody is asked where it leads; undefined when one can. Webhooks go to port
 * 443: a stranger names the address, and other ports have services that expect no webhook.
 *
 * @param allowHttp whether this http URL may be sent to, on whatever port: what the operator mapped. Default: none may
 */
export function webhookUrlFault(text: string, allowHttp?: (url: URL) => boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'the url is not valid';
  if (url.username !== '' || url.password !== '') return 'the URL must not contain a user name or password';
  if (url.protocol === 'http:' && allowHttp?.(url) === true) return undefined;
  if (url.protocol !== 'https:') return 'only https is sent to';
  return url.port === '' ? undefined : `webhooks are sent to port 443 only, not to ${url.port}`;
}
