import { describe, expect, it } from 'vitest';
import { patientTime } from '../support/patient-time.ts';
import { bodyOf, json, serve } from './support/serve.ts';
import { visit } from './support/visit.ts';

interface State {
  readonly state: string;
  /** Of its status message. */
  readonly parts?: readonly unknown[];
}

const RESULT = [{ artifactId: 'r', parts: [{ kind: 'data', data: { ok: true } }] }];

/** An agent of A2A 0.3 or 1.0 by hand, whose one task is in the first of these states, then in the next at each look. */
async function agentIn(version: '0.3' | '1.0', states: readonly State[], seen: string[] = []) {
  const isNew = version === '1.0';
  let looks = 0;
  const taskOf = ({ state, parts }: State) => ({
    ...{ kind: 'task', id: 't-1', contextId: 'c-1' },
    status: {
      state: isNew ? `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}` : state,
      ...(parts && {
        message: { kind: 'message', messageId: 'm', role: isNew ? 'ROLE_AGENT' : 'agent', parts },
      }),
    },
    ...(state === 'completed' && { artifacts: RESULT }),
  });
  return serve(async (request, response) => {
    if (request.method === 'GET') {
      const url = `http://${request.headers.host}/a2a`;
      const card = { name: 'By hand', skills: [] };
      const interfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      return json(response, isNew ? { ...card, supportedInterfaces: interfaces } : { ...card, url });
    }
    const { id, method, params } = (await bodyOf(request)) ?? {};
    const isSend = method === (isNew ? 'SendMessage' : 'message/send');
    seen.push(isSend ? 'send' : `${String(method)} ${String((params as { id?: string }).id)}`);
    const task = taskOf(states[Math.min(looks, states.length - 1)] ?? { state: 'working' });
    looks += 1;
    json(response, { jsonrpc: '2.0', id, result: isSend && isNew ? { task } : task });
  });
}

const WORKING = { state: 'working' };
const SUBMITTED = { state: 'submitted' };
const COMPLETED = { state: 'completed' };

describe.each(['0.3', '1.0'] as const)('a task of A2A %s', (version) => {
  const look = version === '1.0' ? 'GetTask t-1' : 'tasks/get t-1';

  it('that works is looked at until it is completed, with longer pauses up to 5 s', async () => {
    const seen: string[] = [];
    const pauses: number[] = [];
    const states = [SUBMITTED, WORKING, WORKING, WORKING, WORKING, COMPLETED];
    const answer = await visit(
      await agentIn(version, states, seen),
      (agent) => agent.callTask('t', { a: 1 }),
      {
        protocols: ['a2a'],
        pause: async (ms) => void pauses.push(ms),
      },
    );
    expect(answer).toMatchObject({ outcome: 'answered', data: { ok: true } });
    expect(seen).toEqual(['send', look, look, look, look, look]);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it.each<[string, State, string]>([
    ['works', WORKING, 'the task is still working: no result within 300 ms'],
    [
      'stays submitted',
      SUBMITTED,
      'the task is still submitted and has not started; it may be waiting for a person: no result within 300 ms',
    ],
  ])('that %s until the deadline is reported as that', async (_name, state, message) => {
    patientTime();
    const answer = await visit(
      await agentIn(version, [state]),
      (agent) => agent.callTask('t', { a: 1 }, { callMs: 300 }),
      {
        protocols: ['a2a'],
        pause: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      },
    );
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'timeout', message } });
  });

  it.each<[string, State, object]>([
    [
      'input, with its question as a text',
      { state: 'input-required', parts: [{ kind: 'text', text: 'Which brand?' }] },
      { errorClass: 'input_required', message: 'the task is waiting for input', words: 'Which brand?' },
    ],
    [
      'input, with its question as data',
      { state: 'input-required', parts: [{ kind: 'data', data: { reason: 'BUDGET_APPROVAL' } }] },
      { errorClass: 'input_required', message: 'the task is waiting for input', words: 'BUDGET_APPROVAL' },
    ],
    [
      'credentials',
      { state: 'auth-required' },
      { errorClass: 'auth_required', message: 'the task is waiting for credentials' },
    ],
  ])('that waits for %s is not looked at again', async (_name, state, failure) => {
    const seen: string[] = [];
    const answer = await visit(
      await agentIn(version, [WORKING, state], seen),
      (agent) => agent.callTask('t', { a: 1 }),
      {
        protocols: ['a2a'],
      },
    );
    expect(answer).toMatchObject({ outcome: 'failed', failure });
    expect(seen).toEqual(['send', look]);
  });
});
