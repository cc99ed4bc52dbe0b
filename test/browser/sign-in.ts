import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

type SignedIn = Pick<BrowserContextOptions, 'storageState'>;

/** A key for a member, made by the operator's command; once, before the registry starts. */
export function makeKeyOf(member: string, store: string): string {
  const args = [MAIN, 'keys', 'create', '--member', member, '--store', store];
  return execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Signs in as the form does; the cookie for every window, which sends it to the pages of owners alone. */
export async function signIn(origin: string, key: string): Promise<SignedIn> {
  const answer = await fetch(`${origin}/sign-in`, {
    ...{ method: 'POST', redirect: 'manual', headers: { origin } },
    body: new URLSearchParams({ key, next: '/my' }),
  });
  const [, name, value] = /^([^=]+)=([^;]+);/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`signing in answers ${answer.status}`);
  const { hostname: domain } = new URL(origin);
  const bounds = {
    domain,
    path: '/my',
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: 'Strict',
  } as const;
  return { storageState: { cookies: [{ name, value, ...bounds }], origins: [] } };
}
