import type { FastifyInstance } from 'fastify';
import { once } from '../../base/once.ts';
import { type ApiDocument, operationsOf } from '../../pages/docs/document.ts';
import { readGuideFiles } from '../../pages/docs/guide-files.ts';
import { docsFrontPage, guidePage } from '../../pages/docs/guides.ts';
import { operationPage } from '../../pages/docs/operation.ts';
import { notFoundPage, operationPath, overviewPage } from '../../pages/docs/overview.ts';
import { schemaPage } from '../../pages/docs/schema.ts';
import type { HtmlPage, PlacedSite } from '../../pages/layout.ts';
import { entityTag } from '../answers.ts';
import { createBodyCache, type RenderedBody } from '../list-cache.ts';
import { type OpenApiInfo, type OpenApiPaths, openapiDocument } from '../openapi.ts';
import { type HtmlPages, type KeptPage, keptPage, NO_OPERATION } from './html-pages.ts';

/** The cache key of the page for unknown addresses. */
const NOWHERE = '';
/** Twice the size of all pages for one origin. */
const KEPT_BYTES = 32 * 1_024 * 1_024;

/**
 * GET /docs and below: the documents of the package with their pictures, and the API reference, rendered from the OpenAPI document.
 * Each page is rendered on its first request and cached by origin, because its commands contain the origin.
 */
export function docsPages(
  server: FastifyInstance,
  pages: HtmlPages,
  info: OpenApiInfo,
  paths: OpenApiPaths,
): void {
  const { site } = pages;
  const kept = createBodyCache<KeptPage & RenderedBody>(KEPT_BYTES);
  // on the first request: all routes are registered by then
  const known = once(() => {
    const html = documentPages(openapiDocument(info, paths) as unknown as ApiDocument);
    return new Map<string, (here: PlacedSite) => KeptPage>([
      ...html.map(([path, make]) => [path, (here: PlacedSite) => keptPage(here, make(here))] as const),
      ...[...readGuideFiles().pictures].map(([path, body]) => [path, () => picture(body)] as const),
    ]);
  });
  for (const url of ['/docs', '/docs/*'])
    server.get(url, NO_OPERATION, async (request, reply) => {
      const path = request.url.split('?', 1)[0]?.replace(/\/$/, '') ?? '';
      const place = known().has(path) ? path : NOWHERE;
      const here = pages.siteFor(request);
      const name = `${here.origin} ${place}`;
      const page = kept.get(name, '', 0) ?? known().get(place)?.(here) ?? keptPage(site, notFoundPage(site));
      kept.set(name, '', { ...page, validUntil: 0 });
      if (place === NOWHERE) reply.code(404);
      return pages.send(request, reply, page);
    });
}

/** The render function of each page by its path. */
function documentPages(
  document: ApiDocument,
): readonly (readonly [path: string, make: (site: PlacedSite) => HtmlPage])[] {
  const files = readGuideFiles();
  return [
    ['/docs', (site) => docsFrontPage(site, files.guides)],
    ...files.guides.map(
      (guide) => [guide.path, (site: PlacedSite) => guidePage(site, files, guide)] as const,
    ),
    ['/docs/api', (site) => overviewPage(site, document)],
    ...operationsOf(document).map(
      (one) =>
        [
          operationPath(one.operation.operationId),
          (site: PlacedSite) => operationPage(site, document, one),
        ] as const,
    ),
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) =>
        [`/docs/schemas/${name}`, (site: PlacedSite) => schemaPage(site, document, name, schema)] as const,
    ),
  ];
}

function picture(body: Buffer): KeptPage {
  return { body, etag: entityTag(body), mediaType: 'image/png' };
}
