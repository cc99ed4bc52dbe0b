import type { FastifyInstance } from 'fastify';
import { parseDomain } from '../../domain/domain-name.ts';
import { type DomainListView, domainListPage } from '../../pages/files/domain-list.ts';
import { domainPath } from '../../pages/files/file-parts.ts';
import { amountText } from '../../pages/texts.ts';
import { listedBrands } from '../operations/graph/brand-files.ts';
import { listedPublishers, readListQuestion } from '../operations/graph/list-properties.ts';
import { type HtmlPages, keptPage, NO_OPERATION } from './html-pages.ts';
import { askedOf, type DomainPageParts, domainPage, hostIn } from './known-domains.ts';

type Listed = Pick<DomainListView, 'domains' | 'cursor'>;

/** GET /publishers and /brands for people. With `domain` the first leads to the page of that domain. */
export function domainListPages(server: FastifyInstance, pages: HtmlPages, parts: DomainPageParts): void {
  const { site } = pages;
  server.get('/publishers', NO_OPERATION, async (request, reply) => {
    const asked = askedOf(request, ['search', 'cursor', 'domain']);
    const wanted = asked.get('domain');
    if (wanted !== null) {
      const parsed = parseDomain(hostIn(wanted));
      if (parsed.ok) return reply.redirect(domainPath(site, 'publishers', parsed.domain), 303);
      const place = { kind: 'publishers', text: wanted, asked } as const;
      const { status, page } = await domainPage(pages, parts, place, async () => undefined);
      return pages.send(request, reply.code(status), page);
    }
    const page = await parts.keep(`/publishers?${asked}`, async () => {
      const { properties, next_cursor } = await listedPublishers(parts, questionOf(asked));
      const domains = properties.map(({ domain, property_count: count, agent_count: agents }) => ({
        domain,
        about: `${amountText(agents, 'agent')}, ${amountText(count, 'property', 'properties')}`,
      }));
      return keptPage(site, list('publishers', asked, { domains, cursor: next_cursor ?? null }));
    });
    return pages.send(request, reply, page);
  });
  server.get('/brands', NO_OPERATION, async (request, reply) => {
    const asked = askedOf(request, ['search', 'cursor']);
    const page = await parts.keep(`/brands?${asked}`, async () => {
      const { brands, next_cursor } = await listedBrands(parts, questionOf(asked));
      const domains = brands.map(({ domain, brand_name: name, house_domain: house }) => ({
        domain,
        about: [name, house === undefined || house === domain ? undefined : `of ${house}`]
          .filter((text) => text !== undefined && text !== domain)
          .join(', '),
      }));
      return keptPage(site, list('brands', asked, { domains, cursor: next_cursor ?? null }));
    });
    return pages.send(request, reply, page);
  });

  function list(kind: DomainListView['kind'], asked: URLSearchParams, listed: Listed) {
    const operation = { publishers: '/api/properties/registry', brands: '/api/brands/registry' }[kind];
    const query = String(asked).replaceAll("'", '%27');
    const jsonPath = `${operation}${query === '' ? '' : `?${query}`}`;
    return domainListPage(site, { kind, asked, ...listed, jsonPath });
  }
}

function questionOf(asked: URLSearchParams) {
  return readListQuestion(String(asked), 'the list');
}
