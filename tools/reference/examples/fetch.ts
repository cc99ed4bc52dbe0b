import type { WordedExample } from './example.ts';

const words = (text: string): WordedExample => ({ words: text });

/** Fetch errors: a typical cause and its remedy. */
export const FETCH_EXAMPLES: Readonly<Record<string, WordedExample>> = {
  dns: words(
    '`dig news.example` returns no A and no AAAA record. The name is misspelled, or the zone is broken.',
  ),
  refused: words(
    '`curl https://news.example/` reports "connection refused", or the server closes the connection.',
  ),
  tls: words(
    'The certificate is valid for `www.news.example` only, or has expired. Renew it for both names.',
  ),
  timeout: words('The response is generated on demand and takes a minute. Publish a static file instead.'),
  blocked: words('The domain resolves to 10.0.0.5, a private address. Publish the file at a public address.'),
  redirect: words(
    'The file of `news.example` redirects to `cdn.example`. Publish a file with that URL in `authoritative_location` instead.',
  ),
  origin: words('An agent redirects to another host. This code occurs only in tests of agents.'),
  robots: words(
    'robots.txt has `Disallow: /` for all user agents. Add `Allow: /.well-known/adagents.json` to the same group.',
  ),
  too_large: words(
    'The adagents.json of the domain is larger than 5 MiB, or the brand.json larger than 256 KiB. For a large adagents.json, publish a file with `authoritative_location`.',
  ),
  encoding: words('A proxy compresses a response that is already compressed. Compress it once.'),
  protocol: words('The server sends an invalid Content-Length header. Inspect the response with `curl -v`.'),
  interrupted: words('The command was stopped with Ctrl-C during the download.'),
  location_held: words(
    '`authoritative_location` changed from `manager.example` to `other.example` today. The old file stays in use until tomorrow.',
  ),
  reference_chain: words(
    'The file of `news.example` refers to the file of `manager.example`, which refers to a third file. Refer to the third file directly.',
  ),
  redirect_loop: words(
    'The brand.json of a brand redirects to its house, and the file of the house redirects back to the brand.',
  ),
  too_many_redirects: words(
    'Four files redirect one after another. Let the first one refer to the last one.',
  ),
  http_2xx: words('The server answers 204 or 206. Only status 200 contains the whole file.'),
  http_3xx: words('The server answers 304 to an unconditional request, or 301 without a Location header.'),
  http_401: words('The whole test site requires a password. Exempt `/.well-known/`.'),
  http_403: words('A bot filter blocks the registry. Allow its User-Agent.'),
  http_404: words('The file is at `/adagents.json`. Move it to `/.well-known/adagents.json`.'),
  http_410: words('The file was removed permanently, so its authorisations end.'),
  http_429: words('The rate limit for one client is too low.'),
  http_4xx: words('Any other status from 400 to 499, for example 406 for a request without Accept-Language.'),
  http_5xx: words('Any status from 500 to 599. The last good file stays in use.'),
};
