import type { Sandbox } from '../../reference-agents/src/sandbox.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import { isObject } from '../../src/base/json.ts';
import { openHooks } from './hooks.ts';
import type { Peer, Reply, Row } from './peer.ts';
import { AGENTS, type AgentName, type Lane, type Step } from './steps/lane.ts';
import { STEPS } from './steps.ts';

interface LaneParts {
  readonly client: string;
  readonly transport: 'mcp' | 'a2a';
  readonly peer: Peer;
}

const DAY_S = 86_400;

/** All steps with one client over one transport, in a sandbox of their own. */
export async function runLane({ client, transport, peer }: LaneParts): Promise<Row[]> {
  const hooks = await openHooks();
  const sandbox = await startSandbox({
    ...{ seed: 1, vocabulary: 'adcp', publishers: 5, managed: 0 },
    connectTo: [hooks.connectTo],
  });
  const token = sandbox.buyers.at(-1)?.token ?? '';
  const { lane, keep } = openLane(`${client}-${transport}`);
  const rows: Row[] = [];
  for (const step of STEPS.filter(({ canonical }) => canonical !== true || client === 'python')) {
    const { task, about = '', advance, canonical = false } = step;
    const row = { client, transport, task: about === '' ? task : `${task} (${about})` };
    if (advance !== undefined) await advanceTime(urlOf(sandbox, step.agent, 'mcp'), token, advance);
    try {
      const agent = { url: urlOf(sandbox, step.agent, transport), protocol: transport, token };
      const reply = await peer.call({ agent, task, request: step.request(lane), canonical });
      keep(step, reply);
      rows.push({ ...row, ...judged(step, reply, lane) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      rows.push({ ...row, verdict: `not asked: ${why}`, right: false });
    }
  }
  rows.push(...(await hooks.rowsOf({ client, transport }, sandbox, peer)));
  await sandbox.close();
  hooks.close();
  return rows;
}

function openLane(id: string) {
  const answers = new Map<string, NonNullable<Reply['data']>>();
  const lane: Lane = {
    id,
    now: Date.now(),
    answer(task, about = '') {
      const found = answers.get(`${task} ${about}`);
      if (found === undefined) throw new Error(`it needs the answer of ${task}`);
      return found;
    },
  };
  const keep = ({ task, about = '' }: Step, { ok, data }: Reply) => {
    if (ok && data !== undefined) answers.set(`${task} ${about}`, data);
  };
  return { lane, keep };
}

function urlOf({ origin }: Sandbox, agent: AgentName, transport: string): string {
  return `${origin}/@${new URL(AGENTS[agent]).host}/${transport}`;
}

function judged({ refusal, holds }: Step, reply: Reply, lane: Lane): Pick<Row, 'verdict' | 'right'> {
  const { ok, data = {}, error = '' } = reply;
  const words = error.replaceAll(/\s+/g, ' ').slice(0, 1_000);
  if (ok) {
    const kept = holds?.(data, lane) ?? true;
    return {
      verdict: kept ? 'accepted' : `accepted, but it says ${JSON.stringify(data).slice(0, 1_000)}`,
      right: kept && refusal === undefined,
    };
  }
  if (typeof reply.code === 'string')
    return {
      verdict: `refused with ${reply.code}${refusal === reply.code ? '' : `: ${words}`}`,
      right: refusal === reply.code,
    };
  const hidden = codeInTask(data);
  if (hidden !== undefined)
    return {
      verdict: `refused with ${hidden}, which the client leaves in the task`,
      right: refusal === hidden,
    };
  return { verdict: words, right: false };
}

/** The code of a failed A2A task, for the client that hands the task on as it came (differences.ts). */
function codeInTask(data: unknown): string | undefined {
  const result = isObject(data) && isObject(data.result) ? data.result : {};
  const parts = (Array.isArray(result.artifacts) ? result.artifacts : []).flatMap((artifact: unknown) =>
    isObject(artifact) && Array.isArray(artifact.parts) ? artifact.parts : [],
  );
  const errors = parts.map((part: unknown) =>
    isObject(part) && isObject(part.data) && isObject(part.data.adcp_error)
      ? part.data.adcp_error.code
      : undefined,
  );
  return errors.find((code: unknown) => typeof code === 'string');
}

/** Moves the buyer's time in the seller's sandbox ahead, so that there is a delivery to ask for. */
async function advanceTime(url: string, token: string, days: number): Promise<void> {
  const params = {
    name: 'comply_test_controller',
    arguments: { scenario: 'advance_time', params: { seconds: days * DAY_S } },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  await response.arrayBuffer();
}
