import { isObject, parseObject } from '../../../base/json.ts';
import type { SignedAudit } from '../../../compose/audit.ts';
import { RegistryError } from '../../../errors.ts';
import type { AuditVerdict, LogHead } from '../../../records/owners/audit.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textFlag } from '../../flags.ts';
import { readInput } from '../../input/arguments.ts';
import { counted, note, printJson, printLine } from '../../output/print.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

type Head = LogHead & { readonly isVerified: boolean };

/** Exit code 0 if the log is intact, 1 if a record was changed or is missing. */
export default command({
  name: 'verify',
  description:
    'Check that no record of the audit log was changed, deleted or inserted. Exits with 0 if the log is intact, 1 if not.',
  flags: {
    head: textFlag('--head <file>', 'heads that audit head printed earlier, one per line; - for stdin'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run: ({ head: file, ...flags }) =>
    withStore(flags, READ, async ({ records, clock }, config) => {
      const { composeAudit } = await import('../../../compose/audit.ts');
      const audit = await composeAudit(config, records, clock);
      const heads = file === undefined ? [] : await headsIn(await readInput(file), audit);
      const verdict = await checkpointJudged(await records.audit.verify(heads), audit);
      if (flags.json) printJson(verdictJson(verdict, heads));
      else print(verdict, heads);
      return verdict.whole ? EXIT.ok : EXIT.findings;
    }),
});

/** A checkpoint replaces deleted records, so it must be signed. */
async function checkpointJudged(verdict: AuditVerdict, audit: SignedAudit): Promise<AuditVerdict> {
  if (!verdict.whole || verdict.checkpoint === undefined) return verdict;
  const { record, hash, token } = verdict.checkpoint;
  const broken = (reason: string) => ({ whole: false, record, reason }) as const;
  if (token === undefined) return broken('the record is missing, and its checkpoint is not signed');
  try {
    const signed = await audit.readHead(token);
    if (signed.kind !== 'checkpoint' || signed.record !== record || signed.hash !== hash)
      return broken('the record is missing, and its checkpoint is signed for another record');
    return signed.isVerified
      ? verdict
      : broken('the record is missing, and the key of its checkpoint is unknown: set REGISTRY_AUDIT_KEYS');
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'input_invalid') throw error;
    return broken(`the record is missing: ${error.message}`);
  }
}

/** Signed and unsigned heads. */
async function headsIn(text: string, audit: SignedAudit): Promise<readonly Head[]> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0)
    throw new RegistryError('input_invalid', '--head: the file contains no head', {
      hint: 'use the output of `agent-registry audit head`',
    });
  const heads: Head[] = [];
  for (const line of lines) heads.push(bareHead(line) ?? (await audit.readHead(line.trim())));
  return heads;
}

function bareHead(line: string): Head | undefined {
  const value = parseObject(line);
  if (!isObject(value)) return undefined;
  const { record, hash } = value;
  return Number.isSafeInteger(record) && typeof hash === 'string'
    ? { record: record as number, hash, isVerified: false }
    : undefined;
}

function print(verdict: AuditVerdict, heads: readonly Head[]): void {
  if (!verdict.whole) {
    printLine(`broken at record ${verdict.record}: ${verdict.reason}`);
    return;
  }
  const { records, checkpoint, head } = verdict;
  const newest = records === 0 ? '' : `, the newest is ${head.record} with hash ${head.hash}`;
  printLine(`the audit log is intact: ${counted(records, 'record')}${newest}`);
  if (checkpoint !== undefined) printLine(`  starts after the checkpoint of record ${checkpoint.record}`);
  if (heads.length > 0)
    printLine(
      `  ${counted(heads.length, 'given head')} matched, ${heads.filter(({ isVerified }) => isVerified).length} with a verified signature`,
    );
  else note('to detect records deleted at the end of the log, give --head a head that you stored elsewhere');
}

/** Follows schemas/cli/audit-verify.json. */
function verdictJson(verdict: AuditVerdict, heads: readonly Head[]) {
  const isVerified = heads.filter((head) => head.isVerified).length;
  const given = { heads: heads.length, verified_heads: isVerified };
  if (!verdict.whole)
    return { whole: false, broken_record: verdict.record, reason: verdict.reason, ...given };
  const { records, checkpoint, head } = verdict;
  return {
    ...{ whole: true, broken_record: null, reason: null, records },
    ...{ checkpoint: checkpoint?.record ?? null, head, ...given },
  };
}
