import { changingRegistry, type Held } from './changing-registry.ts';
import type { Peer, Row } from './peer.ts';

/** Tells a client's `RegistrySync` of that name to follow the feed to its end; a new name begins with nothing. */
export interface FollowOrder {
  readonly follow: { readonly name: string; readonly url: string; readonly key: string };
}

/** What a client keeps nothing of is absent. */
export interface FollowReply {
  readonly ok: boolean;
  readonly data?: Partial<Held>;
  readonly error?: string;
}

export interface FollowOptions {
  /** Minutes, with a change in each. */
  readonly changes: number;
  /** How often the server is killed, each time while a client reads. */
  readonly kills: number;
}

/** How long nothing changes in every tenth minute: agents that nobody names any more leave the list, and may return. */
const QUIET_MS = 25 * 3_600_000;

/**
 * The sync of a client, those of the field as they are, through random changes and kills: whoever polls at times, whoever polls
 * always and whoever comes at the end hold what the other operations say.
 */
export async function runFollowers(
  client: string,
  asked: Peer<FollowOrder, FollowReply>,
  { changes, kills }: FollowOptions,
): Promise<readonly Row[]> {
  const registry = await changingRegistry();
  const follow = (name: string) => asked.call({ follow: { name, url: registry.url(), key: registry.key } });
  const between = Math.floor(changes / kills);
  for (let minute = 0; minute < changes; minute += 1) {
    await registry.change();
    if (minute % 10 === 9) await registry.wait(QUIET_MS);
    const reading = follow('always');
    if (minute % between === between - 1) await registry.killed();
    await reading;
    if (minute % 7 === 0) await follow('at times');
  }
  const expected = await registry.known();
  const rows: Row[] = [];
  for (const name of ['always', 'at times', 'late']) {
    const reply = await follow(name);
    const verdict = verdictOf(reply, expected);
    rows.push({
      ...{ client, transport: 'feed', task: `follows ${name}`, verdict },
      right: verdict.startsWith('holds'),
    });
  }
  await registry.close();
  return rows;
}

function verdictOf({ ok, data, error = '' }: FollowReply, expected: Held): string {
  if (!ok || data === undefined) return error;
  const parts = Object.entries(data) as readonly [keyof Held, readonly string[]][];
  const differences = parts.flatMap(([part, held]) => differing(expected[part], held));
  if (expected.edges.length === 0) return 'nothing was authorised at the end';
  if (differences.length > 0) return `differs in ${differences.slice(0, 5).join(', ')}`;
  return `holds ${parts.map(([part, held]) => `${held.length} ${part}`).join(', ')}`;
}

function differing(some: readonly string[], others: readonly string[]): readonly string[] {
  const [has, have] = [new Set(some), new Set(others)];
  return [...some.filter((one) => !have.has(one)), ...others.filter((one) => !has.has(one))];
}
