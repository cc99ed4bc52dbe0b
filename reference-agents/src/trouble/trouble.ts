import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { Outcome } from '@agent-registry/surface/agent-kit';
import { ADAGENTS, mainEntry, type PublishedPage } from '../publishers/plan.ts';
import { file, jsonFile } from '../web/file.ts';
import { redirect } from '../web/redirect.ts';
import type { PageHandler } from '../web/web.ts';

const MIB = 1_048_576;

const DRIP_MS = 100;

/** Takes the request and never answers. */
const hang: PageHandler = () => {};

/** A byte now and then, for ever: an idle timer never sees it. */
const drip: PageHandler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"contact":"');
  const timer = setInterval(() => response.write('z'), DRIP_MS);
  response.once('close', () => clearInterval(timer));
};

/** 64 MiB of valid JSON, written as fast as the other side reads. */
const huge: PageHandler = async (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  await pipeline(jsonOf(64), response);
};

/** A gigabyte of blanks in one megabyte of gzip: members of 8 MiB one after another (RFC 1952, section 2.2). */
const gzipBomb: PageHandler = async (_request, response) => {
  const member = gzipSync(Buffer.alloc(8 * MIB, ' '));
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  await pipeline(repeat(member, 128), response);
};

export interface Trouble {
  readonly domain: string;
  /** What is wrong there. */
  readonly kind: string;
  /** How an honest visit ends. */
  readonly outcome: Outcome;
  /** Declared addresses of the agents that the domain authorises in spite of it. */
  readonly authorises: readonly string[];
  readonly page: PageHandler;
}

const GOOD = 'https://sales-2.agents.example/mcp';

/** The publisher that sales-1 claims in its portfolio and that does not name it. */
export const DENIER = 'stiff-upper-post.example';

/** One domain for each kind of trouble. */
// biome-ignore format: one trouble a line
export const TROUBLE: readonly Trouble[] = [
  trouble('tarpit', 'hanging', 'unreachable', hang),
  trouble('leakytap', 'dripping', 'unreachable', drip),
  trouble('boilerroom', 'server_error', 'failed', file('out of steam\n', { status: 500, contentType: 'text/plain' })),
  trouble('paintedwall', 'html', 'invalid', file(html('Page not found'), { contentType: 'text/html; charset=utf-8' })),
  trouble('paintedjson', 'html_as_json', 'invalid', file(html('Please enable scripts'))),
  trouble('bottomless', 'huge', 'invalid', huge),
  trouble('balloon', 'gzip_bomb', 'invalid', gzipBomb),
  trouble('roundabout', 'redirect_loop', 'refused', redirect(`https://roundabout.example${ADAGENTS}`, 302)),
  trouble('awaymatch', 'off_domain_redirect', 'refused', redirect(`https://hometeam.example${ADAGENTS}`)),
  trouble('hometeam', 'redirect_target', 'indexed', jsonFile({ authorized_agents: [mainEntry(GOOD)], properties: [site('hometeam')] }), [GOOD]),
  trouble('tornpage', 'broken_json', 'invalid', file('{"authorized_agents": [{"url": "https://sales-2.agents.')),
  trouble('russiandoll', 'deep_nesting', 'invalid', file(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)),
  trouble('rushhour', 'throttled', 'throttled', throttle),
  trouble('emptyshelf', 'missing', 'absent', file('not found\n', { status: 404, contentType: 'text/plain' })),
  trouble('mixedbag', 'bad_entries', 'indexed', jsonFile({ authorized_agents: mixedEntries(), properties: [site('mixedbag')] }), [GOOD]),
  trouble('stiff-upper-post', 'denies_claim', 'indexed', jsonFile({ authorized_agents: [mainEntry(GOOD)], properties: [site('stiff-upper-post')] }), [GOOD]),
  trouble('twohops', 'reference_to_reference', 'invalid', jsonFile({ authoritative_location: 'https://onehop.example/.well-known/adagents.json' })),
  trouble('onehop', 'reference_to_http', 'invalid', jsonFile({ authoritative_location: 'http://hometeam.example/.well-known/adagents.json' })),
];

function trouble(
  label: string,
  kind: string,
  outcome: Outcome,
  page: PageHandler,
  authorises: readonly string[] = [],
): Trouble {
  return { domain: `${label}.example`, kind, outcome, authorises, page };
}

/** The page of each trouble. */
export function troublePages(): readonly PublishedPage[] {
  return TROUBLE.map(({ domain, page }) => ({ host: domain, path: ADAGENTS, page }));
}

function site(label: string): object {
  const value = `${label}.example`;
  return {
    property_id: 'main',
    property_type: 'website',
    name: label,
    identifiers: [{ type: 'domain', value }],
  };
}

/** One good entry between entries that are wrong each in its own way. */
function mixedEntries(): readonly unknown[] {
  return [
    {
      authorized_for: 'an entry without an address',
      authorization_type: 'property_ids',
      property_ids: ['main'],
    },
    mainEntry('ftp://sales-1.agents.example/mcp'),
    mainEntry('https://user:secret@sales-1.agents.example/mcp'),
    mainEntry(GOOD),
    'https://sales-1.agents.example/mcp',
    null,
    {
      url: 'https://yellowdoor.example/a2a',
      authorized_for: 'no companion',
      authorization_type: 'property_ids',
    },
    {
      url: 'https://yellowdoor.example/a2a',
      authorized_for: 'unknown kind',
      authorization_type: 'everything',
    },
  ];
}

function throttle(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': '7200', 'content-type': 'text/plain' }).end('slow down\n');
}

function html(title: string): string {
  return `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}

function* jsonOf(mebibytes: number): Iterable<Buffer | string> {
  yield '{"contact":"';
  yield* repeat(Buffer.alloc(MIB, 'z'), mebibytes);
  yield '"}';
}

function* repeat(chunk: Buffer, times: number): Iterable<Buffer> {
  for (let count = 0; count < times; count += 1) yield chunk;
}
