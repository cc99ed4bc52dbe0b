import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../domain/agent-url.ts';
import { HttpProblem } from './problem.ts';

/** The agent's identity from a path segment, which the router has decoded once; `bad_agent_url` for anything else. */
export function agentOf(address: string): string {
  const parsed = parseAgentUrl(address);
  if (parsed.ok) return parsed.url;
  throw new HttpProblem(
    'bad_agent_url',
    `${AGENT_URL_PROBLEMS[parsed.problem]}, percent-encoded as one segment`,
    {
      parameter: 'encodedUrl',
    },
  );
}

/** Refuses any query parameter of an operation that takes none; `what` names it. */
export function refuseParameters(text: string, what: string): void {
  const [name] = new URLSearchParams(text).keys();
  if (name === undefined) return;
  throw new HttpProblem('unknown_parameter', `${what} takes no parameters`, {
    parameter: name,
    validValues: [],
  });
}
