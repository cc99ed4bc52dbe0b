import { readHistoryCursor } from '../../api/history-pages.ts';
import { complianceHistory, type HistoryBody, type RunSummary } from '../../api/render/compliance-runs.ts';
import { type DecideOptions, decideImport } from '../../compliance/decide.ts';
import { type Store, systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { RegistryError } from '../../errors.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import type { RunsFlags, RunsListFlags } from '../commands/runs.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { createRunParser, type RefusedRow, type RunRow } from '../input/parse-runs.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { readInput } from '../input/read-input.ts';
import { splitRows } from '../input/split-rows.ts';
import { counted, note, printJson, printLine, table } from '../output/print.ts';
import { visible } from '../output/visible.ts';
import { tiersOf } from '../settings.ts';
import { READ, WRITE, withStore } from '../with-store.ts';
import { agentState, operatorsView } from './agent-state.ts';

interface Imported {
  readonly rows: number;
  readonly added: number;
  readonly known: number;
  readonly agents: number;
  readonly refused: readonly RefusedRow[];
}

/** `registry runs import`: good rows are kept whatever is wrong with their neighbours. */
export async function importRuns(file: string, flags: RunsFlags): Promise<ExitCode> {
  const texts = splitRows(await readInput(file));
  const now = systemClock.now();
  const rows = texts.map(createRunParser(now));
  const result = await withStore(flags, WRITE, async (store, config) => {
    const taken = await keep(store, rows, { now, tiers: await tiersOf(config) });
    if (taken.added > 0) await stitchToTheEnd({ ...store, clock: systemClock, rederive: deriveStored });
    return taken;
  });
  if (flags.json) printJson(result);
  else printImported(result);
  return result.refused.length > 0 ? EXIT.findings : EXIT.ok;
}

/** Agent by agent, each in one transaction: whatever stops it, the same file again brings in the rest. */
async function keep(
  { records }: Pick<Store, 'records'>,
  rows: readonly (RunRow | RefusedRow)[],
  options: DecideOptions,
): Promise<Imported> {
  const refused = rows.filter((row): row is RefusedRow => 'reason' in row);
  const good = rows.filter((row): row is RunRow => 'run' in row);
  const byAgent = Map.groupBy(good, ({ agent }) => agent);
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
      const reason = `the registry has never heard of ${agent}: register or crawl it first`;
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
    `${counted(rows, 'row')} read: ${counted(added, 'new run')} of ${counted(agents, 'agent')}, ${known} known already, ${refused.length} refused`,
  );
  for (const { line, reason } of refused) note(visible(`line ${line}: ${reason}`));
}

/** `registry runs list`: the operator sees what the owner sees. */
export function listRuns(url: string, { limit, cursor, ...flags }: RunsListFlags): Promise<ExitCode> {
  const agent = readAgentUrl(url, 'looked up');
  const before = readHistoryCursor(cursor);
  if (cursor !== undefined && before === undefined)
    throw new RegistryError('usage', `--cursor ${cursor.slice(0, 100)} is not one that was handed out`, {
      hint: 'take the next_cursor of the page before',
    });
  return withStore(flags, READ, async ({ records: { compliance } }) => {
    const state = await agentState({ compliance }, agent);
    const page = { limit: limit + 1, withAsides: true, ...(before && { before }) };
    const runs = await compliance.lastRuns(agent, page);
    const body = complianceHistory(operatorsView(agent, state), runs, limit) as HistoryBody;
    if (flags.json) printJson(body);
    else printRuns(body);
    return EXIT.ok;
  });
}

function printRuns({ agent_url, runs, next_cursor }: HistoryBody): void {
  if (runs.length === 0) note(`there are no runs of ${agent_url}`);
  else printLine(table(runs.map(cells)));
  if (next_cursor !== null) note(`more: --cursor ${next_cursor}`);
}

function cells(run: RunSummary): string[] {
  const kind = run.dry_run ? 'dry run' : run.partial ? 'some storyboards' : run.outcome;
  const why = run.inconclusive_reason ?? run.headline ?? '-';
  return [run.started_at, run.status, kind, run.triggered_by ?? '-', run.run_id, visible(why)];
}
