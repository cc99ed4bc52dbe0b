import { RegistryError } from '../../../errors.ts';
import type { AuditEntry } from '../../../records/owners/audit.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag, textFlag } from '../../flags.ts';
import { namedAgentUrl } from '../../input/arguments.ts';
import { listTable, note, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

export default command({
  name: 'audit',
  description: 'Show the audit log of members, keys and agents, newest first.',
  flags: {
    agent: textFlag('--agent <url>', 'only entries about this agent'),
    subject: textFlag(
      '--subject <text>',
      'only entries about this subject: the id of an API key, or a member',
    ),
    before: integerFlag('--before <id>', 'only entries older than this one (for the next page)', [
      1,
      Number.MAX_SAFE_INTEGER,
    ]),
    limit: integerFlag('--limit <n>', 'maximum number of entries', [1, 10_000], 100),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry audit --agent https://sales.agents.example/mcp',
    'agent-registry audit head >> /mnt/elsewhere/audit-heads',
    'agent-registry audit verify --head /mnt/elsewhere/audit-heads',
    'agent-registry audit prune --days 730 --yes',
  ],
  subcommands: [() => import('./verify.ts'), () => import('./head.ts'), () => import('./prune.ts')],
  run({ before, limit, ...flags }) {
    const subject = subjectOf(flags.agent, flags.subject);
    return withStore(flags, READ, async ({ records }) => {
      const wanted = {
        limit,
        ...(subject !== undefined && { subject }),
        ...(before !== undefined && { before }),
      };
      const entries = await records.owners.auditLog(wanted);
      if (flags.json) printJson({ entries: entries.map(entryJson) });
      else if (entries.length === 0) note('no matching entries in the audit log');
      else for (const line of listTable(HEADINGS, entries.map(cells))) printLine(line);
      return EXIT.ok;
    });
  },
});

function subjectOf(agent: string | undefined, subject: string | undefined): string | undefined {
  if (agent === undefined) return subject;
  if (subject === undefined) return namedAgentUrl(agent, 'looked up');
  throw new RegistryError('usage', '--agent and --subject cannot be combined', {
    hint: 'give one of them',
  });
}

function entryJson({ at, details, ...entry }: AuditEntry) {
  return { ...entry, details: asSettings(details), at: new Date(at).toISOString() };
}

const HEADINGS = ['id', 'at', 'actor', 'action', 'subject', 'details'];

function cells({ id, at, actor, action, subject, details }: AuditEntry): readonly string[] {
  const shown = Object.keys(details).length === 0 ? '' : JSON.stringify(asSettings(details));
  return [String(id), new Date(at).toISOString(), actor, action, subject, shown].map(visible);
}

/** The wire names of the settings. */
const SETTING_NAMES: Readonly<Record<string, string>> = {
  optedOut: 'compliance_opt_out',
  monitoringPaused: 'monitoring_paused',
  checkIntervalHours: 'check_interval_hours',
  lifecycleStage: 'lifecycle_stage',
  complianceTarget: 'compliance_target',
  testSetup: 'test_setup',
};

function asSettings(details: AuditEntry['details']): AuditEntry['details'] {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      (name === 'before' || name === 'after') && typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [SETTING_NAMES[key] ?? key, one]))
        : value,
    ]),
  );
}
