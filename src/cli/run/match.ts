import { serve } from '../../api/serve.ts';
import { openCapStore, sqlitePath, systemClock } from '../../compose.ts';
import { RegistryError } from '../../errors.ts';
import { createLog, type Logger } from '../../ops/log.ts';
import { createMetrics, type Metrics } from '../../ops/metrics.ts';
import type { CapStore } from '../../ports/cap-store.ts';
import type { IdentitySide } from '../../trusted-match/answers.ts';
import { createAudiences } from '../../trusted-match/audiences.ts';
import { createMemoryCaps } from '../../trusted-match/memory-caps.ts';
import { createMatchProvider } from '../../trusted-match/provider.ts';
import { createTokenHash } from '../../trusted-match/token-hash.ts';
import { VERSION } from '../../version.ts';
import type { MatchServeFlags } from '../commands/match.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { parseAudiences, parsePackages } from '../input/parse-packages.ts';
import { onInterrupt } from '../interrupt.ts';
import { printLine } from '../output/print.ts';
import { readText, settingsOf } from '../settings.ts';
import { serveProcess } from './process-http.ts';

export { matchTryCommand } from './match-try.ts';

/** `registry match serve`: until SIGTERM or SIGINT. */
export async function matchServeCommand(flags: MatchServeFlags): Promise<ExitCode> {
  const { targets, rules } = parsePackages(await readText(flags.packages, '--packages'), flags.packages);
  const { host, port, side } = flags;
  const { logLevel } = settingsOf(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel });
  const logger = createLog({ level: logLevel, pretty: process.stderr.isTTY });
  const metrics = createMetrics({ version: VERSION, process: true });
  const caps = side === 'context' ? undefined : openCaps(flags, metrics);
  const figures = await serveFigures(flags, logger, metrics);
  try {
    const server = createMatchProvider({
      ...(side !== 'identity' && { context: { packages: targets } }),
      ...(caps && { identity: await identitySide(flags, rules, caps) }),
      counts: metrics,
      onFault: (err) => logger.error({ err }, 'a match failed'),
    });
    const { signal } = onInterrupt();
    const serving = await serve({ server, host, port, signal });
    printLine(`listening on ${serving.url}`);
    printLine(
      `${targets.length} packages; the publisher joins the answers (docs/reference/trusted-match.md)`,
    );
    await serving.stopped;
  } finally {
    await figures.stop();
    caps?.close();
  }
  return EXIT.ok;
}

async function identitySide(
  flags: MatchServeFlags,
  packages: IdentitySide['packages'],
  caps: CapStore,
): Promise<IdentitySide> {
  const hash = createTokenHash(keyOf(flags));
  const file = flags.audiences;
  const members = file === undefined ? {} : parseAudiences(await readText(file, '--audiences'), file);
  const audiences = createAudiences(members, hash);
  return { packages, audiences, caps, hash, clock: systemClock, ttlSeconds: flags.ttl };
}

function openCaps({ store }: MatchServeFlags, metrics: Metrics): CapStore {
  if (store !== undefined) return openCapStore(sqlitePath(store));
  return createMemoryCaps({ onForgotten: metrics.matchExposureForgotten });
}

/** Exposures that outlive the process need a key that does, too. */
function keyOf({ store, keyEnv }: MatchServeFlags): Uint8Array | undefined {
  const hint = 'put 32 random bytes, as text, into a variable and name it with --key-env';
  if (keyEnv === undefined && store === undefined) return undefined;
  if (keyEnv === undefined)
    throw new RegistryError('usage', '--store needs --key-env: exposures are kept under hashes of tokens', {
      hint,
    });
  const key = process.env[keyEnv];
  if (key === undefined || key === '')
    throw new RegistryError('usage', `the variable ${keyEnv} is not set`, { hint });
  return new TextEncoder().encode(key);
}

function serveFigures({ metricsPort, host }: MatchServeFlags, logger: Logger, metrics: Metrics) {
  const http = { host, ...(metricsPort !== undefined && { port: metricsPort }) };
  return serveProcess(http, { logger, metrics, refresh: async () => {}, checks: {} });
}
