import { serve } from '../../api/serve.ts';
import { createServer } from '../../api/server.ts';
import { composeAgentSignatures, composeCredentials, systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { stitchNow, stitchWhileServing } from '../../indexing/keep-indexed.ts';
import { reportIndexing } from '../../ops/engine-metrics.ts';
import { createLog } from '../../ops/log.ts';
import { createMetrics } from '../../ops/metrics.ts';
import { openTracing } from '../../ops/trace.ts';
import { VERSION } from '../../version.ts';
import type { ServeFlags } from '../commands/serve.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { printLine } from '../output/print.ts';
import { networkOf, publicFaceOf } from '../settings.ts';
import { withStore } from '../with-store.ts';

/** `registry serve`: until SIGTERM or SIGINT. */
export function serveCommand(flags: ServeFlags): Promise<ExitCode> {
  const metrics = createMetrics({ version: VERSION, process: true });
  // a caller is told at once, and may come back
  const opening = { create: flags.create === true, patienceMs: 0, onIndexRetried: metrics.indexRetried };
  return withStore(flags, opening, async ({ records, index }, config) => {
    const logger = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
    const tracing = await openTracing({ log: logger });
    const rateLimit = { max: config.rateLimit, windowMs: 60_000 };
    const credentials = await composeCredentials(config, records, systemClock);
    const agents = composeAgentSignatures(config, await networkOf(flags, config), systemClock);
    let stitching: ReturnType<typeof stitchWhileServing> | undefined;
    const { onFault, ...reports } = reportIndexing(logger, metrics);
    const { signal } = onInterrupt();
    const indexer = {
      records,
      index,
      clock: systemClock,
      rederive: deriveStored,
      signal,
      tracing,
      ...reports,
    };
    const server = createServer({
      records,
      index,
      clock: systemClock,
      logger,
      metrics,
      // past one file there are many processes, and the scheduler counts for all of them
      countsDue: config.store.startsWith('sqlite:'),
      writeFaults: () => stitching?.faults() ?? [],
      onChanged: () => stitchNow(indexer, onFault),
      credentials,
      signatures: agents.signatures,
      config: {
        version: VERSION,
        trustedProxies: config.trustedProxies,
        rateLimit,
        ...(await publicFaceOf(config)),
      },
    });
    const serving = await serve({ server, host: flags.host, port: flags.port, signal });
    stitching = stitchWhileServing(indexer, onFault);
    try {
      printLine(`listening on ${serving.url}`);
      printLine(`try: curl '${serving.url}/api/registry/agents?type=sales&health=true&limit=2'`);
      await serving.stopped;
    } finally {
      await stitching.stop();
      await agents.close();
      await tracing.close();
    }
    return EXIT.ok;
  });
}
