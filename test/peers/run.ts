/**
 * Runs the field's own clients, as they are, against the agents of our sandbox and a registry: `npm run test:peers [-- javascript mcp]`.
 * `-- buyer`: only the buyer's question, by the lines of the guide.
 * `-- --ard PATH`: also the conformance suite of ARD, which stands at PATH as it was published.
 * `-- --changes 10000 [--kills 20]`: only what follows the feed, our own client too, through so many changes.
 * A row for each client, transport and task, and for each method of a registry; exit code 1 when one of them is not as it should be.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runArchive } from './archive.ts';
import { runArdSuite } from './ard.ts';
import { runBuyer } from './buyer.ts';
import { type FollowOrder, type FollowReply, runFollowers } from './follow.ts';
import { runTheirHooks } from './hooks.ts';
import { installPeers, PYTHON } from './install.ts';
import { ourFollower } from './ours.ts';
import { type Peer, type Row, startPeer } from './peer.ts';
import { runRegistry } from './registry.ts';
import { runLane } from './run-lane.ts';
import { runTheirs } from './theirs.ts';

const HERE = import.meta.dirname;
const CLIENTS: Readonly<Record<string, () => Peer>> = {
  javascript: () => startPeer(process.execPath, [join(HERE, 'clients/javascript.mjs')]),
  python: () => startPeer(PYTHON, [join(HERE, 'clients/python.py')]),
};
/** What each process of the field does beside the calls of its client. */
const BESIDE: Readonly<Record<string, (peer: Peer) => Promise<readonly Row[]>>> = {
  javascript: async (peer) => [
    ...(await runRegistry('javascript', peer)),
    ...(await runFollowers('javascript', asFollower(peer), FOLLOWING)),
  ],
  python: async (peer) => [
    ...(await runRegistry('python', peer)),
    ...(await runFollowers('python', asFollower(peer), FOLLOWING)),
    ...(await runTheirs(peer)),
    ...(await runArchive()),
  ],
};
const TRANSPORTS = ['mcp', 'a2a'] as const;
/** Names of clients and transports to keep to; default: all. */
const { positionals: ONLY, values: options } = parseArgs({
  allowPositionals: true,
  options: { ard: { type: 'string' }, changes: { type: 'string' }, kills: { type: 'string' } },
});
/** What can be kept to beside transports. */
const LANES = [...Object.keys(CLIENTS), 'ours', 'buyer', 'ard'];
/** With `--changes` the clients do nothing but follow the feed. */
const onlyFollow = options.changes !== undefined;
const FOLLOWING = {
  changes: Number(options.changes ?? 60),
  kills: Number(options.kills ?? (onlyFollow ? 20 : 2)),
};

installPeers((line) => void process.stderr.write(`${line}\n`));
const clients = Object.keys(CLIENTS).filter((client) => isAsked(client, LANES));
const runs = clients.map(runClient);
if (isAsked('ours', LANES)) runs.push(runFollowers('ours', ourFollower(), FOLLOWING));
if (isAsked('buyer', LANES) && !onlyFollow) runs.push(runBuyer());
if (options.ard !== undefined && isAsked('ard', LANES)) runs.push(runArdSuite(options.ard));
const rows = await Promise.all(runs);
process.exit(printed(rows.flat()) === 0 ? 0 : 1);

/** Both transports share the process of a client: to load it takes longer than all its calls. */
async function runClient(client: string): Promise<readonly Row[]> {
  const peer = CLIENTS[client]?.() as Peer;
  if (onlyFollow) {
    const followed = await runFollowers(client, asFollower(peer), FOLLOWING);
    await peer.close();
    return followed;
  }
  const transports = TRANSPORTS.filter((transport) => isAsked(transport, TRANSPORTS));
  const made = await Promise.all(transports.map((transport) => runLane({ client, transport, peer })));
  if (ONLY.length === 0)
    made.push([...(await runTheirHooks(client, peer))], [...((await BESIDE[client]?.(peer)) ?? [])]);
  await peer.close();
  return made.flat();
}

/** The process of a client, which takes this order too. */
function asFollower(peer: Peer): Peer<FollowOrder, FollowReply> {
  return peer as unknown as Peer<FollowOrder, FollowReply>;
}

function isAsked(name: string, all: readonly string[]): boolean {
  return ONLY.includes(name) || !ONLY.some((one) => all.includes(one));
}

/** How many rows are not right. */
function printed(all: readonly Row[]): number {
  for (const { client, transport, task, verdict, right } of all)
    process.stdout.write(
      `${right ? 'ok ' : 'NO '} ${client.padEnd(10)} ${transport} ${task.padEnd(42)} ${verdict}\n`,
    );
  const methods = Map.groupBy(
    all.filter(({ transport }) => transport === 'registry'),
    ({ client }) => client,
  );
  for (const [client, each] of methods)
    process.stdout.write(
      `${client}: ${each.filter(({ verdict }) => verdict === 'works').length} of ${each.length} methods work\n`,
    );
  const wrong = all.filter(({ right }) => !right).length;
  process.stdout.write(`${all.length} rows: ${all.length - wrong} right, ${wrong} not\n`);
  return wrong;
}
