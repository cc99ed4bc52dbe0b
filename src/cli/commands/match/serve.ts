import { RegistryError } from '../../../errors.ts';
import type { Metrics } from '../../../ops/metrics.ts';
import type { CapStore } from '../../../ports/cap-store.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { IdentitySide } from '../../../trusted-match/answers.ts';
import { VERSION } from '../../../version.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { choiceFlag, type FlagValues, integerFlag, PORTS, requiredFlag, textFlag } from '../../flags.ts';
import { readTextFile } from '../../input/arguments.ts';
import { onInterrupt } from '../../interrupt.ts';
import { printLine } from '../../output/print.ts';
import { configOf } from '../../setup/settings.ts';
import { LOG_FLAGS, METRICS_FLAGS } from '../../shared-flags.ts';

const FLAGS = {
  packages: requiredFlag(
    '--packages <file>',
    'packages, as JSON or YAML; see schemas/trusted-match/packages.json',
  ),
  audiences: textFlag(
    '--audiences <file>',
    'audiences and the tokens of their members; see schemas/trusted-match/audiences.json',
  ),
  side: choiceFlag(
    '--side <side>',
    'which requests this process answers',
    ['both', 'context', 'identity'],
    'both',
  ),
  store: textFlag('--store <address>', 'where to store exposures, sqlite:PATH (default: in memory)'),
  keyEnv: textFlag(
    '--key-env <name>',
    'environment variable with the secret for hashing tokens, at least 32 characters',
  ),
  ttl: integerFlag('--ttl <s>', 'seconds for which an eligibility may be cached', [0, 86_400], 60),
  port: integerFlag('--port <n>', 'TCP port; 0 selects a free port and prints it', PORTS, 8090),
  host: textFlag('--host <address>', 'address to listen on', '127.0.0.1'),
  ...METRICS_FLAGS,
  ...LOG_FLAGS,
};
type ServeFlags = FlagValues<typeof FLAGS>;

/** Until SIGTERM or SIGINT. */
export default command({
  name: 'serve',
  description:
    'Serve POST /context, POST /identity and POST /exposure. The context side and the identity side share no data.',
  flags: FLAGS,
  examples: [
    'agent-registry match serve --packages packages.json --store sqlite:caps.sqlite --key-env MATCH_KEY',
  ],
  async run(flags) {
    const { serve } = await import('../../../api/serve.ts');
    const { systemClock } = await import('../../../compose/clock.ts');
    const { createLog } = await import('../../../ops/log.ts');
    const { createMetrics } = await import('../../../ops/metrics.ts');
    const { createMatchProvider } = await import('../../../trusted-match/provider.ts');
    const { serveProcess } = await import('../../setup/process-http.ts');
    const { parsePackages } = await import('./packages.ts');
    const { targets, rules } = parsePackages(
      await readTextFile(flags.packages, '--packages'),
      flags.packages,
    );
    const { host, port, side, metricsPort, metricsHost } = flags;
    const { logLevel } = configOf(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel });
    const logger = createLog({ level: logLevel, pretty: process.stderr.isTTY });
    const metrics = createMetrics({ version: VERSION, process: true });
    await using open = new AsyncDisposableStack();
    const key = side === 'context' ? undefined : keyOf(flags.store, flags.keyEnv);
    const caps = side === 'context' ? undefined : await openCaps(flags.store, metrics);
    open.defer(() => caps?.close());
    const server = createMatchProvider({
      ...(side !== 'identity' && { context: { packages: targets } }),
      ...(caps && { identity: await identitySide(flags, rules, { caps, key, clock: systemClock }) }),
      counts: metrics,
      onFault: (err) => logger.error({ err }, 'match failed'),
    });
    // the last steps: whoever listens has all that it needs
    const figures = await serveProcess(
      { host: metricsHost, port: metricsPort },
      { logger, metrics, refresh: async () => {}, checks: {} },
    );
    open.defer(() => figures.stop());
    const { signal, dispose } = onInterrupt();
    open.defer(dispose);
    const serving = await serve({ server, host, port, signal });
    printLine(`listening on ${serving.url}`);
    printLine(
      `serving ${targets.length} packages; the publisher joins the answers (docs/reference/trusted-match.md)`,
    );
    await serving.stopped;
    return EXIT.ok;
  },
});

async function identitySide(
  { audiences: file, ttl }: ServeFlags,
  packages: IdentitySide['packages'],
  {
    caps,
    key,
    clock,
  }: { readonly caps: CapStore; readonly key: Uint8Array | undefined; readonly clock: Clock },
): Promise<IdentitySide> {
  const { createAudiences } = await import('../../../trusted-match/eligibility.ts');
  const { createTokenHash } = await import('../../../trusted-match/eligibility.ts');
  const { parseAudiences } = await import('./packages.ts');
  const hash = createTokenHash(key);
  const members = file === undefined ? {} : parseAudiences(await readTextFile(file, '--audiences'), file);
  const audiences = createAudiences(members, hash);
  return { packages, audiences, caps, hash, clock, ttlSeconds: ttl };
}

async function openCaps(store: string | undefined, metrics: Metrics): Promise<CapStore> {
  const { openCapStore } = await import('../../../compose/agent-stores.ts');
  const { sqlitePath } = await import('../../../compose/engines.ts');
  if (store !== undefined) return openCapStore(sqlitePath(store));
  const { createMemoryCaps } = await import('../../../trusted-match/memory-caps.ts');
  return createMemoryCaps({ onForgotten: metrics.matchExposureForgotten });
}

/** Exposures that outlive the process need a key that does, too. */
function keyOf(store: string | undefined, keyEnv: string | undefined): Uint8Array | undefined {
  const hint = 'set an environment variable to 32 random bytes as text, and pass its name with --key-env';
  if (keyEnv === undefined && store === undefined) return undefined;
  if (keyEnv === undefined)
    throw new RegistryError(
      'usage',
      '--store requires --key-env: exposures are stored under hashes of tokens',
      {
        hint,
      },
    );
  const key = process.env[keyEnv];
  if (key === undefined || key === '')
    throw new RegistryError('usage', `the environment variable ${keyEnv} is not set`, { hint });
  return new TextEncoder().encode(key);
}
