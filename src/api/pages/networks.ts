import type { FastifyInstance } from 'fastify';
import { networkPage } from '../../pages/files/network.ts';
import { publishersOfNetwork, readNetworkQuestion } from '../operations/graph/network.ts';
import { type HtmlPages, NO_OPERATION } from './html-pages.ts';
import { askedOf, type DomainPageParts, type DomainRequest, domainPage, fitting } from './known-domains.ts';

/** GET /networks/{domain} for people: a page of the publishers whose file another domain keeps. */
export function networkPages(server: FastifyInstance, pages: HtmlPages, parts: DomainPageParts): void {
  server.get('/networks/:domain', NO_OPERATION, async (request: DomainRequest, reply) => {
    const asked = askedOf(request, ['show', 'search', 'cursor']);
    const wanted = { kind: 'networks', text: request.params.domain, asked } as const;
    const { status, page } = await domainPage(pages, parts, wanted, async (domain) => {
      const query = new URLSearchParams([...asked, ['domain', domain]]);
      const network = await publishersOfNetwork(parts, readNetworkQuestion(String(query)));
      return network && fitting(pages.site, () => networkPage(pages.site, { domain, asked, network }));
    });
    return pages.send(request, reply.code(status), page);
  });
}
