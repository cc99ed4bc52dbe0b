import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PARENT } from '../../../bench/support/publishers.ts';
import { withQuery } from './canonical-dump.ts';
import type { Checks } from './fault.ts';
import { type Environment, runCommand } from './registry.ts';

/** Somebody who registers one agent after the other, and tries each again until it is acknowledged. */
export interface Registrations {
  /** Lets the one under way come to its end. */
  stop(): Promise<void>;
  /** Each acknowledged one is there once, and noted at least once and at most as often as it was tried. */
  check(store: string, checks: Checks): Promise<void>;
}

/** In the address of every agent of these. */
export const REGISTERED = 'registered-';
const MEMBER = 'faulty';
const AGAIN_MS = 300;
/** A server that never comes back is not waited for for ever. */
const MOST_TRIES = 200;
const EXIT_STORE = 3;

export async function startRegistrations(env: Environment, folder: string): Promise<Registrations> {
  const file = join(folder, 'members.json');
  writeFileSync(file, JSON.stringify([{ slug: MEMBER, display_name: 'Faulty' }]));
  const imported = await runCommand(['members', 'import', file], env);
  if (imported.code !== 0) throw new Error(`the member could not be imported: ${imported.stderr}`);
  const tries = new Map<string, number>();
  const unclean: string[] = [];
  let goesOn = true;
  const registering = (async () => {
    for (let number = 0; goesOn; number += 1)
      await register(`https://${REGISTERED}${number}.${PARENT}/mcp`, env, tries, unclean);
  })();
  return {
    async stop() {
      goesOn = false;
      await registering;
    },
    check: (store, checks) => check(store, tries, unclean, checks),
  };
}

async function register(
  url: string,
  env: Environment,
  tries: Map<string, number>,
  unclean: string[],
): Promise<void> {
  for (let time = 1; time <= MOST_TRIES; time += 1) {
    tries.set(url, time);
    const { code, stderr } = await runCommand(['agents', 'register', url, '--member', MEMBER], env);
    if (code === 0) return;
    if (code !== EXIT_STORE || /\n\s+at /.test(stderr)) unclean.push(`${code} ${stderr}`);
    await pause(AGAIN_MS);
  }
}

async function check(
  store: string,
  tries: ReadonlyMap<string, number>,
  unclean: readonly string[],
  checks: Checks,
): Promise<void> {
  const counts = await withQuery(store, (query) =>
    query(
      `SELECT r.agent, (SELECT count(*) FROM audit a WHERE a.subject = r.agent) AS noted FROM registration r`,
    ),
  );
  const noted = new Map(counts.map(({ agent, noted }) => [String(agent), Number(noted)]));
  checks.that('a registration that fails fails cleanly', unclean.length === 0, unclean[0]);
  for (const [url, times] of tries) {
    const found = noted.get(url) ?? 0;
    checks.that(
      `${url} is registered and noted, at most ${times} times`,
      found >= 1 && found <= times,
      found,
    );
  }
  checks.that('nothing was registered twice', counts.length === tries.size, counts.length);
  const failed = [...tries.values()].reduce((sum, times) => sum + times - 1, 0);
  checks.note(`${tries.size} registrations meanwhile, ${failed} tries of them failed cleanly`);
}
