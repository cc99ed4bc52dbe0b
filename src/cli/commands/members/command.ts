import { command, group } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readTextFile } from '../../input/arguments.ts';
import { counted, listTable, nextCommands, printJson, printLine } from '../../output/print.ts';
import { tiersOf } from '../../setup/settings.ts';
import { READ, WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';
import invite from './invite.ts';

/** Imports the whole file or nothing. */
const imports = command({
  name: 'import',
  description:
    'Add or replace members from a JSON or YAML file. If the file has an error, nothing is imported. An entry that replaces a member that joined must contain the id of that member. The tier and subscription status of a member decide whether its agents can earn badges.',
  arguments: [['<file>', 'a list of members, or {members: [...]}; see schemas/registry/members.json']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  async run(flags, file) {
    const { parseMembers } = await import('./members-file.ts');
    const { followUp, reconsiderMembers } = await import('../../setup/after-change.ts');
    const members = parseMembers(await readTextFile(file, 'members import'), file);
    return withStore(flags, { create: true }, async ({ records, clock }, config) => {
      const tiers = await tiersOf(config);
      const counts = await records.members.import(members, clock.now());
      const slugs = members.map(({ slug }) => slug);
      if (counts.changed > 0) await followUp(() => reconsiderMembers(records, slugs, tiers));
      if (flags.json) printJson(counts);
      else
        printLine(
          `${counted(members.length, 'member')} read: ${counts.added} added, ${counts.changed} changed, ${counts.unchanged} unchanged`,
        );
      if (!flags.json)
        nextCommands([
          `agents register URL --member ${slugs[0] ?? 'SLUG'}`,
          `keys create --member ${slugs[0] ?? 'SLUG'}`,
        ]);
      return EXIT.ok;
    });
  },
});

const list = command({
  name: 'list',
  description: 'List the members, with the ids of those that joined.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, READ, async ({ records }) => {
      const members = await records.members.list();
      if (flags.json)
        printJson({
          members: members.map(({ slug, id, displayName, tier }) => ({
            slug,
            id: id ?? null,
            display_name: displayName,
            membership_tier: tier ?? null,
          })),
        });
      else {
        const rows = members.map(({ slug, id, displayName, tier }) => [
          slug,
          displayName,
          tier ?? '-',
          id ?? '-',
        ]);
        for (const line of listTable(['member', 'name', 'tier', 'joined id'], rows)) printLine(line);
      }
      return EXIT.ok;
    }),
});

const remove = command({
  name: 'remove',
  description: 'Delete a member that has no registered agents, and its API keys.',
  arguments: [['<slug>', 'the member']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, slug) =>
    withStore(flags, WRITE, async ({ records, clock }) => {
      await records.members.remove(slug, clock.now());
      if (flags.json) printJson({ slug, removed: true });
      else {
        printLine(`deleted ${slug} and its API keys`);
        nextCommands(['audit']);
      }
      return EXIT.ok;
    }),
});

export default group({
  name: 'members',
  description: 'Manage the member organisations that own agents.',
  commands: [imports, invite, list, remove],
  examples: [
    'agent-registry members import members.yaml',
    'agent-registry members invite',
    'agent-registry members remove nova',
  ],
});
