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
  dns: error('the name has no address', 'check the spelling and the DNS records of the domain'),
  refused: error(
    'nobody listens, or the connection broke',
    'check that the site answers on port 443, from outside your network too',
  ),
  tls: error(
    'no trusted TLS session',
    'check the certificate: its names, its dates, and that the whole chain is sent',
  ),
  timeout: error('no answer in time', 'serve the file from a fast place, such as a CDN, and try again'),
  blocked: error(
    'the address is one that we never contact',
    'publish the file under a public address, over https and port 443',
  ),
  redirect: error(
    'a redirect leads where the file may not be',
    'answer with the file itself; a redirect stays in the domain, over https, and is one of three at most',
  ),
  origin: error('the way leaves the site', 'answer with the file itself'),
  robots: error(
    'robots.txt forbids the file',
    'allow /.well-known/adagents.json and /.well-known/brand.json in robots.txt',
  ),
  too_large: error(
    'the file has more bytes than are read',
    'make it smaller; an adagents.json of up to 20 MiB may stand behind an authoritative_location; an operator can raise max_bytes for your domain',
  ),
  encoding: error(
    'the content encoding is unknown, stacked or broken',
    'send the file plain, or with gzip, br or deflate once',
  ),
  protocol: error('the answer is not HTTP, or broken', 'look at the answer with curl -v'),
  interrupted: error('the visit was ended on purpose', 'try again'),
  location_held: error(
    'authoritative_location leads to another site than before',
    'leave it as it is: it counts after 24 hours and two visits',
  ),
  reference_chain: error(
    'the target of the pointer is a pointer itself',
    'let authoritative_location name the file with the content',
  ),
  redirect_loop: error('the redirects of brand.json go round', 'let one of the files carry the content'),
  too_many_redirects: error(
    'brand.json redirects more than three times',
    'let the first file name the last one',
  ),
  http_2xx: error('the server answers without the file', 'answer with status 200 and the file itself'),
  http_3xx: error(
    'the server redirects without a usable target',
    'answer with status 200 and the file itself',
  ),
  http_401: error('the server wants a login', 'let everybody read the file, without a login'),
  http_403: error(
    'the server refuses us',
    'let everybody read the file; allow our User-Agent in a firewall or bot filter',
  ),
  http_404: error('there is no such file', 'publish it at this address'),
  http_410: error('the file is gone for good', 'publish it at this address, or leave it if that is meant'),
  http_429: error('the server says that we ask too often', 'allow our User-Agent; we come back later'),
  http_4xx: error('the server refuses the request', 'answer a plain GET with status 200 and the file'),
  http_5xx: error('the server has a fault', 'look into the log of the server; we come back later'),
};

/** What to do about a file that could not be read; undefined for a code that says all itself. */
export function fetchHint(code: string): string | undefined {
  const known = new Map<string, Sentence>(Object.entries({ ...FINDING_CODES, ...FETCH_CODES }));
  return (known.get(code) ?? known.get(code.replace(/^(http_\d)\d\d$/, '$1xx')))?.hint;
}
