import type { PageSite } from '../../pages/layout.ts';
import type { Encoding } from '../answers.ts';
import { madeAgent, madeAgentPublishers } from './agent.ts';
import { madeDirectory } from './directory.ts';
import { madeBrands, madePublishers } from './domain-lists.ts';
import { madeLookUp } from './look-up.ts';
import type { Elsewhere, MadePage, PageMaker, PageSources } from './made-page.ts';
import { keepLeadingPublishers } from './publisher-list.ts';
import { madeBrand, madeNetwork, madePublisher } from './publishers.ts';

/** The public pages that are made of the records and the index. */
const MAKERS = {
  directory: madeDirectory,
  agent: madeAgent,
  agentPublishers: madeAgentPublishers,
  publishers: madePublishers,
  publisher: madePublisher,
  brands: madeBrands,
  brand: madeBrand,
  lookUp: madeLookUp,
  network: madeNetwork,
} satisfies Readonly<Record<string, PageMaker>>;

/** A page to make, possibly in another thread. */
export interface PageOrder {
  readonly kind: keyof typeof MAKERS;
  /** The subject of the page, as in the URL; '' for a list. */
  readonly of: string;
  /** Its parameters. */
  readonly query: string;
  /** The origin that the caller used; the content of a page depends on it. */
  readonly origin: string;
  /** The content encoding that the caller accepts. */
  readonly encoding?: Encoding;
}

/** Makes a page. Rejects with HttpProblems, and RegistryErrors of the engines. */
export type MakePage = (order: PageOrder) => Promise<MadePage | Elsewhere>;

export function makePageOf({
  site,
  ...parts
}: Omit<PageSources, 'site' | 'leading'> & { readonly site: PageSite }): MakePage {
  const leading = keepLeadingPublishers(parts);
  return ({ kind, of, query, origin }) =>
    MAKERS[kind]({ ...parts, leading, site: { ...site, origin } }, of, query);
}
