import type { DecideOptions } from '../../../compliance/decide.ts';
import type { Records } from '../../../ports/records.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readInput } from '../../input/arguments.ts';
import { counted, nextCommands, note, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { tiersOf } from '../../setup/settings.ts';
import { CHANGE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';
import type { RefusedRow, RunRow } from './rows.ts';

interface Imported {
  readonly rows: number;
  readonly added: number;
  readonly known: number;
  readonly agents: number;
  readonly refused: readonly RefusedRow[];
}

/** Good rows are kept whatever is wrong with their neighbours. */
export default command({
  name: 'import',
  description:
    'Import runs that were recorded elsewhere. Invalid rows are rejected with their line and the reason. Importing a file again changes nothing.',
  arguments: [
    ['<file>', 'file with JSON lines or a JSON array, or - for stdin; see schemas/registry/run-import.json'],
  ],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  async run(flags, file) {
    const { createRunParser } = await import('./rows.ts');
    const { splitRows } = await import('./split-rows.ts');
    const texts = splitRows(await readInput(file));
    const result = await withStore(flags, CHANGE, async ({ records, index, clock }, config) => {
      const now = clock.now();
      const rows = texts.map(createRunParser(now));
      const imported = await keep(records, rows, { now, tiers: await tiersOf(config) });
      const { updateIndex } = await import('../../setup/after-change.ts');
      if (imported.added > 0) await updateIndex({ records, index });
      return imported;
    });
    if (flags.json) printJson(result);
    else printImported(result);
    return result.refused.length > 0 ? EXIT.findings : EXIT.ok;
  },
});

/** Agent by agent, each in one transaction: whatever stops it, the same file again brings in the rest. */
async function keep(
  records: Pick<Records, 'compliance'>,
  rows: readonly (RunRow | RefusedRow)[],
  options: DecideOptions,
): Promise<Imported> {
  const refused = rows.filter((row): row is RefusedRow => 'reason' in row);
  const good = rows.filter((row): row is RunRow => 'run' in row);
  const byAgent = Map.groupBy(good, ({ agent }) => agent);
  const { decideImport } = await import('../../../compliance/decide.ts');
  const decide = decideImport(options);
  const sums = { added: 0, known: 0, agents: 0 };
  for (const [agent, ofAgent] of byAgent) {
    const counts = await records.compliance.importRuns(
      agent,
      ofAgent.map(({ run }) => run),
      decide,
      options.now,
    );
    if (counts === undefined) {
      const reason = `${agent} is not in the registry: register or crawl it first`;
      refused.push(...ofAgent.map(({ line }) => ({ line, reason })));
      continue;
    }
    sums.added += counts.added;
    sums.known += counts.known;
    sums.agents += counts.added > 0 ? 1 : 0;
  }
  return { rows: rows.length, ...sums, refused: refused.sort((one, other) => one.line - other.line) };
}

function printImported({ rows, added, known, agents, refused }: Imported): void {
  printLine(
    `${counted(rows, 'row')} read: ${counted(added, 'new run')} of ${counted(agents, 'agent')}, ${known} already known, ${refused.length} rejected`,
  );
  for (const { line, reason } of refused) note(visible(`line ${line}: ${reason}`));
  if (added > 0) nextCommands(['runs list URL', 'badges list URL']);
}
