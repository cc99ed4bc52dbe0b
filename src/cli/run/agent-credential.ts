import { composeCredentials, resealCredentials, systemClock } from '../../compose.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import { type Credentials, tokenFault } from '../../owners/credentials.ts';
import type { CredentialOutcome } from '../../ports/owners.ts';
import type { CredentialFlags, ResealFlags } from '../commands/agent-credential.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { readCredential } from '../input/read-credential.ts';
import { printJson, printLine } from '../output/print.ts';
import { READ, WRITE, withStore } from '../with-store.ts';

/** `registry agents credential`: stores, forgets, or says since when one is stored; never what. */
export async function credentialCommand(text: string, flags: CredentialFlags): Promise<ExitCode> {
  const agent = readAgentUrl(text, 'tested');
  const token = await tokenOf(flags);
  const changes = token !== undefined || flags.forget === true;
  return withStore(flags, changes ? WRITE : READ, async ({ records }, config) => {
    const credentials = await composeCredentials(config, records, systemClock);
    if (changes) await change(credentials, agent, token, flags.member);
    else if ((await records.owners.owner(agent))?.member !== flags.member)
      throw notTheirs(agent, flags.member);
    print(agent, await credentials.storedSince(agent), flags);
    return EXIT.ok;
  });
}

/** `registry agents reseal`: 1 when a stored credential opens with none of the keys. */
export function resealCommand(flags: ResealFlags): Promise<ExitCode> {
  return withStore(flags, WRITE, async ({ records }, config) => {
    const { resealed, current, unreadable } = await resealCredentials(config, records);
    if (flags.json) printJson({ resealed, current, unreadable });
    else {
      printLine(`${resealed} sealed anew, ${current} were already`);
      for (const agent of unreadable)
        printLine(`${agent}: none of the keys opens it; its owner has to store it again`);
      printLine(
        `the keys after the first in ${config.credentialKeys} open nothing more and may be taken out`,
      );
    }
    return unreadable.length === 0 ? EXIT.ok : EXIT.findings;
  });
}

async function tokenOf({ auth, authEnv }: CredentialFlags): Promise<string | undefined> {
  if (auth !== undefined && !auth.startsWith('@'))
    throw new RegistryError('usage', '--auth: a token on the command line shows in the process list', {
      hint: 'put it into a file and give --auth @FILE, or into a variable and give --auth-env NAME',
    });
  const token = await readCredential({
    ...(auth !== undefined && { auth }),
    ...(authEnv !== undefined && { authEnv }),
  });
  const fault = token === undefined ? undefined : tokenFault(token);
  if (fault === undefined) return token;
  throw new RegistryError('usage', `the token cannot be stored: ${fault}`, {
    hint: 'give the token alone, without "Bearer"',
  });
}

async function change(credentials: Credentials, agent: string, token: string | undefined, member: string) {
  const actor = { kind: 'operator', member } as const;
  const outcome =
    token === undefined
      ? await credentials.forget({ agent, actor })
      : await credentials.keep({ agent, token, actor });
  if (!DONE.includes(outcome)) throw notTheirs(agent, member);
}

const DONE: readonly CredentialOutcome[] = ['kept', 'forgotten'];

function notTheirs(agent: string, member: string): RegistryError {
  return new RegistryError('not_found', `${member} has not proven to own ${agent}`, {
    hint: `let it prove so: registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

function print(agent: string, since: number | undefined, { member, json }: CredentialFlags): void {
  const setAt = since === undefined ? null : new Date(since).toISOString();
  if (json) printJson({ url: agent, member, stored: setAt !== null, set_at: setAt });
  else
    printLine(
      `${agent}: ${setAt === null ? 'no test credential is stored' : `a test credential is stored since ${setAt}`}`,
    );
}
