import { command } from '../../command.ts';
import { CALL_FLAGS } from './flags.ts';

export default command({
  name: 'call',
  description:
    'Call a task of an agent over MCP or A2A, and validate the request and the answer against the schemas.',
  arguments: [
    ['<url>', 'URL of the agent; loopback URLs such as http://127.0.0.1:3000/mcp are allowed'],
    ['<task>', 'name of the task, for example get_products'],
    [
      '[fields...]',
      'fields of the request: brief="coffee in Ghent", brand.domain=acme.example, refine.0.scope=request, ' +
        'channels=["display"]; NAME:=VALUE must be JSON',
    ],
  ],
  flags: CALL_FLAGS,
  examples: [
    'agent-registry call http://127.0.0.1:3000/mcp get_products brief="coffee in Ghent" brand.domain=acme.example',
    'agent-registry call https://sales.agents.example/a2a create_media_buy --json buy.json --protocol a2a --sign ./key.json',
    'agent-registry call https://signals.agents.example/mcp get_signals --json - --auth-env TOKEN --format json < ask.json',
  ],
  run: async (flags, url, task, fields) => (await import('./run.ts')).callTask({ url, task, fields }, flags),
});
