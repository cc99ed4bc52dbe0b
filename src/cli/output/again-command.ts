import type { Config } from '../../config.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { type CheckFlags, DESK } from '../commands/check.ts';
import { shownText } from './show-value.ts';

/** The command that shows one storyboard again as it was run here. Credentials are named, never written out. */
export function againAsHere(url: string, storyboard: string, flags: CheckFlags): string {
  if (flags.replay !== undefined)
    return `registry check --replay ${quoted(flags.replay)} --only ${quoted(storyboard)}`;
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--storyboards', flags.storyboards],
    ['--target', flags.target === '3.0' ? undefined : flags.target],
    ['--protocol', flags.protocol],
    ['--auth-env', flags.authEnv],
    ['--auth', flags.auth?.startsWith('@') === true ? flags.auth : flags.auth && '@FILE'],
    ['--sign', flags.sign],
    ['--keys', flags.sign === undefined ? undefined : flags.keys],
    ['--as', flags.as === DESK.agentUrl ? undefined : flags.as],
    ['--operator', flags.operator],
    ['--brand', flags.brand === DESK.brand ? undefined : flags.brand],
    ...flags.connectTo.map((mapping) => ['--connect-to', mapping] as const),
    ['--connect-to-file', flags.connectToFile],
    ['--ca', flags.ca],
  ];
  const given = options.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [name, quoted(value)],
  );
  return [againCommand(url, storyboard), ...given].join(' ');
}

/** What is known of a run that was made elsewhere, of which nothing is here but what was kept. */
export interface KeptRunFacts {
  /** As asked for, `3.0` for example; null in legacy runs. */
  readonly target: string | null;
  /** The owner has stored a test credential. */
  readonly hasCredential: boolean;
  /** As whom this registry tests. */
  readonly tester: Tester;
}

export type Tester = Pick<Config, 'testAgent' | 'testBrand' | 'testKey'>;

/** Where no setting says otherwise. */
export const AS_DESK: Tester = { testAgent: DESK.agentUrl, testBrand: DESK.brand, testKey: '' };

/** The same for a run that the registry made itself. */
export function againAsKept(
  url: string,
  storyboard: string,
  { target, hasCredential, tester }: KeptRunFacts,
): string {
  const { testAgent, testBrand, testKey } = tester;
  const options = [
    ...(target === null || target === '3.0' ? [] : ['--target', quoted(target)]),
    ...(hasCredential ? ['--auth-env', 'TOKEN'] : []),
    ...(testAgent === DESK.agentUrl ? [] : ['--as', quoted(testAgent)]),
    ...(testBrand === DESK.brand ? [] : ['--brand', quoted(testBrand)]),
    ...(testKey === '' ? [] : ['--sign', quoted(testKey)]),
  ];
  return [againCommand(url, storyboard), ...options].join(' ');
}

function againCommand(url: string, storyboard: string): string {
  return `registry check ${quoted(url)} --only ${quoted(storyboard)}`;
}

/** For a POSIX shell; a line end inside would not survive being shown. */
export function quoted(text: string): string {
  return shellWord(shownText(text, 2_000));
}
