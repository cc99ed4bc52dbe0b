import { type CallTask, connectA2a } from './a2a-call.ts';
import { findCard } from './a2a-card.ts';
import type { AgentConnection } from './connection.ts';
import { readCard } from './read-card.ts';
import { readTools } from './read-tools.ts';
import type { CallSession } from './session.ts';
import { failed } from './task-answer.ts';

/** Shakes hands over A2A, which is reading the agent card; rejects with the CallFailure that tells most. */
export async function speakA2a(session: CallSession): Promise<AgentConnection> {
  const found = await findCard(session);
  const responseTimeMs = session.steps.at(-1)?.durationMs ?? 0;
  const { chosen, skills, name, description } = readCard(found.card, session.url, session.findings);
  const tools = readTools(skills, '/skills', session.findings);
  const callTask = chosen ? await connectA2a(session, chosen) : noInterface;
  return {
    protocol: 'a2a',
    endpoint: chosen?.url ?? found.url,
    responseTimeMs,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    mayHideTasks: chosen !== undefined,
    listTools: async () => tools,
    countResources: async () => undefined,
    callTask,
    close: async () => undefined,
  };
}

const noInterface: CallTask = async () => ({
  ...failed('not_protocol', 'the agent card gives no url that can be called'),
  durationMs: 0,
  raw: '',
});
