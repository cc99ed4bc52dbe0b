/**
 * Runs the field's own clients, as they are, against the agents of our sandbox: `npm run test:peers`. A row for each
 * client, transport and task; exit code 1 when one of them is not as it should be.
 */
import { join } from 'node:path';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import { installPeers, PYTHON } from './install.ts';
import { type Peer, startPeer } from './peer.ts';
import { AGENTS, type Lane, STEPS, type Step } from './steps.ts';

const HERE = import.meta.dirname;
const CLIENTS: Readonly<Record<string, () => Peer>> = {
  javascript: () => startPeer(process.execPath, [join(HERE, 'clients/javascript.mjs')]),
  python: () => startPeer(PYTHON, [join(HERE, 'clients/python.py')]),
};
const TRANSPORTS = ['mcp', 'a2a'] as const;

interface Row {
  readonly client: string;
  readonly transport: string;
  readonly task: string;
  readonly verdict: string;
  readonly right: boolean;
}

installPeers((line) => void process.stderr.write(`${line}\n`));
const sandbox = await startSandbox({ seed: 1, vocabulary: 'adcp', publishers: 20, managed: 0 });
const buyer = sandbox.buyers.at(-1);
const rows = (
  await Promise.all(
    Object.entries(CLIENTS).flatMap(([client, start]) =>
      TRANSPORTS.map(async (transport) => {
        const peer = start();
        const made = await runLane(peer, client, transport);
        await peer.close();
        return made;
      }),
    ),
  )
).flat();
await sandbox.close();
for (const { client, transport, task, verdict, right } of rows)
  process.stdout.write(
    `${right ? 'ok ' : 'NO '} ${client.padEnd(11)} ${transport} ${task.padEnd(46)} ${verdict}\n`,
  );
const wrong = rows.filter(({ right }) => !right).length;
process.stdout.write(`${rows.length} rows, ${wrong} not right\n`);
process.exit(wrong === 0 ? 0 : 1);

async function runLane(peer: Peer, client: string, transport: 'mcp' | 'a2a'): Promise<Row[]> {
  const answers = new Map<string, Readonly<Record<string, unknown>>>();
  const lane: Lane = {
    id: `${client}-${transport}`,
    now: Date.now(),
    answer(task, about = '') {
      const found = answers.get(`${task} ${about}`);
      if (found === undefined) throw new Error(`${task} ${about} was not answered`);
      return found;
    },
  };
  const made: Row[] = [];
  for (const step of STEPS) {
    const { task, about = '' } = step;
    const row = { client, transport, task: about === '' ? task : `${task} (${about})` };
    try {
      const agent = { url: urlOf(step, transport), protocol: transport, token: buyer?.token ?? '' };
      const reply = await peer.call({ agent, task, request: step.request(lane) });
      if (reply.data !== undefined) answers.set(`${task} ${about}`, reply.data);
      made.push({ ...row, ...judged(step, reply) });
    } catch (error) {
      made.push({
        ...row,
        verdict: `not asked: ${error instanceof Error ? error.message : error}`,
        right: false,
      });
    }
  }
  return made;
}

function urlOf({ agent }: Step, transport: string): string {
  return `${sandbox.origin}/@${new URL(AGENTS[agent]).host}/${transport}`;
}

function judged({ refusal }: Step, { ok, code, error = '' }: Awaited<ReturnType<Peer['call']>>) {
  const words = error.replaceAll(/\s+/g, ' ').slice(0, 1_000);
  if (ok) return { verdict: 'accepted', right: refusal === undefined };
  if (typeof code === 'string') return { verdict: `refused with ${code}: ${words}`, right: refusal === code };
  return { verdict: words, right: false };
}
