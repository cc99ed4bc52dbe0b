import { RegistryError } from '../../errors.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { textFlag } from '../flags.ts';
import { nextCommands, printLine } from '../output/print.ts';
import { configOf } from '../setup/settings.ts';
import { STORE_FLAGS } from '../shared-flags.ts';

/** As the owner of the tables; every other command can then do with a role that has no right to change them. */
export default command({
  name: 'schema',
  description:
    'Bring the tables of the records and of the job queue in PostgreSQL up to date, as their owner, and grant a role what processes need.',
  flags: {
    runtimeRole: textFlag(
      '--runtime-role <name>',
      'the role of all processes: it reads and writes rows, only adds to the audit log, and changes no table',
    ),
    ...STORE_FLAGS,
  },
  examples: [
    'agent-registry schema --store postgres://registry_owner@127.0.0.1/registry --runtime-role registry',
  ],
  async run(flags) {
    const { grantRuntime, upgradeSchema } = await import('../../compose/schema.ts');
    const { openQueue } = await import('../../compose/engines.ts');
    const config = configOf(flags);
    if (config.store.startsWith('sqlite:'))
      throw new RegistryError('usage', 'a store in a file has no roles', {
        hint: 'give the address of the owner in PostgreSQL; a file is brought up to date by whoever opens it',
      });
    await upgradeSchema(config.store);
    const queue = await openQueue(config, { cron: false, onFault: () => {} });
    await queue.close();
    printLine('the tables of the records and of the job queue are up to date');
    const { runtimeRole } = flags;
    if (runtimeRole === undefined) {
      nextCommands(['schema --runtime-role ROLE', 'doctor']);
      return EXIT.ok;
    }
    await grantRuntime(config.store, runtimeRole);
    printLine(`${runtimeRole} may read and write rows, only add to the audit log, and change no table`);
    nextCommands(['doctor']);
    return EXIT.ok;
  },
});
