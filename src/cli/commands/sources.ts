import type { Failure } from '../../crawl/progress.ts';
import type { NewVisit } from '../../domain/source.ts';
import { RegistryError } from '../../errors.ts';
import { command, group } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { integerFlag, textFlag } from '../flags.ts';
import { counted, nextCommands, note, printJson, printLine } from '../output/print.ts';
import { type OpenStore, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

/** Written at once, so that a list of millions is no single transaction. */
const BATCH = 5_000;
/** Bad lines of a list by rank that are named; all are counted. */
const MAX_NAMED = 20;

interface Added {
  /** Domains that were named; those of a list as often as it has them. */
  readonly named: number;
  readonly added: number;
  readonly refused: readonly Failure[];
  readonly refused_total: number;
  /** Domains of a list whose turn would come too late. */
  readonly later: number;
}

/** Exits with 1 when something that was named is no domain; the others are added. */
const add = command({
  name: 'add',
  description:
    'Add domains that are due immediately, or candidates from a ranked list. A known domain keeps its schedule.',
  arguments: [['[domain...]', 'domain names, or - to read them from stdin, one per line']],
  flags: {
    from: textFlag('--from <file>', 'read domain names from a file, one per line'),
    rank: textFlag('--rank <file>', 'read candidates from a file with "RANK,DOMAIN" on each line'),
    perDay: integerFlag(
      '--per-day <n>',
      'with --rank: number of first visits per day, in order of rank',
      [1, 100_000_000],
      1_000_000,
    ),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  async run(flags, args) {
    const { rank, perDay, from } = flags;
    const added =
      rank === undefined
        ? await named(args, from)
        : await ranked(rank, perDay, from === undefined ? args : [...args, from]);
    const done = await withStore(flags, { create: true }, added);
    for (const { source, detail } of done.refused) note(`'${source}' was not added: ${detail}`);
    if (flags.json) printJson(done);
    else {
      printLine(summary(done, rank === undefined ? 'due now' : 'due in order of rank'));
      nextCommands(['crawl --due']);
    }
    return done.refused_total > 0 ? EXIT.findings : EXIT.ok;
  },
});

function summary({ named: all, added, refused, refused_total: bad, later }: Added, due: string): string {
  const more = bad > refused.length ? `; ${bad - refused.length} more invalid lines` : '';
  const waiting = later > 0 ? `; skipped, rank too low for --per-day: ${later}` : '';
  return `added ${counted(added, 'domain')}, ${due}; known before: ${all - added - later}${waiting}${more}`;
}

type Add = (store: OpenStore) => Promise<Added>;

async function named(args: readonly string[], from: string | undefined): Promise<Add> {
  const { namedDomains } = await import('../input/named-domains.ts');
  const { domains, refused } = await namedDomains(args, from);
  return async ({ records, clock }) => {
    let added = 0;
    for (let at = 0; at < domains.length; at += BATCH)
      added += await records.sources.add(domains.slice(at, at + BATCH).map(visitOf), clock.now());
    return { named: domains.length, added, refused, refused_total: refused.length, later: 0 };
  };
}

function visitOf(key: string): NewVisit {
  return { kind: 'domain', key, foundVia: 'operator' };
}

/** Adds a list batch by batch. Stopped in between, the same command goes on: what it has added is known. */
async function ranked(list: string, perDay: number, others: readonly string[]): Promise<Add> {
  if (others.length > 0)
    throw new RegistryError('usage', '--rank cannot be combined with other domains', {
      hint: 'add the other domains with a separate command',
    });
  const { rankedDomains } = await import('../input/ranked-domains.ts');
  const { candidateVisit } = await import('../../discovery/schedule.ts');
  return async ({ records, clock }) => {
    const now = clock.now();
    const refused: Failure[] = [];
    const counts = { named: 0, added: 0, refused_total: 0, later: 0 };
    let batch: NewVisit[] = [];
    const flush = async () => {
      counts.added += await records.sources.add(batch, now);
      batch = [];
    };
    for await (const line of rankedDomains(list)) {
      if (!line.ok) {
        counts.refused_total += 1;
        const { source, detail } = line;
        if (refused.length < MAX_NAMED)
          refused.push({ source, code: 'not_a_domain', detail: `line ${line.line}: ${detail}` });
        continue;
      }
      counts.named += 1;
      const visit = candidateVisit({ key: line.domain, rank: line.rank }, perDay, now);
      if (visit === undefined) counts.later += 1;
      else batch.push(visit);
      if (batch.length >= BATCH) await flush();
    }
    await flush();
    return { ...counts, refused };
  };
}

export default group({
  name: 'sources',
  description: 'Manage the domains that the scheduler and "crawl --due" visit.',
  commands: [add],
  examples: [
    'agent-registry sources add news.example shop.example',
    'agent-registry sources add --from domains.txt',
    'agent-registry sources add --rank top-list.csv --per-day 500000',
  ],
});
