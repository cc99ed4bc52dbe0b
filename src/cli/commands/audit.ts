import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, wholeNumber, withJson, withStore } from '../options.ts';

export interface AuditFlags extends StoreFlags, JsonFlag {
  readonly agent?: string;
  readonly subject?: string;
  readonly before?: number;
  readonly limit: number;
}

/** `registry audit`. */
export const defineAudit: DefineCommand = (program, done) => {
  const command = program
    .command('audit')
    .description('Show who did what to members, keys and agents, newest first.')
    .option('--agent <url>', 'what was done to one agent')
    .option('--subject <text>', 'or to one API key, by its id, or member')
    .option(
      '--before <id>',
      'what is older than this entry, for the next page',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--limit <n>', 'at most so many entries', wholeNumber(1, 10_000), 100);
  withJson(withStore(command));
  examples(command, 'registry audit --agent https://sales.agents.example/mcp', 'registry audit --json');
  command.action(async (flags: AuditFlags) => {
    const { auditCommand } = await import('../run/audit.ts');
    done(await auditCommand(flags));
  });
};
