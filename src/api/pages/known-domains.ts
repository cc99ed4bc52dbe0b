import { isObject } from '../../base/json.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import { unknownDomainPage } from '../../pages/files/domain-list.ts';
import type { DomainPageKind } from '../../pages/files/file-parts.ts';
import { domainsNear, hostIn } from '../domains-near.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import { type KeptPage, keptPage } from './html-pages.ts';
import type { MadePage, PageSources } from './made-page.ts';

/** In each list of a page. */
export const USUAL_ITEMS = 50;

/**
 * The page of a domain, also for the URL of one of its pages; or one with similar domains: for a text that is no domain name,
 * and where `page` has none.
 */
export async function pageOfDomain(
  parts: PageSources,
  kind: DomainPageKind,
  text: string,
  page: (domain: string) => Promise<KeptPage | undefined>,
): Promise<MadePage> {
  const given = parseDomain(text.slice(0, 1_000));
  const host = given.ok ? given : parseDomain(hostIn(text));
  const parsed = host.ok ? host : given;
  const found = parsed.ok ? await page(parsed.domain) : undefined;
  if (found !== undefined) return { status: 200, ...found };
  const asked = parsed.ok ? parsed.domain : text;
  const isElsewhere = parsed.ok && kind === 'networks' && (await isPublisher(parts, parsed.domain));
  const view = {
    ...{ kind, asked, isDomain: parsed.ok },
    reason: parsed.ok ? REASONS[kind] : DOMAIN_PROBLEMS[parsed.problem],
    near: await domainsNear(parts.records, kind === 'brands' ? 'brands' : 'publishers', asked),
    agents: parsed.ok ? await parts.records.authorisations.agentsOnHost(parsed.domain, MOST_AGENTS) : [],
    ...(isElsewhere && { elsewhere: 'publishers' as const }),
  };
  return { status: 404, ...keptPage(parts.site, unknownDomainPage(parts.site, view)) };
}

const MOST_AGENTS = 10;
const REASONS: Readonly<Record<DomainPageKind, string>> = {
  publishers: 'the registry has not crawled this domain',
  brands: 'the registry has not crawled this domain',
  networks: 'no publisher refers to a file of this domain, and its file names no other publisher',
};

async function isPublisher({ records }: GraphParts, domain: string): Promise<boolean> {
  return isObject((await records.graph.publishersAmong([domain]))[0]);
}
