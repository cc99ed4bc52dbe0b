import type { BadgesBody } from '../../../api/render/badge-timeline.ts';
import type { VerifiedBadge } from '../../../api/render/compliance-detail.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, textFlag } from '../../flags.ts';
import { namedAgentUrl, readCursor } from '../../input/arguments.ts';
import { withoutKind } from '../../output/kept-run.ts';
import { listTable, note, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { complianceOf } from '../../setup/compliance-state.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

/** The badge history of the API. */
export default command({
  name: 'list',
  description: 'Show the badges of an agent and the badge history, newest first.',
  arguments: [['<url>', 'the agent']],
  flags: {
    limit: integerFlag('--limit <n>', 'the most events to show', [1, 1_000], 20),
    cursor: textFlag('--cursor <text>', 'the next_cursor of the previous page'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: ['agent-registry badges list https://sales.example/mcp --json'],
  async run({ limit, cursor, ...flags }, url) {
    const { readTimelineCursor } = await import('../../../api/history-pages.ts');
    const { readBadgeTimeline } = await import('../../../api/render/badge-timeline.ts');
    const agent = namedAgentUrl(url, 'looked up');
    const before = readCursor(cursor, readTimelineCursor);
    return withStore(flags, READ, async ({ records }, { baseUrl }) => {
      const { state } = await complianceOf(records, agent);
      const page = { limit, ...(before !== undefined && { before }) };
      const viewed = { agent, state, baseUrl };
      const body = (await readBadgeTimeline(records.compliance, viewed, page)) as BadgesBody;
      if (flags.json) printJson(body);
      else print(body);
      return EXIT.ok;
    });
  },
});

const BADGE_HEADINGS = ['role', 'modes', 'since', 'specialisms'];

function print({ agent_url, badges, events, next_cursor }: BadgesBody): void {
  if (badges.length === 0) note(`${agent_url} has no active badge`);
  else for (const line of listTable(BADGE_HEADINGS, badges.map(badgeRow))) printLine(line);
  if (events.length > 0) {
    const rows = events.map(({ at, kind, role, line, reason }) => [
      at,
      kind,
      `${role} ${line}`,
      visible(withoutKind(reason)),
    ]);
    for (const line of listTable(['at', 'event', 'role', 'reason'], rows)) printLine(line);
  }
  if (next_cursor !== null) note(`more: --cursor ${next_cursor}`);
}

function badgeRow(badge: VerifiedBadge): readonly string[] {
  const {
    role,
    verified_protocol_version: line,
    verification_modes,
    verified_at,
    verified_specialisms,
  } = badge;
  const specialisms = visible(verified_specialisms.join(', '));
  return [`${role} ${line}`, verification_modes.join(', '), verified_at, specialisms];
}
