import type { HistoryBody, RunSummary } from '../../../api/render/compliance-runs.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, textFlag } from '../../flags.ts';
import { namedAgentUrl, readCursor } from '../../input/arguments.ts';
import { kindOfRun } from '../../output/kept-run.ts';
import { listTable, note, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { complianceOf } from '../../setup/compliance-state.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** The operator sees what the owner sees. */
export default command({
  name: 'list',
  description: 'List the runs of an agent, newest first.',
  arguments: [['<url>', 'the agent']],
  flags: {
    limit: integerFlag('--limit <n>', 'maximum number of rows', [1, 1_000], 20),
    cursor: textFlag('--cursor <text>', 'next_cursor of the previous page'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  async run({ limit, cursor, ...flags }, url) {
    const { readHistoryCursor } = await import('../../../api/history-pages.ts');
    const { complianceHistory } = await import('../../../api/render/compliance-runs.ts');
    const agent = namedAgentUrl(url, 'looked up');
    const before = readCursor(cursor, readHistoryCursor);
    return withStore(flags, READ, async ({ records }) => {
      const viewed = await complianceOf(records, agent);
      const page = { limit: limit + 1, includeHidden: true, ...(before && { before }) };
      const runs = await records.compliance.lastRuns(agent, page);
      const body = complianceHistory(viewed, runs, limit) as HistoryBody;
      if (flags.json) printJson(body);
      else printRuns(body);
      return EXIT.ok;
    });
  },
});

const HEADINGS = ['started at', 'status', 'kind', 'bundle', 'asked by', 'run', 'why'];

function printRuns({ agent_url, runs, next_cursor }: HistoryBody): void {
  if (runs.length === 0) note(`no runs of ${agent_url}`);
  else for (const line of listTable(HEADINGS, runs.map(cells))) printLine(line);
  if (next_cursor !== null) note(`more: --cursor ${next_cursor}`);
}

function cells(run: RunSummary): string[] {
  const why = run.inconclusive_reason ?? run.headline ?? '-';
  return [
    run.started_at,
    run.status,
    kindOfRun(run),
    visible(run.proto_version ?? '-'),
    run.triggered_by ?? '-',
    run.run_id,
    visible(why),
  ];
}
