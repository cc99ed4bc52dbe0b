import type { PlacedSite } from '../../pages/layout.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import type { InFullSources } from '../render/agent-in-full.ts';
import type { KeptPage } from './html-pages.ts';
import type { LeadingPublishers } from './publisher-list.ts';

/** The sources of public pages. */
export interface PageSources extends GraphParts, Pick<InFullSources, 'tiers'> {
  readonly records: Records;
  /** REGISTRY_COMPLIANCE_TARGET; absent: the newest line. */
  readonly complianceTarget?: string;
  readonly index: Pick<AgentIndex, 'find'>;
  readonly site: PlacedSite;
  /** The publishers on the first page of their list. */
  readonly leading: LeadingPublishers;
}

/** A page with its status. */
export interface MadePage extends KeptPage {
  readonly status: number;
}

/** A redirect; the location begins with the path of the public address. */
export interface Elsewhere {
  readonly status: 302 | 303;
  readonly location: string;
}

/** Makes a page: `of` is its subject, as in the URL, and `query` has its parameters. Throws HttpProblems. */
export type PageMaker = (parts: PageSources, of: string, query: string) => Promise<MadePage | Elsewhere>;
