import { systemClock } from '../../compose.ts';
import type { MembersFlags } from '../commands/members.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { parseMembers } from '../input/parse-members.ts';
import { printJson, printLine, table } from '../output/print.ts';
import { readText } from '../settings.ts';
import { READ, withStore } from '../with-store.ts';

/** `registry members import`: all of the file or nothing. */
export async function importMembers(file: string, flags: MembersFlags): Promise<ExitCode> {
  const members = parseMembers(await readText(file, 'members import'), file);
  return withStore(flags, { create: true }, async ({ records }) => {
    const counts = await records.members.import(members, systemClock.now());
    if (flags.json) printJson(counts);
    else
      printLine(
        `${members.length} members read: ${counts.added} new, ${counts.changed} changed, ${counts.unchanged} as they were`,
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
