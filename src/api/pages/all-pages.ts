import type { FastifyInstance } from 'fastify';
import type { Budgets } from '../../budgets/budgets.ts';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { OpenApiInfo, OpenApiPaths } from '../openapi.ts';
import type { WorkForStrangers } from '../operations/for-strangers.ts';
import { documentOperations } from '../operations/service.ts';
import type { KeptFigures } from '../operations/stats.ts';
import type { StoryboardCatalogue } from '../operations/storyboards.ts';
import { badgePages } from './badge.ts';
import { crawlPages } from './crawls.ts';
import { docsPages } from './docs.ts';
import { assetFiles, htmlPages, type PageParts } from './html-pages.ts';
import { labPages } from './lab.ts';
import { type MakePage, makePageOf } from './page-makers.ts';
import { recordPages } from './record-pages.ts';
import { registryPages } from './registry.ts';
import { runPages } from './runs.ts';
import { storyboardPages } from './storyboards.ts';
import { validatePages } from './validate.ts';

export interface AllPagesParts extends WorkForStrangers {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly cursorSecret: Uint8Array;
  readonly tiers?: TierTable;
  readonly complianceTarget?: string;
  readonly figures: KeptFigures;
  readonly storyboards: StoryboardCatalogue;
  readonly pages: PageParts;
  /** Makes pages beside the loop, in place of what makes them on it; absent: that does. */
  readonly pagesBeside?: (here: MakePage) => MakePage;
  /** What the OpenAPI document says, which some pages show. */
  readonly info: OpenApiInfo;
  readonly paths: OpenApiPaths;
}

/** Every page that is the same for everybody, and what they load. Whoever asks is counted before. */
export function allPages(
  server: FastifyInstance,
  { info, paths, pagesBeside, ...parts }: AllPagesParts,
): void {
  const pages = htmlPages(parts.pages);
  const here = makePageOf({ ...parts, site: pages.site });
  const make = pagesBeside?.(here) ?? here;
  assetFiles(server, parts.pages);
  documentOperations(server, info, paths, recordPages(server, pages, { ...parts, make }));
  storyboardPages(server, pages, parts);
  registryPages(server, pages, parts);
  runPages(server, pages, parts);
  badgePages(server, pages, parts);
  docsPages(server, pages, info, paths);
  server.register(async (forms) => crawlPages(forms, pages, parts));
  server.register(async (forms) => validatePages(forms, pages, parts));
  server.register(async (forms) => labPages(forms, pages, parts));
}
