import { HttpProblem } from './problem.ts';
import { namesAgent } from './signed-agent.ts';

/**
 * Reads the body of a request for a run: `{"agent_url": …}`, which has to be the agent of the path. With an API key it
 * may be left away. Throws HttpProblems.
 */
export function readRunRequest(
  body: Buffer,
  agent: string,
  { required }: { readonly required: boolean },
): void {
  if (body.length === 0 && !required) return;
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  const members = Object.entries(value);
  const unknown = members.find(([name]) => name !== 'agent_url');
  if (unknown !== undefined)
    throw new HttpProblem('unknown_parameter', 'a request for a run has no such member', {
      parameter: unknown[0].slice(0, 100),
      validValues: ['agent_url'],
    });
  if (members.length === 0 && !required) return;
  if (!namesAgent(value.agent_url, agent))
    throw new HttpProblem('invalid_value', 'agent_url has to be the agent of the path', {
      parameter: 'agent_url',
    });
}

function parsed(body: Buffer): { readonly agent_url?: unknown } | undefined {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw unreadable();
  }
}

function unreadable(): HttpProblem {
  return new HttpProblem('bad_request', 'a JSON object is expected, as {"agent_url": "https://…"}');
}
