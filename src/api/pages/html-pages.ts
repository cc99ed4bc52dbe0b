import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { once } from '../../base/once.ts';
import type { ApiScope } from '../../domain/api-scope.ts';
import { readAssets } from '../../pages/assets.ts';
import { type HtmlPage, type PageSite, pageHtml } from '../../pages/layout.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { TaggedAnswer } from '../answers.ts';
import { entityTag, sendPublic } from '../answers.ts';
import { createBodyCache, dataVersion } from '../list-cache.ts';
import { describedByPaths } from '../operations/description.ts';

const ASSETS_PATH = '/assets';
const HTML = 'text/html; charset=utf-8';
/** Pages and their parts are no operations of the API. */
export const NO_OPERATION = describedByPaths({});

/** The options of a page for owners: the key of the session needs the scope. */
export function scopedPage(scope: ApiScope) {
  return { config: { ...NO_OPERATION.config, scope } } as const;
}

/**
 * On every page. Nothing comes from elsewhere and nothing goes there: styles, pictures and scripts are files of this registry,
 * nothing stands inline, no string becomes script or markup, a form asks this registry alone, nobody frames the page.
 */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    ...["style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'"],
    ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; '),
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

export interface HtmlPages {
  readonly site: PageSite;
  /** A page is the same for everybody, unless the reply says already how it may be kept. */
  send(request: FastifyRequest, reply: FastifyReply, page: TaggedAnswer): Promise<FastifyReply>;
  /** The same for one person: nobody keeps it, and it is never packed, as its length would tell of what is in it. */
  sendPrivate(reply: FastifyReply, page: KeptPage): FastifyReply;
}

/** A page as bytes; kept by whoever made it, so that it is packed once. */
export interface KeptPage extends TaggedAnswer {
  readonly mediaType: string;
}

interface HtmlPagesOptions {
  readonly version: string;
  /** The public address; only its path is used, so that no page names a host. */
  readonly baseUrl?: string;
}

/** What pages link to: read once, before there is a server. */
export interface PageParts {
  readonly site: PageSite;
  /** Each asset by the path that browsers ask for. */
  readonly assets: ReadonlyMap<string, KeptPage>;
}

export function readPageParts({ version, baseUrl }: HtmlPagesOptions): PageParts {
  const root = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const files = new Map(readAssets().map(({ name, file }) => [name, `${root}${ASSETS_PATH}/${file}`]));
  const site = {
    ...{ root, version },
    asset(name: string) {
      const path = files.get(name);
      if (path === undefined) throw new Error(`there is no asset ${name}`);
      return path;
    },
  };
  return { site, assets: keptAssets() };
}

const keptAssets = once(
  (): ReadonlyMap<string, KeptPage> =>
    new Map(
      readAssets().map(({ file, mediaType, body }) => [
        `${ASSETS_PATH}/${file}`,
        { body, etag: entityTag(body), mediaType },
      ]),
    ),
);

/** GET /assets/…: what pages load, which may be kept for ever. */
export function assetFiles(server: FastifyInstance, { assets }: PageParts): void {
  for (const [path, kept] of assets)
    server.get(path, NO_OPERATION, async (request, reply) => {
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return sendPublic(request, reply, kept);
    });
}

/** How pages are sent. */
export function htmlPages({ site }: PageParts): HtmlPages {
  return {
    site,
    send(request, reply, page) {
      reply.headers(PAGE_HEADERS);
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'public, no-cache');
      return sendPublic(request, reply, page);
    },
    sendPrivate(reply, { body, mediaType }) {
      reply.headers(PAGE_HEADERS).header('cache-control', 'no-store').header('vary', 'Cookie');
      return reply.removeHeader('access-control-allow-origin').type(mediaType).send(body);
    },
  };
}

/** The bytes of a page. */
export function keptPage(site: PageSite, page: HtmlPage): KeptPage {
  const body = Buffer.from(pageHtml(site, page));
  return { body, etag: entityTag(body), mediaType: HTML };
}

const CACHE_BYTES = 32 * 1_024 * 1_024;
/** What the clock alone changes of a page, such as what is stale, may be so much late, milliseconds. */
const KEPT_MS = 10_000;

interface KeptPageSources {
  readonly records: Pick<Records, 'version'>;
  readonly index: Pick<AgentIndex, 'version'>;
  readonly clock: Clock;
}

/**
 * A page by its name, as it was made or as `make` makes it now; undefined is kept by nobody. The name is equal for all
 * addresses that show the same.
 */
export type KeepPage = <Page extends TaggedAnswer | undefined>(
  name: string,
  make: (now: number) => Promise<Page>,
) => Promise<TaggedAnswer | Page>;

/** Pages that are the same for everybody, kept as lists are: from the second time on, while the data are what they were. */
export function keepPages({ records, index, clock }: KeptPageSources): KeepPage {
  const cache = createBodyCache(CACHE_BYTES);
  return async (name, make) => {
    const now = clock.now();
    // asked for before the data are read: what changes in between is made again the next time
    const version = await dataVersion({ records, index });
    const kept = cache.get(name, version, now);
    if (kept !== undefined) return kept;
    const made = await make(now);
    if (made !== undefined) cache.set(name, version, { ...made, validUntil: now + KEPT_MS });
    return made;
  };
}
