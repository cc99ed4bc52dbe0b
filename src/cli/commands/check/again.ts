import type { StepResult } from '../../../compliance/step-result.ts';
import { SETTINGS } from '../../../config.ts';
import { againCommand, selectionOf, shellText } from '../../output/failed-steps.ts';
import type { CheckFlags } from './flags.ts';

/** The command that repeats a failed step as it was run here. Credentials are named, never written out. */
export function againAsHere(url: string, step: StepResult, flags: CheckFlags): string {
  const [selector, name] = flags.step === undefined ? selectionOf(step) : (['--step', flags.step] as const);
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--context', flags.context],
    ['--storyboards', flags.storyboards],
    ['--schemas', flags.schemas],
    ['--target', flags.target],
    ['--protocol', flags.protocol],
    ['--auth-env', flags.authEnv],
    ['--auth', flags.auth?.startsWith('@') === true ? flags.auth : flags.auth && '@FILE'],
    ['--sign', flags.sign],
    ['--keys', flags.sign === undefined ? undefined : flags.keys],
    ['--as', flags.as === SETTINGS.testAgent.fallback ? undefined : flags.as],
    ['--operator', flags.operator],
    ['--brand', flags.brand === SETTINGS.testBrand.fallback ? undefined : flags.brand],
    ['--account', flags.account],
    ['--timeout', flags.timeout === 30 ? undefined : String(flags.timeout)],
    ...flags.connectTo.map((mapping) => ['--connect-to', mapping] as const),
    ['--connect-to-file', flags.connectToFile],
    ['--ca', flags.ca],
    ['--webhooks', flags.webhooks],
    ['--webhook-port', flags.webhookPort === 0 ? undefined : String(flags.webhookPort)],
    ['--webhook-jwks', flags.webhookJwks],
  ];
  // a replay needs neither the network nor the parties
  const ofReplay = ['--context', '--storyboards', '--schemas', '--target'];
  const given = options.flatMap(([flag, value]) =>
    value === undefined || value === '' || (flags.replay !== undefined && !ofReplay.includes(flag))
      ? []
      : [flag, shellText(value)],
  );
  const agent = flags.replay === undefined ? shellText(url) : `--replay ${shellText(flags.replay)}`;
  const dryRun = flags.dryRun === true ? ['--dry-run'] : [];
  return [againCommand(agent, selector, name), ...given, ...dryRun].join(' ');
}
