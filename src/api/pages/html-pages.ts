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
/** Pages and assets are no operations of the API. */
export const NO_OPERATION = describedByPaths({});

/** Options of a page for owners: the API key of the session needs the scope. */
export function scopedPage(scope: ApiScope) {
  return { config: { ...NO_OPERATION.config, scope } } as const;
}

/**
 * On every page: no content from other origins and no requests to them. Styles, images and scripts are files of this registry,
 * nothing is inline, no string becomes script or markup, forms are sent to this registry only, and no page can be framed.
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
 * Also on every page for one person: windows that opened it cannot reach it. A browser starts a process for that, which would
 * slow the first load of public pages by a fifth.
 */
const PRIVATE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  vary: 'Cookie',
};

export interface HtmlPages {
  readonly site: PageSite;
  /** The same with the origin that the caller used. */
  siteFor(request: FastifyRequest): PlacedSite;
  /** Sends a public page; the reply may already have a cache-control header. */
  send(request: FastifyRequest, reply: FastifyReply, page: TaggedAnswer): Promise<FastifyReply>;
  /** Sends a page for one person: never cached, and never compressed because the length would reveal its content. */
  sendPrivate(reply: FastifyReply, page: KeptPage): FastifyReply;
}

/** A page as bytes; kept by its maker, so that it is compressed once. */
export interface KeptPage extends TaggedAnswer {
  readonly mediaType: string;
}

interface HtmlPagesOptions {
  readonly version: string;
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
}

/** The assets and paths that pages link to; read once, before the server starts. */
export interface PageParts {
  readonly site: PageSite;
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
  /** Each asset by the path that browsers request. */
  readonly assets: ReadonlyMap<string, KeptPage>;
}

export function readPageParts({ version, baseUrl }: HtmlPagesOptions): PageParts {
  const root = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const files = new Map(readAssets().map(({ name, file }) => [name, `${root}${ASSETS_PATH}/${file}`]));
  const site = {
    ...{ root, version },
    asset(name: string) {
      const path = files.get(name);
      if (path === undefined) throw new Error(`unknown asset ${name}`);
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

/** GET /assets/…: files that may be cached for ever. */
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

/** Larger pages show fewer agents, entries or findings. */
export const MAX_PAGE_BYTES = 140_000;

/** A page with as many items in its lists as fit, at most `most`. */
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
