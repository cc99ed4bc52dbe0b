import { registrableDomain } from '../../domain/domain-name.ts';
import type { RedirectRule } from '../../ports/fetcher.ts';
import { FetchGuardError } from './failure.ts';
import { bareHost } from './url-rule.ts';

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Redirects of a call to an agent: inside the registrable domain, as browsers would, but fewer. */
export const CALL_REDIRECTS: RedirectRule = { allow: 'same_registrable_domain', max: 5 };

/** Whether an answer sends us elsewhere; a 3xx without Location is an answer like any other. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECT_STATUSES.has(status);
}

/**
 * Where a redirect leads, if the rule allows it. Address, port and userinfo of the target are judged later, by
 * the same guard as the first request.
 *
 * @param visited the URLs so far, the first one first asked, the last one the sender of `location`
 * @throws FetchGuardError `redirect` for one that is not allowed, too many, a loop, or one that leaves https
 */
export function nextHop(rule: RedirectRule, visited: readonly URL[], location: string): URL {
  const first = visited[0];
  const current = visited.at(-1);
  if (first === undefined || current === undefined)
    throw new TypeError('a redirect needs the url that sent it');
  if (rule.allow === 'none') throw refuse('a redirect is not allowed here');
  if (visited.length > rule.max) throw refuse(`more than ${rule.max} redirects`);
  const next = URL.parse(location, current.href);
  if (next === null) throw refuse('the redirect does not lead to a valid url');
  next.hash = '';
  if (next.protocol !== 'https:' && (next.protocol !== 'http:' || current.protocol !== 'http:'))
    throw refuse('the redirect leaves https');
  if (registrableDomain(bareHost(next)) !== registrableDomain(bareHost(first)))
    throw refuse(`the redirect leaves the domain, to ${next.hostname}`);
  if (visited.some((url) => url.href === next.href)) throw refuse('the redirects run in a circle');
  return next;
}

function refuse(detail: string): FetchGuardError {
  return new FetchGuardError('redirect', detail);
}
