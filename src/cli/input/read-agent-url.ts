import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { RegistryError } from '../../errors.ts';

/** The canonical URL of an agent that the user named; `what` is what it cannot be, `probed` for example. */
export function namedAgentUrl(text: string, what: string): string {
  const parsed = parseAgentUrl(text);
  if (parsed.ok) return parsed.url;
  const reason = AGENT_URL_PROBLEMS[parsed.problem];
  throw new RegistryError('usage', `'${text.slice(0, 200)}' cannot be ${what}: ${reason}`, {
    hint: 'give the address of the agent, as in https://sales.agents.example/mcp',
  });
}
