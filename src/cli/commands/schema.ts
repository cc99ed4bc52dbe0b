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
    'Create or update the tables of the records and the job queue in PostgreSQL, as their owner, and grant privileges to the role of the processes.',
  flags: {
    runtimeRole: textFlag(
      '--runtime-role <name>',
      'role of all processes: it can read and write rows and append to the audit log, but not change tables',
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
      throw new RegistryError('usage', '--runtime-role requires a PostgreSQL store', {
        hint: 'give --store the PostgreSQL address of the owner; an SQLite file is updated when a command opens it',
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
    printLine(`${runtimeRole} can read and write rows and append to the audit log, but not change tables`);
    nextCommands(['doctor']);
    return EXIT.ok;
  },
});
