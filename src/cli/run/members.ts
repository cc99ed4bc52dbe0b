import { systemClock } from '../../compose.ts';
import type { MembersFlags } from '../commands/members.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { parseMembers } from '../input/parse-members.ts';
import { counted, printJson, printLine, table } from '../output/print.ts';
import { readText, tiersOf } from '../settings.ts';
import { READ, WRITE, withStore } from '../with-store.ts';
import { reconsiderMembers } from './reconsider.ts';

/** `registry members import`: all of the file or nothing. */
export async function importMembers(file: string, flags: MembersFlags): Promise<ExitCode> {
  const members = parseMembers(await readText(file, 'members import'), file);
  return withStore(flags, { create: true }, async ({ records }, config) => {
    const tiers = await tiersOf(config);
    const counts = await records.members.import(members, systemClock.now());
    const slugs = members.map(({ slug }) => slug);
    if (counts.changed > 0) await reconsiderMembers(records, slugs, tiers);
    if (flags.json) printJson(counts);
    else
      printLine(
        `${counted(members.length, 'member')} read: ${counts.added} new, ${counts.changed} changed, ${counts.unchanged} as they were`,
      );
    return EXIT.ok;
  });
}

/** `registry members list`. */
export function listMembers(flags: MembersFlags): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records }) => {
    const members = await records.members.list();
    if (flags.json)
      printJson({
        members: members.map(({ slug, displayName, tier }) => ({
          slug,
          display_name: displayName,
          membership_tier: tier ?? null,
        })),
      });
    else printLine(table(members.map(({ slug, displayName, tier }) => [slug, displayName, tier ?? '-'])));
    return EXIT.ok;
  });
}

/** `registry members remove`. */
export function removeMember(slug: string, flags: MembersFlags): Promise<ExitCode> {
  return withStore(flags, WRITE, async ({ records }) => {
    await records.members.remove(slug, systemClock.now());
    if (flags.json) printJson({ slug, removed: true });
    else printLine(`${slug} is removed, and its API keys with it`);
    return EXIT.ok;
  });
}
