import { command } from '../../command.ts';
import { CRAWL_FLAGS } from './flags.ts';

export default command({
  name: 'crawl',
  description: 'Visit domains, what they refer to, and the agents they lead to.',
  arguments: [['[domain...]', 'domain names, or - to read one a line from stdin']],
  flags: CRAWL_FLAGS,
  examples: [
    'agent-registry crawl news.example shop.example',
    'agent-registry crawl --from domains.txt --progress plain',
    'agent-registry crawl --due',
  ],
  run: async (flags, domains) => (await import('./run.ts')).crawlDomains(domains, flags),
});
