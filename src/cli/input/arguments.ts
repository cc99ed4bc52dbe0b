import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { ACCOUNT_ID_FORM, TARGET_FORM } from '../../domain/compliance.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import { ProvenOrigin } from '../../domain/proven-origin.ts';
import { RegistryError } from '../../errors.ts';
import type { CredentialFlags } from '../shared-flags.ts';

/** Reads a text file that the user named; a missing one is a usage error. */
export async function readTextFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RegistryError('usage', what === path ? `cannot read ${path}` : `${what}: cannot read ${path}`, {
      cause,
      hint: 'check the path and its permissions',
    });
  }
}

/** The text of a file that the user named, or of stdin for `-`. */
export function readInput(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readTextFile(file, file);
}

/** The canonical URL of an agent that the user named; `what` is what it cannot be, `probed` for example. */
export function namedAgentUrl(text: string, what: string): string {
  const parsed = parseAgentUrl(text);
  if (parsed.ok) return parsed.url;
  const reason = AGENT_URL_PROBLEMS[parsed.problem];
  throw new RegistryError('usage', `'${text.slice(0, 200)}' cannot be ${what}: ${reason}`, {
    hint: 'give the URL of the agent, as in https://sales.agents.example/mcp',
  });
}

/** The position of --cursor; undefined without the flag. */
export function readCursor<Place>(
  cursor: string | undefined,
  read: (cursor: string) => Place | undefined,
): Place | undefined {
  const place = cursor === undefined ? undefined : read(cursor);
  if (cursor === undefined || place !== undefined) return place;
  throw new RegistryError('usage', `invalid --cursor ${cursor.slice(0, 100)}`, {
    hint: 'use next_cursor of the previous page',
  });
}

/**
 * The token of --auth-env or --auth for the agent at `url`; a token on the command line is visible to every user of the
 * machine. `usage` for an agent that is called in the clear, this machine aside.
 */
export async function readCredential(flags: CredentialFlags, url: string): Promise<string | undefined> {
  const token = await tokenOf(flags);
  if (token === undefined || ProvenOrigin.of(url).takesCredentials) return token;
  throw new RegistryError(
    'usage',
    `credential not sent to ${url.slice(0, 200)}: plain http would expose it`,
    {
      hint: 'use the https URL of the agent, or omit the credential',
    },
  );
}

async function tokenOf({ auth, authEnv }: CredentialFlags): Promise<string | undefined> {
  if (auth !== undefined && authEnv !== undefined)
    throw new RegistryError('usage', '--auth and --auth-env cannot be combined', {
      hint: 'remove --auth',
    });
  if (auth?.startsWith('@')) return (await readTextFile(auth.slice(1), '--auth')).trim();
  if (authEnv === undefined) return auth;
  const token = process.env[authEnv];
  if (token) return token;
  throw new RegistryError('usage', `the environment variable ${authEnv} (--auth-env) is not set`, {
    hint: `set it, as in ${authEnv}=… agent-registry …`,
  });
}

/** For a flag whose value is a domain name; its normal form. */
export function domainArgument(text: string): string {
  const parsed = parseDomain(text);
  if (parsed.ok) return parsed.domain;
  throw new InvalidArgumentError(`${DOMAIN_PROBLEMS[parsed.problem]}.`);
}

/** A version or a label of storyboards; for `parsedFlag`. */
export function targetLabel(text: string): string {
  if (TARGET_FORM.test(text)) return text;
  throw new InvalidArgumentError('Expected a version or a label, such as 3.1, 3.0.26 or stable.');
}

/** The id of an account at an agent; for `parsedFlag`. */
export function accountId(text: string): string {
  if (ACCOUNT_ID_FORM.test(text)) return text;
  throw new InvalidArgumentError(
    'Expected 1 to 255 printable ASCII characters without spaces around them, such as acc_1.',
  );
}
