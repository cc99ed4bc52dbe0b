import type { WordedExample } from './example.ts';

const words = (text: string): WordedExample => ({ words: text });

/** Of what stands between us and a file: what it looks like from outside. */
export const FETCH_EXAMPLES: Readonly<Record<string, WordedExample>> = {
  dns: words('`dig news.example` has no A and no AAAA record. The name is misspelt, or the zone is broken.'),
  refused: words('`curl https://news.example/` says "connection refused", or the server hangs up.'),
  tls: words('The certificate is of `www.news.example` only, or has ended. Renew it with both names.'),
  timeout: words('The page is made on demand and takes a minute. Publish a file instead.'),
  blocked: words('The name leads to 10.0.0.5, an address inside your network. Publish a public one.'),
  redirect: words(
    'The file of `news.example` redirects to `cdn.example`. Write `authoritative_location` with that address instead.',
  ),
  origin: words('An agent redirects to another host. Only tests of agents see this code.'),
  robots: words(
    'robots.txt has `Disallow: /` for all. Add `Allow: /.well-known/adagents.json` to the same group.',
  ),
  too_large: words(
    'The file of the domain itself has more than 5 MiB, or a brand.json more than 256 KiB. Publish a pointer to a large file.',
  ),
  encoding: words('A proxy compresses what was compressed already. Do it once.'),
  protocol: words('The server sends a header with a broken length. Look at it with `curl -v`.'),
  interrupted: words('Somebody pressed Ctrl-C while the file was on its way.'),
  location_held: words(
    '`authoritative_location` led to `manager.example` and leads to `other.example` since today. Until tomorrow the old file counts.',
  ),
  reference_chain: words(
    'The file of `news.example` names that of `manager.example`, which names a third one. Let the first name the third.',
  ),
  redirect_loop: words('The brand.json of a brand names its house, and that of the house the brand.'),
  too_many_redirects: words('Four files name one another in a row. Name the last one in the first.'),
  http_2xx: words('The server answers 204 or 206. Only 200 brings a whole file.'),
  http_3xx: words('The server answers 304 to somebody who did not ask for it, or 301 without a Location.'),
  http_401: words('The whole test site has a password. Except `/.well-known/`.'),
  http_403: words('A bot filter refuses programs. Allow the User-Agent that the registry sends.'),
  http_404: words('The file is at `/adagents.json`. Move it to `/.well-known/adagents.json`.'),
  http_410: words('The file was taken away for good, so what it authorised ends.'),
  http_429: words('A limit of requests for each address was set too low.'),
  http_4xx: words('Any other status from 400 to 499, such as 406 for a request without a language.'),
  http_5xx: words('Any status from 500 to 599. The last good file stays meanwhile.'),
};
