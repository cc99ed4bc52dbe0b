import type { FastifyInstance } from 'fastify';
import { pageOfBrand } from '../../pages/files/brand.ts';
import { resolveBrands } from '../operations/graph/resolve-brands.ts';
import { type HtmlPages, NO_OPERATION } from './html-pages.ts';
import { askedOf, type DomainPageParts, type DomainRequest, domainPage, fitting } from './known-domains.ts';
import { fileParts } from './publishers.ts';

/** Characters of what a file says; of a longer one the page shows the rest only. */
const MAX_VALUE = 256 * 1024;

/** GET /brands/{domain} for people. */
export function pagesOfBrands(server: FastifyInstance, pages: HtmlPages, parts: DomainPageParts): void {
  const { site } = pages;
  const { graph, brands } = parts.records;
  server.get('/brands/:domain', NO_OPERATION, async (request: DomainRequest, reply) => {
    const asked = askedOf(request, ['revision']);
    const wanted = { kind: 'brands', text: request.params.domain, asked } as const;
    const { status, page } = await domainPage(pages, parts, wanted, async (domain) => {
      const file = await fileParts(parts, domain, 'brand', asked.get('revision') ?? undefined);
      if (file === undefined) return undefined;
      const [resolved, [own], [publisher]] = await Promise.all([
        resolveBrands(parts, [domain]),
        brands.files([domain], MAX_VALUE),
        graph.publishersAmong([domain]),
      ]);
      const known = resolved.get(domain);
      return fitting(site, (most) =>
        pageOfBrand(site, {
          ...{ domain, ...file, most },
          ...(known && { resolved: known }),
          ...(own?.value && { value: own.value }),
          ...{ propertyCount: publisher?.properties ?? 0, isPublisher: publisher?.isValid === true },
        }),
      );
    });
    return pages.send(request, reply.code(status), page);
  });
}
