import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** The operation for one agent on the command line; --json prints its answer. */
export default command({
  name: 'show',
  description:
    'Show one agent in full: its record with its sources, when it was last checked, and its uptime in the last 30 days. --json prints the answer of the API.',
  arguments: [['<url-or-name>', 'URL, host, name or a part of the name of the agent']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  examples: ['agent-registry show https://sales.example/mcp', 'agent-registry show "Example Sales"'],
  async run(flags, subject) {
    const { agentInFull } = await import('../../../api/render/agent-in-full.ts');
    const { findAgent, unknownUrl } = await import('../../input/find-agent.ts');
    const { inFullLines } = await import('./lines.ts');
    return withStore(flags, READ, async ({ records, index, clock }, config) => {
      const sources = { records, baseUrl: config.baseUrl ?? '', tiers: await tiersOf(config) };
      const agent = await findAgent(index, subject);
      const shown = await agentInFull(sources, agent, clock.now());
      if (shown === undefined) throw await unknownUrl(index, agent);
      if (flags.json) printJson(shown);
      else {
        const { healthAnswer, USUAL_HEALTH_DAYS } = await import('../../../api/render/health-history.ts');
        const history = await healthAnswer(records.agents, agent, USUAL_HEALTH_DAYS, clock.now());
        for (const line of inFullLines(shown, history, clock.now())) printLine(line);
      }
      return EXIT.ok;
    });
  },
});
