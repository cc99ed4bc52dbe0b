import { systemClock } from '../../compose.ts';
import type { NewVisit } from '../../domain/source.ts';
import type { AddSourcesFlags } from '../commands/sources.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { counted, note, printJson, printLine } from '../output/print.ts';
import { withStore } from '../with-store.ts';
import { namedDomains } from './named-domains.ts';

/** Written at once, so that a list of millions is no single transaction. */
const BATCH = 5_000;

/** `registry sources add`: exits with 1 when something that was named is no domain; the others are added. */
export async function addSources(args: readonly string[], flags: AddSourcesFlags): Promise<ExitCode> {
  const { domains, refused } = await namedDomains(args, flags.from);
  const added = await withStore(flags, { create: true }, async ({ records }) => {
    let count = 0;
    for (let at = 0; at < domains.length; at += BATCH)
      count += await records.sources.add(domains.slice(at, at + BATCH).map(visitOf), systemClock.now());
    return count;
  });
  for (const { source, detail } of refused) note(`'${source}' was not added: ${detail}`);
  if (flags.json) printJson({ named: domains.length, added, refused });
  else printLine(`added ${counted(added, 'domain')}, due at once; known before: ${domains.length - added}`);
  return refused.length > 0 ? EXIT.findings : EXIT.ok;
}

function visitOf(key: string): NewVisit {
  return { kind: 'domain', key, foundVia: 'operator' };
}
