import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { once } from '../../base/once.ts';
import type { ApiScope } from '../../domain/api-scope.ts';
import { readAssets } from '../../pages/assets.ts';
import { type HtmlPage, type PageSite, type PlacedSite, pageHtml } from '../../pages/layout.ts';
import type { TaggedAnswer } from '../answers.ts';
import { entityTag, sendPublic } from '../answers.ts';
import { describedByPaths } from '../operations/description.ts';
import { publicAddress } from '../public-address.ts';

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
} as const;
/**
 * On every page for one person, beside those: no window that opened it reaches it. A browser starts a process for that, which
 * delays what everybody sees first by a fifth.
 */
const PRIVATE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  vary: 'Cookie',
};

export interface HtmlPages {
  readonly site: PageSite;
  /** The same as whoever asks reaches it. */
  siteFor(request: FastifyRequest): PlacedSite;
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
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
}

/** What pages link to: read once, before there is a server. */
export interface PageParts {
  readonly site: PageSite;
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
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
  return { site, assets: keptAssets(), ...(baseUrl !== undefined && { baseUrl }) };
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
export function htmlPages({ site, baseUrl }: PageParts): HtmlPages {
  const origin = baseUrl && new URL(baseUrl).origin;
  return {
    site,
    siteFor: (request) => ({ ...site, origin: publicAddress(request, origin) }),
    send(request, reply, page) {
      reply.headers(PAGE_HEADERS);
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'public, no-cache');
      return sendPublic(request, reply, page);
    },
    sendPrivate(reply, { body, mediaType }) {
      reply.headers({ ...PAGE_HEADERS, ...PRIVATE_HEADERS });
      return reply.removeHeader('access-control-allow-origin').type(mediaType).send(body);
    },
  };
}

/** A page has fewer agents, entries or findings before it has more bytes. */
export const MAX_PAGE_BYTES = 140_000;

/** A page with as many items in its lists as there is room for, of `most`. */
export function fittingPage(site: PageSite, most: number, pageWith: (most: number) => HtmlPage): KeptPage {
  for (let shown = most; ; shown = Math.floor(shown / 2)) {
    const page = keptPage(site, pageWith(shown));
    if (page.body.length <= MAX_PAGE_BYTES || shown === 0) return page;
  }
}

/** The bytes of a page. */
export function keptPage(site: PageSite, page: HtmlPage): KeptPage {
  const body = Buffer.from(pageHtml(site, page));
  return { body, etag: entityTag(body), mediaType: HTML };
}
