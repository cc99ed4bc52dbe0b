import type { FetchErrorCode } from '../../domain/capture.ts';
import { error, type Sentence } from '../adagents-codes.ts';
import { FINDING_CODES } from '../finding-codes.ts';

/** Besides the network: what we refuse on the way, and statuses with a sentence of their own. */
type OwnCode =
  | 'location_held'
  | 'reference_chain'
  | 'redirect_loop'
  | 'too_many_redirects'
  | `http_${'2xx' | '3xx' | '401' | '403' | '404' | '410' | '429' | '4xx' | '5xx'}`;

/** Why no file was read from a domain, with what to do. `http_4xx` stands for the statuses that have no line of their own. */
export const FETCH_CODES: Readonly<Record<FetchErrorCode | OwnCode, Sentence>> = {
  dns: error(
    'the domain does not resolve to an address',
    'check the spelling and the DNS records of the domain',
  ),
  refused: error(
    'connection refused or closed',
    'check that the site answers on port 443 from outside your network',
  ),
  tls: error(
    'no trusted TLS session',
    'check the certificate: its host names, its expiry date, and that the server sends the full chain',
  ),
  timeout: error(
    'no response within the time limit',
    'serve the file from a faster server, such as a CDN, and try again',
  ),
  blocked: error(
    'the address is not public, so it is never contacted',
    'publish the file at a public address, over https on port 443',
  ),
  redirect: error(
    'the target of the redirect is not allowed',
    'serve the file directly; redirects must stay in the domain and use https, three at most',
  ),
  origin: error('the redirect leaves the origin', 'serve the file directly'),
  robots: error(
    'robots.txt disallows the file',
    'allow /.well-known/adagents.json and /.well-known/brand.json in robots.txt',
  ),
  too_large: error(
    'the file exceeds the size limit',
    'make it smaller; an adagents.json of up to 20 MiB is read at an authoritative_location; an operator can raise max_bytes for your domain',
  ),
  encoding: error(
    'unknown, repeated or broken Content-Encoding',
    'send the file uncompressed, or compressed once with gzip, br or deflate',
  ),
  protocol: error('invalid HTTP response', 'inspect the response with curl -v'),
  interrupted: error('the visit was canceled', 'try again'),
  location_held: error(
    'authoritative_location changed to another site, and the new file is not used yet',
    'no action is needed: the new file is used after 24 hours and two visits',
  ),
  reference_chain: error(
    'the file at authoritative_location refers to a third file',
    'set authoritative_location to the file with the content',
  ),
  redirect_loop: error('the redirects of brand.json form a loop', 'publish the content in one of the files'),
  too_many_redirects: error(
    'brand.json redirects more than three times',
    'let the first file refer to the last one',
  ),
  http_2xx: error('the server answered without the file', 'answer with status 200 and the file itself'),
  http_3xx: error(
    'the server redirects without a usable target',
    'answer with status 200 and the file itself',
  ),
  http_401: error('the server requires a login', 'make the file readable without a login'),
  http_403: error(
    'the server denies access',
    'make the file public; allow our User-Agent in firewalls and bot filters',
  ),
  http_404: error('file not found', 'publish the file at this address'),
  http_410: error(
    'the file was removed permanently',
    'publish it at this address; no action is needed if the removal is intended',
  ),
  http_429: error('the server limits the rate of our requests', 'allow our User-Agent; we retry later'),
  http_4xx: error(
    'the server rejected the request',
    'answer a plain GET request with status 200 and the file',
  ),
  http_5xx: error('the server failed', 'check the log of the server; we retry later'),
};

/** What to do about a file that could not be read; undefined for a code that says all itself. */
export function fetchHint(code: string): string | undefined {
  const known = new Map<string, Sentence>(Object.entries({ ...FINDING_CODES, ...FETCH_CODES }));
  return (known.get(code) ?? known.get(code.replace(/^(http_\d)\d\d$/, '$1xx')))?.hint;
}
