import { readTimelineCursor } from '../../api/history-pages.ts';
import { type BadgesBody, badgeTimeline } from '../../api/render/badge-timeline.ts';
import type { VerifiedBadge } from '../../api/render/compliance-detail.ts';
import { RegistryError } from '../../errors.ts';
import type { BadgesListFlags } from '../commands/badges.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { note, printJson, printLine, table } from '../output/print.ts';
import { visible } from '../output/visible.ts';
import { withoutKind } from '../output/without-kind.ts';
import { READ, withStore } from '../with-store.ts';

/** `registry badges list`: the timeline of the API; of an agent that opted out too, as the operator may look. */
export function listBadges(url: string, { limit, cursor, ...flags }: BadgesListFlags): Promise<ExitCode> {
  const agent = readAgentUrl(url, 'looked up');
  const before = readTimelineCursor(cursor);
  if (cursor !== undefined && before === undefined) throw badCursor(cursor);
  return withStore(flags, READ, async ({ records: { compliance } }, { baseUrl }) => {
    const state = await compliance.state(agent);
    if (state === undefined) throw neverHeardOf(agent);
    const page = { limit: limit + 1, ...(before !== undefined && { before }) };
    const shown = { ...state, settings: { ...state.settings, optedOut: false } };
    const events = await compliance.badgeEvents(agent, page);
    const body = badgeTimeline({ agent, state: shown, baseUrl }, events, limit) as BadgesBody;
    if (flags.json) printJson(body);
    else print(body);
    return EXIT.ok;
  });
}

function print({ agent_url, badges, events, next_cursor }: BadgesBody): void {
  if (badges.length === 0) note(`${agent_url} has no active badge`);
  else printLine(table(badges.map(badgeRow)));
  if (events.length > 0) {
    const rows = events.map(({ at, kind, role, line, reason }) => [
      at,
      kind,
      `${role} ${line}`,
      visible(withoutKind(reason)),
    ]);
    printLine(table(rows));
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
  const since = `since ${verified_at}`;
  return [`${role} ${line}`, verification_modes.join(', '), since, visible(verified_specialisms.join(', '))];
}

function badCursor(cursor: string): RegistryError {
  return new RegistryError('usage', `--cursor ${cursor.slice(0, 100)} is not one that was handed out`, {
    hint: 'take the next_cursor of the page before',
  });
}

function neverHeardOf(agent: string): RegistryError {
  return new RegistryError('not_found', `the registry has never heard of ${agent}`, {
    hint: 'register it first: registry agents register URL --member SLUG',
  });
}
