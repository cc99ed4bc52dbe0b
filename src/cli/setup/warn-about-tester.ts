import { type Config, SETTINGS } from '../../config.ts';
import type { Logger } from '../../ops/log.ts';
import type { NetworkFlags } from '../shared-flags.ts';

/** Whoever tests real agents must be somebody whom they know; with mapped hosts it is the sandbox that is tested. */
export function warnAboutTester(
  { testAgent }: Pick<Config, 'testAgent'>,
  { connectTo }: NetworkFlags,
  log: Pick<Logger, 'warn'>,
): void {
  if (testAgent !== SETTINGS.testAgent.fallback || connectTo.length > 0) return;
  log.warn(
    { as: testAgent },
    'agents are tested as the buyer of the sandbox, which real agents do not know: set REGISTRY_TEST_AGENT',
  );
}
