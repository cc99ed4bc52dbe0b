import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { CHECK_FLAGS } from './flags.ts';

export default command({
  name: 'check',
  description: 'Run the storyboards that apply to an agent, and show what passes, what fails and why.',
  arguments: [['[url]', 'URL of the agent; loopback URLs such as http://127.0.0.1:3000/mcp are allowed']],
  flags: CHECK_FLAGS,
  examples: [
    'agent-registry check http://127.0.0.1:3000/mcp',
    'agent-registry check https://sales.agents.example/mcp --auth-env TOKEN --track media_buy --json',
    'agent-registry check https://sales.agents.example/mcp --only media_buy_idempotency --save ./run',
    'agent-registry check https://sales.agents.example/mcp --auth-env TOKEN --record',
    'agent-registry check --replay ./run',
    'agent-registry check https://sales.agents.example/mcp --step media_buy_products/same_brief_again',
    'agent-registry check https://sales.agents.example/mcp --auth-env TOKEN --format junit --output check.xml',
  ],
  exitCodes: [
    [EXIT.ok, 'the agent is passing'],
    [EXIT.findings, 'the agent is degraded, failing or unknown, or the run is inconclusive'],
    [EXIT.usage, 'wrong usage'],
    [EXIT.store, 'the store is not usable (--record)'],
    [EXIT.unanswered, 'the agent could not be reached'],
    [EXIT.interrupted, 'the run was interrupted'],
  ],
  run: async (flags, url) => (await import('./run.ts')).checkAgent(url, flags),
});
