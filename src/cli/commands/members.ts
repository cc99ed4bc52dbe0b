import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export type MembersFlags = StoreFlags & JsonFlag;

/** `registry members import | list | remove`. */
export const defineMembers: DefineCommand = (program, done) => {
  const members = program.command('members').description('The organisations that agents are registered to.');
  const imports = members
    .command('import')
    .description(
      'Add or replace members from a JSON or YAML file; nothing is written when any of it is wrong.',
    )
    .argument('<file>', 'a list of members, or {members: [...]}; see schemas/registry/members.json');
  withJson(withStore(imports)).action(async (file: string, flags: MembersFlags) => {
    const { importMembers } = await import('../run/members.ts');
    done(await importMembers(file, flags));
  });
  const list = members.command('list').description('Show the members.');
  withJson(withStore(list)).action(async (flags: MembersFlags) => {
    const { listMembers } = await import('../run/members.ts');
    done(await listMembers(flags));
  });
  const remove = members
    .command('remove')
    .description('Remove a member, with its API keys, to whom no agent is registered.')
    .argument('<slug>', 'the member');
  withJson(withStore(remove)).action(async (slug: string, flags: MembersFlags) => {
    const { removeMember } = await import('../run/members.ts');
    done(await removeMember(slug, flags));
  });
  examples(members, 'registry members import members.yaml', 'registry members remove nova');
};
