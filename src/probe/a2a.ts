import { type CallSkill, connectA2a } from './a2a-call.ts';
import { findCard } from './a2a-card.ts';
import { ProbeFailure } from './failure.ts';
import { readCard } from './read-card.ts';
import { readTools } from './read-tools.ts';
import type { ProbeSession } from './session.ts';
import type { Spoken } from './spoken.ts';

/** Shakes hands over A2A, which is reading the agent card; rejects with the ProbeFailure that tells most. */
export async function speakA2a(session: ProbeSession): Promise<Spoken> {
  const found = await findCard(session);
  const responseTimeMs = session.steps.at(-1)?.durationMs ?? 0;
  const { chosen, skills, name, description } = readCard(found.card, session.url, session.findings);
  const tools = readTools(skills, '/skills', session.findings);
  const callTask: CallSkill = chosen ? await connectA2a(session, chosen) : noInterface;
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

async function noInterface(): Promise<never> {
  throw new ProbeFailure('not_protocol', 'the agent card gives no url that can be called');
}
