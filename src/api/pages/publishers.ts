import type { FileKind } from '../../domain/declaration.ts';
import { pageOfBrand } from '../../pages/files/brand.ts';
import type { EntriesView } from '../../pages/files/entries.ts';
import { networkPage } from '../../pages/files/network.ts';
import { publisherPage } from '../../pages/files/publisher.ts';
import { COOLDOWN_MS } from '../operations/crawl-requests.ts';
import { readRevision, revisionDiff } from '../operations/graph/file-diffs.ts';
import { fileFindings } from '../operations/graph/file-findings.ts';
import { fileHistory } from '../operations/graph/file-histories.ts';
import { publishersOfNetwork, readNetworkQuestion } from '../operations/graph/network.ts';
import { publisherLookup } from '../operations/graph/publisher.ts';
import { publisherEntries, readEntriesQuestion } from '../operations/graph/publisher-entries.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import { resolveBrands } from '../operations/graph/resolve-brands.ts';
import { HttpProblem } from '../problem.ts';
import { shownVisit } from '../render/visit-state.ts';
import { fittingPage, type KeptPage } from './html-pages.ts';
import { pageOfDomain, USUAL_ITEMS } from './known-domains.ts';
import type { MadePage, PageSources } from './made-page.ts';

/** The parameters of the table of authorized agents. */
export const ENTRY_FILTERS = ['agent', 'country', 'property', 'type', 'cursor'];
const MOST_ENTRIES = '40';

/** `/publishers/{domain}`. */
export function madePublisher(parts: PageSources, text: string, query: string): Promise<MadePage> {
  return pageOfDomain(parts, 'publishers', text, (domain) =>
    shownPublisher(parts, domain, new URLSearchParams(query)),
  );
}

async function shownPublisher(
  parts: PageSources,
  domain: string,
  asked: URLSearchParams,
): Promise<KeptPage | undefined> {
  const file = await fileParts(parts, domain, 'adagents', asked.get('revision') ?? undefined);
  if (file === undefined) return undefined;
  const { graph, brands } = parts.records;
  const page = { after: '', limit: 1 };
  const [publisher, entries, pointing, named, [brand]] = await Promise.all([
    publisherLookup(parts, domain),
    entriesOf(parts, domain, asked),
    graph.pointingTo(domain, page),
    graph.namedBy(domain, page),
    brands.files([domain], 0),
  ]);
  const isNetwork = pointing.length + named.length > 0;
  return fittingPage(parts.site, USUAL_ITEMS, (most) =>
    publisherPage(parts.site, {
      ...{ domain, ...file, publisher, isNetwork, hasBrand: brand !== undefined, most },
      entries: { ...entries, entries: most > 10 ? entries.entries : entries.entries.slice(0, most) },
    }),
  );
}

/** The part that the pages of both files share; undefined for an unknown domain. Throws HttpProblems. */
async function fileParts(parts: GraphParts, domain: string, file: FileKind, revision: string | undefined) {
  const findings = await fileFindings(parts, domain, file);
  if (findings === undefined) return undefined;
  const history = await fileHistory(parts, domain, file);
  const diff = await revisionDiff(parts, domain, file, readRevision(revision));
  const visit = shownVisit(findings.visit, COOLDOWN_MS, parts.clock.now());
  return { visit, findings, history, ...(diff && { diff }) };
}

/** An invalid filter is reported and ignored; the others apply. */
async function entriesOf(parts: GraphParts, domain: string, given: URLSearchParams): Promise<EntriesView> {
  const asked = new URLSearchParams([...given].filter(([name]) => ENTRY_FILTERS.includes(name)));
  const query = new URLSearchParams([...asked, ['domain', domain], ['limit', MOST_ENTRIES]]);
  try {
    const found = await publisherEntries(parts, readEntriesQuestion(String(query)));
    const { entries, next_cursor: cursor, properties_truncated: isCut = false } = found;
    const saved = await parts.records.agents.saved([...new Set(entries.map((entry) => entry.agent_url))]);
    const agents = new Map(saved.map(({ agent, document }) => [agent, document?.base]));
    return { asked, entries, agents, cursor, isCut };
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status >= 500) throw error;
    const { parameter = '' } = error.details;
    const rest = new URLSearchParams([...asked].filter(([name]) => name !== parameter && name !== 'cursor'));
    const problem = `${parameter}: ${error.message}`;
    if (rest.size === asked.size) return { asked, entries: [], cursor: null, isCut: false, problem };
    return { ...(await entriesOf(parts, domain, rest)), asked, cursor: null, problem };
  }
}

/** `/networks/{domain}`: the publishers whose file is hosted by another domain. */
export function madeNetwork(parts: PageSources, text: string, query: string): Promise<MadePage> {
  const { site } = parts;
  const asked = new URLSearchParams(query);
  return pageOfDomain(parts, 'networks', text, async (domain) => {
    const question = readNetworkQuestion(String(new URLSearchParams([...asked, ['domain', domain]])));
    const network = await publishersOfNetwork(parts, question);
    if (network === undefined) return undefined;
    const visit = shownVisit(network.visit, COOLDOWN_MS, parts.clock.now());
    const view = { domain, asked, network: { ...network, visit } };
    return fittingPage(site, USUAL_ITEMS, () => networkPage(site, view));
  });
}

/** Characters of a file's content; of a longer file the page shows everything else. */
const MAX_VALUE = 256 * 1024;

/** `/brands/{domain}`. */
export function madeBrand(parts: PageSources, text: string, query: string): Promise<MadePage> {
  const { site } = parts;
  const { graph, brands } = parts.records;
  const revision = new URLSearchParams(query).get('revision') ?? undefined;
  return pageOfDomain(parts, 'brands', text, async (domain) => {
    const file = await fileParts(parts, domain, 'brand', revision);
    if (file === undefined) return undefined;
    const [resolved, [own], [publisher]] = await Promise.all([
      resolveBrands(parts, [domain]),
      brands.files([domain], MAX_VALUE),
      graph.publishersAmong([domain]),
    ]);
    const known = resolved.get(domain);
    return fittingPage(site, USUAL_ITEMS, (most) =>
      pageOfBrand(site, {
        ...{ domain, ...file, most },
        ...(known && { resolved: known }),
        ...(own?.value && { value: own.value }),
        ...{ propertyCount: publisher?.properties ?? 0, isPublisher: publisher?.isValid === true },
      }),
    );
  });
}
