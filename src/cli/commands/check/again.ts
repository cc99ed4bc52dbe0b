import { SETTINGS } from '../../../config.ts';
import { againCommand, shellText } from '../../output/failed-steps.ts';
import type { CheckFlags } from './flags.ts';

/** The command that shows one storyboard again as it was run here. Credentials are named, never written out. */
export function againAsHere(url: string, storyboard: string, flags: CheckFlags): string {
  if (flags.replay !== undefined)
    return `agent-registry check --replay ${shellText(flags.replay)} --only ${shellText(storyboard)}`;
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--storyboards', flags.storyboards],
    ['--schemas', flags.schemas],
    ['--target', flags.target === '3.0' ? undefined : flags.target],
    ['--protocol', flags.protocol],
    ['--auth-env', flags.authEnv],
    ['--auth', flags.auth?.startsWith('@') === true ? flags.auth : flags.auth && '@FILE'],
    ['--sign', flags.sign],
    ['--keys', flags.sign === undefined ? undefined : flags.keys],
    ['--as', flags.as === SETTINGS.testAgent.fallback ? undefined : flags.as],
    ['--operator', flags.operator],
    ['--brand', flags.brand === SETTINGS.testBrand.fallback ? undefined : flags.brand],
    ...flags.connectTo.map((mapping) => ['--connect-to', mapping] as const),
    ['--connect-to-file', flags.connectToFile],
    ['--ca', flags.ca],
  ];
  const given = options.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [name, shellText(value)],
  );
  return [againCommand(url, storyboard), ...given].join(' ');
}
