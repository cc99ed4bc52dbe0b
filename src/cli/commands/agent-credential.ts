import { type Command, Option } from 'commander';
import type { Done } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export interface CredentialFlags extends StoreFlags, JsonFlag {
  readonly member: string;
  readonly authEnv?: string;
  readonly auth?: string;
  readonly forget?: true;
}

export type ResealFlags = StoreFlags & JsonFlag;

/** `registry agents credential | reseal`. */
export function defineAgentCredential(agents: Command, done: Done): void {
  const credential = agents
    .command('credential')
    .description(
      'Store what tests of an agent authenticate with, sealed; or forget it. Without a flag it says whether one is stored.',
    )
    .argument('<url>', 'the agent')
    .requiredOption('--member <slug>', 'for this member, who must be the proven owner')
    .addOption(
      new Option('--auth-env <name>', 'environment variable with the bearer token').conflicts([
        'auth',
        'forget',
      ]),
    )
    .addOption(new Option('--auth <@file>', 'the same from a file, as @path').conflicts('forget'))
    .option('--forget', 'delete it');
  withJson(withStore(credential)).action(async (url: string, flags: CredentialFlags) => {
    const { credentialCommand } = await import('../run/agent-credential.ts');
    done(await credentialCommand(url, flags));
  });
  const reseal = agents
    .command('reseal')
    .description(
      'Seal all stored test credentials with the first key of REGISTRY_CREDENTIAL_KEYS, after it was rotated.',
    );
  withJson(withStore(reseal)).action(async (flags: ResealFlags) => {
    const { resealCommand } = await import('../run/agent-credential.ts');
    done(await resealCommand(flags));
  });
}
