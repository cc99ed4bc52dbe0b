import type { FastifyInstance } from 'fastify';
import { present } from '../base/json.ts';
import { type Budgets, createBudgets } from '../budgets/budgets.ts';
import { createBundleLibrary } from '../compliance/bundles/library.ts';
import { derivedKeys } from '../signing/badge-keys.ts';
import { ardManifest } from './ard/manifest.ts';
import { ardOperations } from './ard/operations.ts';
import { identifyCallers, type Limiter } from './callers.ts';
import { llmsText } from './guides.ts';
import { createHttpServer } from './http-server.ts';
import { cachedWhenRequestedAgain, createBodyCache } from './list-cache.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';
import { collectPaths } from './openapi.ts';
import { agentProductsOperation } from './operations/agent-products.ts';
import { applicableStoryboardsOperation } from './operations/applicable-storyboards.ts';
import { badgeEmbedOperations } from './operations/badge-embed.ts';
import { badgePictureOperation } from './operations/badge-picture.ts';
import { badgeTimelineOperation } from './operations/badge-timeline.ts';
import { badgeTokenOperation } from './operations/badge-token.ts';
import { changesOperation } from './operations/changes.ts';
import { complianceOperations } from './operations/compliance.ts';
import { crawlRequestOperations } from './operations/crawl-requests.ts';
import { discoveredAgentOperations } from './operations/discovered-agent.ts';
import { exportOperations } from './operations/export.ts';
import { atomOperation } from './operations/feed/atom.ts';
import { feedOperation } from './operations/feed/feed.ts';
import { feedStreamOperation } from './operations/feed/stream.ts';
import { strangerOperations, type WorkForStrangers, withBounds } from './operations/for-strangers.ts';
import { graphOperations } from './operations/graph/graph.ts';
import { healthHistoryOperation } from './operations/health-history.ts';
import { createJoining, type Joining } from './operations/joining.ts';
import { cursorSecretOf, listAgentsOperation } from './operations/list-agents.ts';
import { memberOperations } from './operations/members.ts';
import { notBuiltOperations } from './operations/not-built.ts';
import { ownerOperations } from './operations/owner-operations.ts';
import { createProving, type Proving } from './operations/ownership-proof.ts';
import { badgeKeysOperations, webhookKeysOperation } from './operations/published-keys.ts';
import { schemaOperations } from './operations/schemas.ts';
import { searchAgentsOperation } from './operations/search-agents.ts';
import { apiIndexOperation, healthOperations } from './operations/service.ts';
import { showAgentOperation } from './operations/show-agent.ts';
import { startRunOperation } from './operations/start-run/start-run.ts';
import { type KeptFigures, keepFigures, statsOperation } from './operations/stats.ts';
import { storyboardOperations } from './operations/storyboard-status.ts';
import {
  openStoryboards,
  type StoryboardCatalogue,
  storyboardCatalogueOperations,
} from './operations/storyboards.ts';
import { subscriptionOperations } from './operations/subscriptions/subscription-operations.ts';
import { allPages } from './pages/all-pages.ts';
import { readPageParts } from './pages/html-pages.ts';
import { ownerPages } from './pages/owner/owner-pages.ts';
import { pagesOfProblems } from './pages/problem.ts';
import type { ServerOptions } from './server-options.ts';

/** Makes the HTTP server with all its operations; `serve` makes it listen, `close` ends it. */
export function createServer(given: ServerOptions): FastifyInstance {
  const { budgets = createBudgets(given.records) } = given;
  const options = withBounds({ ...given, budgets });
  const { config } = options;
  const pages = readPageParts(config);
  const figures = keepFigures({ ...options, version: config.version, ...present({ build: config.build }) });
  const storyboards = openStoryboards({
    records: options.records,
    library: options.library ?? createBundleLibrary(''),
    ...present({ usual: config.complianceTarget }),
  });
  const pageOfProblem = pagesOfProblems(pages);
  const onUntrustedProxy = (address: string) =>
    void options.records
      .noteUntrustedProxy({ address, at: options.clock.now() })
      .catch((err: unknown) =>
        options.logger.warn({ err }, 'the untrusted proxy could not be recorded for doctor'),
      );
  const { server, limiter } = createHttpServer({ ...options, ...config, pageOfProblem, onUntrustedProxy });
  const { tiers } = config;
  const proving = createProving({ ...options, ...(tiers && { tiers }) });
  const joining = createJoining({ ...options, ...present({ join: config.join }) });
  server.register(async (all) => {
    const paths = collectPaths(all);
    let answer = (): Promise<unknown> => Promise.resolve();
    await all.register(async (registry) => {
      answer = await registryOperations(
        registry,
        { ...options, figures, storyboards, proving, joining },
        limiter,
      );
      apiIndexOperation(registry, config, paths);
      mcpEndpoint(registry, config, paths, limiter);
      notBuiltOperations(registry, paths);
    });
    await all.register(async (open) => {
      open.addHook('onRequest', async (request, reply) => void (await limiter(request, reply)));
      schemaOperations(open);
      llmsText(open, config.baseUrl);
      ardManifest(open, config);
      const cursorSecret = await cursorSecretOf(options.records);
      allPages(open, {
        ...options,
        ...config,
        cursorSecret,
        figures,
        storyboards,
        pages,
        info: config,
        paths,
      });
    });
    await all.register(async (own) => {
      const cursorSecret = await cursorSecretOf(options.records);
      ownerPages(own, { ...options, ...config, limiter, cursorSecret, pages, proving, joining });
    });
    await all.register(async (probes) => {
      healthOperations(probes, { ...options, answer });
    });
  });
  return server;
}

/** What operations and pages both read. */
interface SharedParts {
  readonly budgets: Budgets;
  readonly proving: Proving;
  readonly joining: Joining;
  readonly figures: KeptFigures;
  readonly storyboards: StoryboardCatalogue;
}

const CACHE_BYTES = 64 * 1_024 * 1_024;

/** The registry's operations, in the order of the OpenAPI document; each knows its caller. Returns what asks as callers do. */
async function registryOperations(
  server: FastifyInstance,
  options: Omit<ServerOptions, 'checks'> & WorkForStrangers & SharedParts,
  limiter: Limiter,
): Promise<() => Promise<unknown>> {
  const { records, config, clock } = options;
  const { baseUrl = '', tiers, complianceTarget } = config;
  const parts = { ...options, baseUrl, ...(tiers && { tiers }), ...present({ complianceTarget }) };
  identifyCallers(server, { keys: records.keys, clock, limiter, budgets: options.budgets });
  const graph = { ...parts, cursorSecret: await cursorSecretOf(records) };
  const answer = listAgentsOperation(server, {
    ...graph,
    cache: cachedWhenRequestedAgain(createBodyCache(config.cacheBytes ?? CACHE_BYTES)),
  });
  searchAgentsOperation(server, graph);
  showAgentOperation(server, parts);
  discoveredAgentOperations(server, parts);
  agentProductsOperation(server, parts);
  healthHistoryOperation(server, parts);
  complianceOperations(server, parts);
  storyboardOperations(server, parts);
  applicableStoryboardsOperation(server, parts);
  storyboardCatalogueOperations(server, parts.storyboards);
  await startRunOperation(server, parts);
  badgeTimelineOperation(server, parts);
  badgePictureOperation(server, parts);
  badgeEmbedOperations(server, parts);
  const badgeKeys = config.badgeKeys ?? (await derivedKeys(await records.secret('badge', 32), 'badge'));
  const badges = {
    ...parts,
    keys: typeof badgeKeys === 'function' ? badgeKeys : async () => badgeKeys,
    issuer: config.baseUrl ?? `urn:uuid:${await records.id()}`,
  };
  badgeTokenOperation(server, badges);
  badgeKeysOperations(server, badges);
  ownerOperations(server, graph);
  subscriptionOperations(server, graph);
  webhookKeysOperation(server, (await derivedKeys(await records.secret('webhook', 32), 'webhook')).published);
  memberOperations(server, graph);
  statsOperation(server, parts);
  changesOperation(server, parts);
  feedOperation(server, graph);
  exportOperations(server, { ...graph, ...(config.exports !== undefined && { exports: config.exports }) });
  feedStreamOperation(server, graph);
  atomOperation(server, graph);
  crawlRequestOperations(server, graph);
  graphOperations(server, graph);
  strangerOperations(server, parts);
  ardOperations(server, graph);
  return answer;
}
