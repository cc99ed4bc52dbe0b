import { parseAgentUrl } from '../../../domain/agent-url.ts';
import { parseDomain } from '../../../domain/domain-name.ts';
import { RegistryError } from '../../../errors.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag } from '../../flags.ts';
import { printJson, printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** Similar domains that are suggested for an unknown one. */
const MOST_NEAR = 5;

/** Explains what the records hold of one domain or agent. */
export default command({
  name: 'explain',
  description:
    'Explain a domain or an agent: what was fetched, what was found, which rules apply, and when the next visit is.',
  arguments: [['<domain-or-url>', 'a domain name or an agent URL']],
  flags: {
    limit: integerFlag('--limit <n>', 'rows of each history', [1, 1_000], 10),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry explain news.example',
    'agent-registry explain https://sales.agents.example/mcp',
  ],
  run: ({ limit, ...flags }, subject) =>
    withStore(flags, READ, async ({ records, index, clock }, config) => {
      const settings = { tiers: await tiersOf(config), tester: config };
      const story = await storyOf();
      if (story === undefined) {
        const agent = parseAgentUrl(subject);
        if (agent.ok) {
          const { unknownUrl } = await import('../../input/find-agent.ts');
          throw await unknownUrl(index, agent.url);
        }
        const { domainsNear } = await import('../../../api/domains-near.ts');
        const kinds = ['publishers', 'brands'] as const;
        const lists = await Promise.all(kinds.map((kind) => domainsNear(records, kind, subject)));
        const near = [...new Set(lists.flat())].slice(0, MOST_NEAR);
        throw new RegistryError('not_found', `${subject} is not in the registry`, {
          hint: `${near.length === 0 ? '' : `similar: ${near.join(', ')}; `}run "agent-registry crawl ${subject}" to crawl it`,
        });
      }
      if (flags.json) printJson(story.json);
      else for (const line of story.lines) printLine(line);
      return EXIT.ok;

      async function storyOf() {
        const domain = parseDomain(subject);
        if (domain.ok) {
          const { explainDomain } = await import('./domain.ts');
          return explainDomain(records, domain.domain, limit, clock.now());
        }
        const agent = parseAgentUrl(subject);
        if (agent.ok) {
          const { explainAgent } = await import('./agent.ts');
          return explainAgent(records, agent.url, limit, clock.now(), settings);
        }
        throw new RegistryError(
          'usage',
          `'${subject.slice(0, 200)}' is neither a domain name nor an agent URL`,
          { hint: 'for example "agent-registry explain news.example"' },
        );
      }
    }),
});
