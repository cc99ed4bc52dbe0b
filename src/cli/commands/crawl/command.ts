import { command } from '../../command.ts';
import { CRAWL_FLAGS } from './flags.ts';

export default command({
  name: 'crawl',
  description: 'Visit domains, follow their references, and probe the agents they declare.',
  arguments: [['[domain...]', 'domain names, or - to read them from stdin, one per line']],
  flags: CRAWL_FLAGS,
  examples: [
    'agent-registry crawl news.example shop.example',
    'agent-registry crawl --from domains.txt --progress plain',
    'agent-registry crawl --due',
  ],
  run: async (flags, domains) => (await import('./run.ts')).crawlDomains(domains, flags),
});
