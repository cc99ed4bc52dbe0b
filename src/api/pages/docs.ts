import type { FastifyInstance } from 'fastify';
import { once } from '../../base/once.ts';
import { type ApiDocument, operationsOf } from '../../pages/docs/document.ts';
import { readGuideFiles } from '../../pages/docs/guide-files.ts';
import { docsFrontPage, guidePage } from '../../pages/docs/guides.ts';
import { operationPage } from '../../pages/docs/operation.ts';
import { notFoundPage, operationPath, overviewPage } from '../../pages/docs/overview.ts';
import { schemaPage } from '../../pages/docs/schema.ts';
import type { HtmlPage, PageSite } from '../../pages/layout.ts';
import { entityTag } from '../answers.ts';
import { type OpenApiInfo, type OpenApiPaths, openapiDocument } from '../openapi.ts';
import { type HtmlPages, type KeptPage, keptPage, NO_OPERATION } from './html-pages.ts';

/** Where the page is kept that every other address gets. */
const NOWHERE = '';

/**
 * GET /docs and below: the documents of the package, with their pictures, and the API reference, from the OpenAPI document as it
 * is served. There are as many pages as both name, each made when somebody first asks for it.
 */
export function docsPages(
  server: FastifyInstance,
  pages: HtmlPages,
  info: OpenApiInfo,
  paths: OpenApiPaths,
): void {
  const { site } = pages;
  const kept = new Map<string, KeptPage>();
  // for the first who asks: all routes are registered by then
  const known = once(() => {
    const html = documentPages(site, openapiDocument(info, paths) as unknown as ApiDocument);
    return new Map<string, () => KeptPage>([
      ...html.map(([path, make]) => [path, () => keptPage(site, make())] as const),
      ...[...readGuideFiles().pictures].map(([path, body]) => [path, () => picture(body)] as const),
    ]);
  });
  for (const url of ['/docs', '/docs/*'])
    server.get(url, NO_OPERATION, async (request, reply) => {
      const path = request.url.split('?', 1)[0]?.replace(/\/$/, '') ?? '';
      const place = known().has(path) ? path : NOWHERE;
      const page = kept.get(place) ?? known().get(place)?.() ?? keptPage(site, notFoundPage(site));
      kept.set(place, page);
      if (place === NOWHERE) reply.code(404);
      return pages.send(request, reply, page);
    });
}

/** Each page by its path, with what makes it. */
function documentPages(
  site: PageSite,
  document: ApiDocument,
): readonly (readonly [path: string, make: () => HtmlPage])[] {
  const files = readGuideFiles();
  return [
    ['/docs', () => docsFrontPage(site, files.guides)],
    ...files.guides.map((guide) => [guide.path, () => guidePage(site, files, guide)] as const),
    ['/docs/api', () => overviewPage(site, document)],
    ...operationsOf(document).map(
      (one) => [operationPath(one.operation.operationId), () => operationPage(site, document, one)] as const,
    ),
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => [`/docs/schemas/${name}`, () => schemaPage(site, document, name, schema)] as const,
    ),
  ];
}

function picture(body: Buffer): KeptPage {
  return { body, etag: entityTag(body), mediaType: 'image/png' };
}
