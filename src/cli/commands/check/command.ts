import { command } from '../../command.ts';
import { CHECK_FLAGS } from './flags.ts';

export default command({
  name: 'check',
  description: 'Run the storyboards that an agent must pass, and show what passes, what fails, and why.',
  arguments: [['[url]', 'the agent; a loopback URL such as http://127.0.0.1:3000/mcp is allowed here']],
  flags: CHECK_FLAGS,
  examples: [
    'agent-registry check http://127.0.0.1:3000/mcp',
    'agent-registry check https://sales.agents.example/mcp --auth-env TOKEN --track media_buy --json',
    'agent-registry check https://sales.agents.example/mcp --only media_buy_idempotency --save ./run',
    'agent-registry check https://sales.agents.example/mcp --auth-env TOKEN --record',
    'agent-registry check --replay ./run',
  ],
  run: async (flags, url) => (await import('./run.ts')).checkAgent(url, flags),
});
