import { parseObject } from '../../../base/json.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import type { Credentials, GivenCredential } from '../../../owners/credentials.ts';
import type { OAuthClient } from '../../../owners/oauth-client.ts';
import type { CredentialOutcome } from '../../../records/owners/agent-settings.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { conflicting, requiredFlag, textFlag, toggle } from '../../flags.ts';
import { namedAgentUrl, readCredential, readTextFile } from '../../input/arguments.ts';
import { nextCommands, printJson, printLine } from '../../output/print.ts';
import { READ, WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** Stores, forgets, or says since when one is stored; never what. */
const credential = command({
  name: 'credential',
  description:
    'Store the credential for tests of an agent, encrypted, or delete it. Without a flag, show whether one is stored.',
  arguments: [['<url>', 'the agent']],
  flags: {
    member: requiredFlag('--member <slug>', 'the member that owns the agent'),
    authEnv: conflicting(textFlag('--auth-env <name>', 'environment variable with the bearer token'), [
      'auth',
      'oauth',
      'forget',
    ]),
    auth: conflicting(textFlag('--auth <@file>', 'file with the bearer token, as @path'), [
      'oauth',
      'forget',
    ]),
    oauth: conflicting(
      textFlag(
        '--oauth <@file>',
        'JSON file with the OAuth client: token_endpoint, client_id, client_secret',
      ),
      ['forget'],
    ),
    forget: toggle('--forget', 'delete it'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  async run(flags, url) {
    const agent = namedAgentUrl(url, 'tested');
    const given = await givenBy(agent, flags);
    const { composeCredentials } = await import('../../../compose/credentials.ts');
    const changes = given !== undefined || flags.forget === true;
    return withStore(flags, changes ? WRITE : READ, async ({ records, clock }, config) => {
      const credentials = await composeCredentials(config, records, clock);
      if (changes) await change(credentials, agent, given, flags.member);
      else if ((await records.owners.owner(agent))?.member !== flags.member)
        throw notTheirs(agent, flags.member);
      print(agent, await credentials.stored(agent), flags);
      if (changes && !flags.json) nextCommands([`runs start ${shellWord(agent)} --member ${flags.member}`]);
      return EXIT.ok;
    });
  },
});

/** 1 when a stored credential opens with none of the keys. */
const reseal = command({
  name: 'reseal',
  description:
    'Encrypt all stored test credentials again with the first key of REGISTRY_CREDENTIAL_KEYS. Run it after a rotation.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, WRITE, async ({ records }, config) => {
      const { resealCredentials } = await import('../../../compose/credentials.ts');
      const { resealed, current, unreadable } = await resealCredentials(config, records);
      if (flags.json) printJson({ resealed, current, unreadable });
      else {
        printLine(`${resealed} encrypted again, ${current} already up to date`);
        for (const agent of unreadable)
          printLine(`${agent}: no key decrypts the credential; its owner must store it again`);
        printLine(
          `the keys after the first in ${config.credentialKeys} are no longer needed; you can remove them`,
        );
      }
      return unreadable.length === 0 ? EXIT.ok : EXIT.findings;
    }),
});

export default [credential, reseal];

type GivenFlags = { readonly auth?: string; readonly authEnv?: string; readonly oauth?: string };

async function givenBy(agent: string, { oauth, ...flags }: GivenFlags): Promise<GivenCredential | undefined> {
  if (oauth !== undefined) return { client: await clientIn(oauth) };
  const { tokenFault } = await import('../../../owners/bearer-token.ts');
  if (flags.auth !== undefined && !flags.auth.startsWith('@'))
    throw new RegistryError('usage', '--auth: a token on the command line is visible in the process list', {
      hint: 'store it in a file and use --auth @FILE, or in a variable and use --auth-env NAME',
    });
  const token = await readCredential(flags, agent);
  if (token === undefined) return undefined;
  const fault = tokenFault(token);
  if (fault === undefined) return { token };
  throw new RegistryError('usage', `the token cannot be stored: ${fault}`, {
    hint: 'use the token alone, without "Bearer"',
  });
}

async function clientIn(path: string): Promise<OAuthClient> {
  const { readOAuthClient } = await import('../../../owners/oauth-client.ts');
  const client = readOAuthClient(parseObject(await readTextFile(path.replace(/^@/, ''), '--oauth')));
  if (!('fault' in client)) return client;
  throw new RegistryError('usage', `--oauth: ${client.fault.message}`, {
    hint: 'the file must contain a JSON object with token_endpoint, client_id and client_secret',
  });
}

async function change(
  credentials: Credentials,
  agent: string,
  given: GivenCredential | undefined,
  member: string,
) {
  const actor = { kind: 'operator', member } as const;
  const outcome =
    given === undefined
      ? await credentials.forget({ agent, actor })
      : await credentials.keep({ agent, actor, ...given });
  if (!DONE.includes(outcome)) throw notTheirs(agent, member);
}

const DONE: readonly (CredentialOutcome | 'not_https')[] = ['stored', 'deleted'];

function notTheirs(agent: string, member: string): RegistryError {
  return new RegistryError('not_found', `${member} has not proven ownership of ${agent}`, {
    hint: `prove it first: agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

function print(
  agent: string,
  stored: Awaited<ReturnType<Credentials['stored']>>,
  { member, json }: { readonly member: string; readonly json?: true },
): void {
  const setAt = stored === undefined ? null : new Date(stored.setAt).toISOString();
  const what = stored?.kind === 'bearer' ? 'a test credential' : 'an OAuth client';
  if (json)
    printJson({ url: agent, member, stored: setAt !== null, set_at: setAt, kind: stored?.kind ?? null });
  else printLine(`${agent}: ${setAt === null ? 'no test credential stored' : `${what} stored on ${setAt}`}`);
}
