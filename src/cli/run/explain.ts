import { systemClock } from '../../compose.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import type { ExplainFlags } from '../commands/explain.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { explainAgent } from '../explain/agent.ts';
import { explainDomain } from '../explain/domain.ts';
import { printJson, printLine } from '../output/print.ts';
import { tiersOf } from '../settings.ts';
import { READ, withStore } from '../with-store.ts';

/** `registry explain`: what the records hold of one domain or agent, told in order. */
export function explainCommand(subject: string, flags: ExplainFlags): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records }, config) => {
    const told = { tiers: await tiersOf(config), tester: config };
    const story = await tell(subject, flags.limit);
    if (story === undefined) {
      throw new RegistryError('not_found', `nothing is known of ${subject}`, {
        hint: 'it was never named nor found; "registry crawl DOMAIN" visits a domain',
      });
    }
    if (flags.json) printJson(story.json);
    else for (const line of story.lines) printLine(line);
    return EXIT.ok;

    function tell(text: string, limit: number) {
      const domain = parseDomain(text);
      if (domain.ok) return explainDomain(records, domain.domain, limit, systemClock.now());
      const agent = parseAgentUrl(text);
      if (agent.ok) return explainAgent(records, agent.url, limit, systemClock.now(), told);
      throw new RegistryError('usage', `'${text.slice(0, 200)}' is neither a domain name nor an agent URL`, {
        hint: 'as in "registry explain news.example"',
      });
    }
  });
}
