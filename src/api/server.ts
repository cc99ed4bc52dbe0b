import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { TierTable } from '../compliance/badges/conditions.ts';
import type { FileChecks } from '../discovery/file-checks.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Credentials } from '../owners/credentials.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import type { AgentSignatures } from '../signing/agent-keys.ts';
import type { BadgeKeySource } from '../signing/badge-key-source.ts';
import { type BadgeKeys, badgeKeysOf } from '../signing/badge-keys.ts';
import { identifyCallers, type Limiter, type RateLimit } from './callers.ts';
import { createHttpServer } from './http-server.ts';
import { createBodyCache } from './list-cache.ts';
import { collectPaths } from './openapi.ts';
import { applicableStoryboardsOperation } from './operations/applicable-storyboards.ts';
import { badgeEmbedOperations } from './operations/badge-embed.ts';
import { badgeKeysOperations } from './operations/badge-keys.ts';
import { badgePictureOperation } from './operations/badge-picture.ts';
import { badgeTimelineOperation } from './operations/badge-timeline.ts';
import { badgeTokenOperation } from './operations/badge-token.ts';
import { complianceOperations } from './operations/compliance.ts';
import { crawlRequestOperations } from './operations/crawl-requests.ts';
import { discoveredAgentOperations } from './operations/discovered-agent.ts';
import { graphOperations } from './operations/graph/graph.ts';
import { healthHistoryOperation } from './operations/health-history.ts';
import { cursorSecretOf, listAgentsOperation } from './operations/list-agents.ts';
import { memberOperations } from './operations/members.ts';
import { notBuiltOperations } from './operations/not-built.ts';
import { ownerOperations } from './operations/owner-operations.ts';
import { schemaOperations } from './operations/schemas.ts';
import { searchAgentsOperation } from './operations/search-agents.ts';
import { apiIndexOperation, healthOperations } from './operations/service.ts';
import { showAgentOperation } from './operations/show-agent.ts';
import { startRunOperation } from './operations/start-run/start-run.ts';
import { statsOperation } from './operations/stats.ts';
import { storyboardOperations } from './operations/storyboard-status.ts';
import { openStoryboards, storyboardCatalogueOperations } from './operations/storyboards.ts';
import { validationOperations } from './operations/validation/validate.ts';
import { allPages } from './pages/all-pages.ts';
import { readPageParts } from './pages/html-pages.ts';
import { ownerPages } from './pages/owner/owner-pages.ts';
import { pagesOfProblems } from './pages/problem.ts';

export interface ServerConfig {
  /** Absent: no limit. */
  readonly rateLimit?: RateLimit;
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed; nobody else's is. */
  readonly trustedProxies: readonly string[];
  /** Of the program. */
  readonly version: string;
  /** The public address without a trailing slash; absent: links are relative. */
  readonly baseUrl?: string;
  /** What badges are signed with, for good or at each moment; absent: with a key that is kept in the records. */
  readonly badgeKeys?: BadgeKeys | BadgeKeySource;
  /** Which memberships grant badges; absent: the usual ones. */
  readonly tiers?: TierTable;
  /** The version of the protocol that agents are tested for; absent: the newest. */
  readonly complianceTarget?: string;
  /** For rendered list answers, bytes. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** For an answer, milliseconds; 503 after it. Default 5,000. */
  readonly answerWithinMs?: number;
}

export interface ServerOptions {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Why this process could not write to the records or the index when it last tried; undefined while it can. */
  readonly writeFaults?: () => readonly unknown[];
  /** Brings what an owner changed into the list, within the time that a caller may wait for it. */
  readonly onChanged?: () => Promise<void>;
  /** What requests are verified with that agents sign; absent: no signed request is taken. */
  readonly signatures?: AgentSignatures;
  /** The test credentials of owners; absent: none can be stored. */
  readonly credentials?: Credentials;
  /** Checks files for strangers; absent: nobody is visited for a caller. */
  readonly checks?: FileChecks;
  readonly config: ServerConfig;
}

/** Makes the HTTP server with all its operations; `serve` makes it listen, `close` ends it. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { config } = options;
  const pages = readPageParts(config);
  const pageOfProblem = pagesOfProblems(pages);
  const { server, limiter } = createHttpServer({ ...options, ...config, pageOfProblem });
  server.register(async (all) => {
    const paths = collectPaths(all);
    let answer = (): Promise<unknown> => Promise.resolve();
    await all.register(async (registry) => {
      answer = await registryOperations(registry, options, limiter);
      apiIndexOperation(registry, config, paths);
      notBuiltOperations(registry, paths);
    });
    await all.register(async (open) => {
      open.addHook('onRequest', async (request, reply) => void (await limiter(request, reply)));
      schemaOperations(open);
      const cursorSecret = await cursorSecretOf(options.records);
      allPages(open, { ...options, ...config, cursorSecret, pages, info: config, paths });
    });
    await all.register(async (own) => {
      const cursorSecret = await cursorSecretOf(options.records);
      ownerPages(own, { ...options, ...config, limiter, cursorSecret, pages });
    });
    await all.register(async (probes) => {
      healthOperations(probes, { ...options, answer });
    });
  });
  return server;
}

const CACHE_BYTES = 64 * 1_024 * 1_024;

/** The registry's operations, in the order of the OpenAPI document; each knows its caller. Returns what asks as callers do. */
async function registryOperations(
  server: FastifyInstance,
  options: ServerOptions,
  limiter: Limiter,
): Promise<() => Promise<unknown>> {
  const { records, config, clock } = options;
  const { baseUrl = '', tiers } = config;
  const parts = { ...options, baseUrl, ...(tiers && { tiers }) };
  const { rateLimit } = config;
  identifyCallers(server, { keys: records.keys, clock, limiter, ...(rateLimit && { rateLimit }) });
  const graph = { ...parts, cursorSecret: await cursorSecretOf(records) };
  const answer = listAgentsOperation(server, {
    ...graph,
    cache: createBodyCache(config.cacheBytes ?? CACHE_BYTES),
  });
  searchAgentsOperation(server, graph);
  showAgentOperation(server, parts);
  discoveredAgentOperations(server, parts);
  healthHistoryOperation(server, parts);
  complianceOperations(server, parts);
  storyboardOperations(server, parts);
  const storyboards = openStoryboards(config.complianceTarget);
  applicableStoryboardsOperation(server, { ...parts, storyboards });
  storyboardCatalogueOperations(server, storyboards);
  await startRunOperation(server, parts);
  badgeTimelineOperation(server, parts);
  badgePictureOperation(server, parts);
  badgeEmbedOperations(server, parts);
  const badgeKeys = config.badgeKeys ?? (await badgeKeysOf(await records.secret('badge', 32)));
  const badges = {
    ...parts,
    keys: typeof badgeKeys === 'function' ? badgeKeys : async () => badgeKeys,
    issuer: config.baseUrl ?? `urn:uuid:${await records.id()}`,
  };
  badgeTokenOperation(server, badges);
  badgeKeysOperations(server, badges);
  ownerOperations(server, graph);
  memberOperations(server, graph);
  statsOperation(server, parts);
  crawlRequestOperations(server, graph);
  graphOperations(server, graph);
  validationOperations(server, parts);
  return answer;
}
