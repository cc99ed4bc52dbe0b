import type { NewVisit } from '../../domain/source.ts';
import { command, group } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { textFlag } from '../flags.ts';
import { counted, nextCommands, note, printJson, printLine } from '../output/print.ts';
import { withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

/** Written at once, so that a list of millions is no single transaction. */
const BATCH = 5_000;

/** Exits with 1 when something that was named is no domain; the others are added. */
const add = command({
  name: 'add',
  description: 'Add domains that are due at once. A known domain keeps its schedule.',
  arguments: [['[domain...]', 'domain names, or - to read one a line from stdin']],
  flags: {
    from: textFlag('--from <file>', 'domain names from a file, one a line'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  async run(flags, args) {
    const { namedDomains } = await import('../input/named-domains.ts');
    const { domains, refused } = await namedDomains(args, flags.from);
    const added = await withStore(flags, { create: true }, async ({ records, clock }) => {
      let count = 0;
      for (let at = 0; at < domains.length; at += BATCH)
        count += await records.sources.add(domains.slice(at, at + BATCH).map(visitOf), clock.now());
      return count;
    });
    for (const { source, detail } of refused) note(`'${source}' was not added: ${detail}`);
    if (flags.json) printJson({ named: domains.length, added, refused });
    else {
      printLine(`added ${counted(added, 'domain')}, due at once; known before: ${domains.length - added}`);
      nextCommands(['crawl --due']);
    }
    return refused.length > 0 ? EXIT.findings : EXIT.ok;
  },
});

function visitOf(key: string): NewVisit {
  return { kind: 'domain', key, foundVia: 'operator' };
}

export default group({
  name: 'sources',
  description: 'Manage what the scheduler and crawl --due visit.',
  commands: [add],
  examples: [
    'agent-registry sources add news.example shop.example',
    'agent-registry sources add --from domains.txt',
  ],
});
