import type { FastifyRequest } from 'fastify';
import { isObject } from '../../base/json.ts';
import { DOMAIN_PROBLEMS, parseDomain, registrableDomain } from '../../domain/domain-name.ts';
import { unknownDomainPage } from '../../pages/files/domain-list.ts';
import type { DomainPageKind } from '../../pages/files/file-parts.ts';
import type { HtmlPage, PageSite } from '../../pages/layout.ts';
import { nearestDomains } from '../../query/nearest.ts';
import type { TaggedAnswer } from '../answers.ts';
import { beginOf } from '../operations/graph/list-properties.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import { queryText, searchParams } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { MAX_PAGE_BYTES } from './directory.ts';
import type { KeepPage } from './html-pages.ts';
import { type HtmlPages, type KeptPage, keptPage } from './html-pages.ts';

/** Known domains that are compared with one that is not known. */
const MAX_COMPARED = 500;
/** Of all parameters but the cursor: each link of a page carries them. */
const MAX_ASKED = 1_500;
const USUAL_ITEMS = 50;

export type DomainRequest = FastifyRequest<{ Params: { domain: string } }>;

/** The parameters of a page: those that a form left empty are not asked for. Throws HttpProblems. */
export function askedOf(request: FastifyRequest, names: readonly string[]): URLSearchParams {
  const asked = new URLSearchParams(
    [...searchParams(queryText(request))].filter(([, value]) => value !== ''),
  );
  for (const name of [...asked.keys()]) if (!names.includes(name)) asked.delete(name);
  const rest = new URLSearchParams([...asked].filter(([name]) => name !== 'cursor'));
  if (String(rest).length > MAX_ASKED)
    throw new HttpProblem('value_too_long', `a page takes ${MAX_ASKED} characters of parameters`);
  return asked;
}

/** A page with as many items in its lists as there is room for. */
export function fitting(site: PageSite, pageWith: (most: number) => HtmlPage): KeptPage {
  for (let most = USUAL_ITEMS; ; most = Math.floor(most / 2)) {
    const page = keptPage(site, pageWith(most));
    if (page.body.length <= MAX_PAGE_BYTES || most === 0) return page;
  }
}

export interface DomainPageParts extends GraphParts {
  readonly keep: KeepPage;
}

interface AskedDomain {
  readonly kind: DomainPageKind;
  /** The domain as it stands in the address. */
  readonly text: string;
  /** What the page reads beside it. */
  readonly asked: URLSearchParams;
}

/** The page of a domain, or one that offers what is near: for a text that is no domain, and where `page` has none. */
export async function domainPage(
  { site }: HtmlPages,
  parts: DomainPageParts,
  { kind, text, asked: given }: AskedDomain,
  page: (domain: string) => Promise<KeptPage | undefined>,
): Promise<{ readonly status: 200 | 404; readonly page: TaggedAnswer }> {
  const parsed = parseDomain(text.slice(0, 1_000));
  const found = parsed.ok
    ? await parts.keep(`/${kind}/${parsed.domain}?${given}`, () => page(parsed.domain))
    : undefined;
  if (found !== undefined) return { status: 200, page: found };
  const asked = parsed.ok ? parsed.domain : text;
  const view = {
    ...{ kind, asked },
    reason: parsed.ok ? REASONS[kind] : DOMAIN_PROBLEMS[parsed.problem],
    near: await domainsNear(parts, kind, asked),
    ...(parsed.ok &&
      kind === 'networks' &&
      (await isPublisher(parts, parsed.domain)) && {
        elsewhere: 'publishers' as const,
      }),
  };
  return { status: 404, page: keptPage(site, unknownDomainPage(site, view)) };
}

const REASONS: Readonly<Record<DomainPageKind, string>> = {
  publishers: 'the registry has never heard of this domain',
  brands: 'the registry has never heard of this domain',
  networks: 'no publisher leads to this domain, and it names none',
};

async function isPublisher({ records }: GraphParts, domain: string): Promise<boolean> {
  return isObject((await records.graph.publishersAmong([domain]))[0]);
}

/** Known domains that begin alike, and those of the same owner, the nearest first. */
async function domainsNear(
  { records }: GraphParts,
  kind: DomainPageKind,
  asked: string,
): Promise<readonly string[]> {
  const wanted = hostIn(asked);
  const read = async (begin: string, limit: number): Promise<readonly string[]> => {
    const after = beginOf(begin);
    if (kind === 'brands') return records.brands.domains({ after, skipped: 0, limit });
    return (await records.graph.publishers(after, limit)).map(({ domain }) => domain);
  };
  const begins = [wanted.slice(0, 2), wanted.replace(/^www\./, '').slice(0, 3), registrableDomain(wanted)];
  const lists = await Promise.all(begins.map((begin) => read(begin, MAX_COMPARED)));
  return nearestDomains(wanted, [...new Set(lists.flat())]);
}

/** The host in what somebody pasted: an address has a scheme before it and a path behind it. */
export function hostIn(text: string): string {
  const bare = text.slice(0, 2_000).trim().toLowerCase();
  return bare
    .replace(/^[a-z]+:\/+/, '')
    .replace(/[/:?#].*$/s, '')
    .slice(0, 253);
}
