import { VERSION } from '../../version.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { integerFlag, PORTS, textFlag, toggle } from '../flags.ts';
import { onInterrupt } from '../interrupt.ts';
import { printLine } from '../output/print.ts';
import { configOf, networkOf, publicFaceOf } from '../setup/settings.ts';
import { withStore } from '../setup/store.ts';
import { LOG_FLAGS, METRICS_FLAGS, NETWORK_FLAGS, STORE_FLAGS } from '../shared-flags.ts';

/** Until SIGTERM or SIGINT. */
export default command({
  name: 'serve',
  description: 'Serve the pages and the HTTP API. SIGTERM finishes open requests and stops.',
  flags: {
    port: integerFlag('--port <n>', 'TCP port; 0 picks a free port and prints it', PORTS, 8080),
    host: textFlag('--host <address>', 'address to listen on', '127.0.0.1'),
    create: toggle('--create', 'create an empty store if none exists'),
    ...METRICS_FLAGS,
    ...NETWORK_FLAGS,
    ...STORE_FLAGS,
    ...LOG_FLAGS,
  },
  examples: [
    'agent-registry serve --port 8080',
    'curl "http://127.0.0.1:8080/api/registry/agents?type=sales&health=true"',
  ],
  async run(flags) {
    const { buildLine } = await import('../version-line.ts');
    const { createBundleLibrary } = await import('../../compliance/bundles/library.ts');
    const { serve } = await import('../../api/serve.ts');
    const { createServer } = await import('../../api/server.ts');
    const { newestExport } = await import('../../api/export/files.ts');
    const { composeAgentSignatures } = await import('../../compose/signature-keys.ts');
    const { composeAudit } = await import('../../compose/audit.ts');
    const { composeCredentials } = await import('../../compose/credentials.ts');
    const { composeFileChecks } = await import('../../compose/file-checks.ts');
    const { composeUrlFault, localWay } = await import('../../compose/network.ts');
    const { composeProofs } = await import('../../compose/proofs.ts');
    const { keepAuditHeads } = await import('../setup/audit-heads.ts');
    const { deriveStored } = await import('../../discovery/derive-facts.ts');
    const { stitchNow, stitchWhileServing } = await import('../../index/generations/keep-indexed.ts');
    const { createDueLevels } = await import('../../ops/level-counts.ts');
    const { createLog } = await import('../../ops/log.ts');
    const { createMetrics } = await import('../../ops/metrics.ts');
    const { reportClock } = await import('../../ops/clock-report.ts');
    const { reportIndexing } = await import('../../ops/engine-metrics.ts');
    const { openTracing } = await import('../../ops/trace.ts');
    const { openPageThread } = await import('../setup/page-thread.ts');
    const { wakeSubscribers } = await import('../setup/wake-ups.ts');
    const { createBudgets } = await import('../../budgets/budgets.ts');
    const { serveProcess } = await import('../setup/process-http.ts');
    const metrics = createMetrics({ version: VERSION, process: true });
    const config = configOf(flags);
    const network = await networkOf(flags, config);
    const logger = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
    const face = await publicFaceOf(config, (err) =>
      logger.warn({ err }, 'badge keys cannot be read; the previous keys stay in use'),
    );
    // fail fast; the caller can retry
    const opening = { create: flags.create === true, patienceMs: 0, onIndexRetried: metrics.indexRetried };
    return withStore(flags, opening, async ({ records, index, clock }) => {
      await using open = new AsyncDisposableStack();
      reportClock(clock, logger, metrics);
      const tracing = await openTracing({ log: logger });
      open.defer(() => tracing.close());
      const rateLimit = { max: config.rateLimit, windowMs: 60_000 };
      const audit = await composeAudit(config, records, clock);
      const agents = composeAgentSignatures(config, network, { records, clock });
      open.defer(() => agents.close());
      const checks = composeFileChecks({
        ...{ config, network, politeness: records.politeness, clock },
        onFault: (err) => logger.warn({ err }, 'the rate-limit slot of a checked site was not released'),
      });
      open.defer(() => checks.close());
      const proofs = composeProofs({ config, network, robots: records.robots, clock });
      open.defer(() => proofs.close());
      const credentials = await composeCredentials(config, records, clock, checks.exchange);
      const { badgeKeys: _, ...ofPages } = face;
      const pages = openPageThread({ config, ...ofPages });
      open.defer(pages.close);
      let stitching: ReturnType<typeof stitchWhileServing> | undefined;
      const { onFault, ...reports } = reportIndexing(logger, metrics);
      const { signal, dispose } = onInterrupt();
      open.defer(dispose);
      const indexer = {
        records,
        index,
        clock,
        rederive: deriveStored,
        signal,
        tracing,
        ...reports,
      };
      const budgets = createBudgets(records);
      const server = createServer({
        records,
        index,
        clock,
        logger,
        metrics,
        writeFaults: () => stitching?.faults() ?? [],
        onChanged: () => stitchNow(indexer, onFault),
        credentials,
        checks,
        findProof: proofs.find,
        urlFault: composeUrlFault(network),
        budgets,
        pagesBeside: pages.beside,
        signatures: agents.signatures,
        library: createBundleLibrary(config.bundles),
        config: {
          version: VERSION,
          build: buildLine(),
          trustedProxies: config.trustedProxies,
          rateLimit,
          exports: config.exports,
          join: config.join,
          tester: {
            testAgent: config.testAgent,
            testOperator: config.testOperator,
            testBrand: config.testBrand,
            localWay: localWay(network),
          },
          ...face,
        },
      });
      const countDue = createDueLevels({ records, metrics, clock });
      // past one file there are many processes, and the scheduler counts for all of them
      const levels = config.store.startsWith('sqlite:') ? countDue : async () => {};
      const refresh = async () => {
        const newest = await newestExport(config.exports);
        metrics.exportAge(newest === undefined ? 0 : Math.max(0, clock.now() - newest.at) / 1_000);
        metrics.selfCheck(await records.selfCheck(), clock.now());
        metrics.subscriptions(await records.subscriptions.levels(), clock.now());
        await levels();
      };
      const place = { port: flags.metricsPort, host: flags.metricsHost };
      // the last steps: everything else is ready
      const figures = await serveProcess(place, { logger, metrics, refresh, checks: {} });
      open.defer(() => figures.stop());
      const serving = await serve({ server, host: flags.host, port: flags.port, signal });
      open.defer(keepAuditHeads(audit, logger));
      stitching = stitchWhileServing(indexer, onFault);
      open.defer(stitching.stop);
      open.defer(await wakeSubscribers({ config, network, records, clock, log: logger, budgets }));
      printLine(`listening on ${serving.url}`);
      printLine(`try: curl '${serving.url}/api/registry/agents?type=sales&health=true&limit=2'`);
      await serving.stopped;
      return EXIT.ok;
    });
  },
});
