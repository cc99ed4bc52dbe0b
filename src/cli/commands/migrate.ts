import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, withJson } from '../options.ts';

export interface MigrateFlags extends JsonFlag {
  readonly from: string;
  readonly to?: string;
  readonly toEnv?: string;
  readonly yes?: true;
}

/** `registry migrate`. */
export const defineMigrate: DefineCommand = (program, done) => {
  const command = program
    .command('migrate')
    .description('Copy the records of an SQLite store into an empty PostgreSQL database, all or nothing.')
    .requiredOption('--from <address>', 'the store to copy, sqlite:PATH; nobody can write to it meanwhile')
    .option('--to-env <name>', 'environment variable with the address of the database')
    .option(
      '--to <address|@file>',
      'postgres://user@host/database, or a file with it as @path (a password typed here shows in the process list)',
    )
    .option('--yes', 'do it; without this the plan is shown');
  withJson(command);
  examples(
    command,
    'registry migrate --from sqlite:.registry/registry.sqlite --to-env DATABASE_URL',
    'registry migrate --from sqlite:.registry/registry.sqlite --to @/run/secrets/store --yes',
  );
  command.action(async (flags: MigrateFlags) => {
    const { migrateCommand } = await import('../run/migrate.ts');
    done(await migrateCommand(flags));
  });
};
