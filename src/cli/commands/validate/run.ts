import { checkJson } from '../../../api/render/file-check.ts';
import {
  type BytesCheck,
  checkBytes,
  checkDomain,
  type FileCheck,
  MAX_CHECKED_BYTES,
} from '../../../discovery/check-file.ts';
import type { FileBounds } from '../../../discovery/read-document.ts';
import type { FileKind } from '../../../domain/declaration.ts';
import { parseDomain } from '../../../domain/domain-name.ts';
import { RegistryError } from '../../../errors.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson, printLine } from '../../output/print.ts';
import { claimsOf } from '../../output/simple-claims.ts';
import { visible } from '../../output/visible.ts';
import { withFetcher } from '../../setup/fetcher.ts';
import { configOf, networkOf } from '../../setup/settings.ts';
import { fileBytes, readSome, replaceFile } from './file.ts';
import type { ValidateFlags } from './flags.ts';
import { printCheck, printDiff } from './print.ts';

/** A fix can reveal further findings; two rounds are enough for nearly every file. */
const MAX_ROUNDS = 5;

/** The publisher of the file, where it is given. */
type Publisher = Pick<BytesCheck, 'domain' | 'bounds'>;

interface CheckedTarget {
  readonly checked: FileCheck;
  /** Of a domain: the claims of a simple file, compared with its agents. */
  readonly claims?: readonly string[];
  /** Present for a file: what was checked. */
  readonly bytes?: Uint8Array;
}

/** Checks a file, the file of a domain, or stdin; repairs a file or watches it where the flags say so. */
export async function validate(target: string, flags: ValidateFlags): Promise<ExitCode> {
  const publisher = await publisherOf(flags);
  const once = async (): Promise<ExitCode> => {
    const found = await check(target, flags, publisher);
    if (flags.fix) return repair(target, found, flags, publisher);
    const { claims = await claimsOf(found.checked, publisher.domain) } = found;
    report(target, found.checked, flags, claims);
    return exitOf(found.checked);
  };
  refuseContradictions(target, flags);
  if (!flags.watch) return once();
  const { watchFile } = await import('./watch.ts');
  return watchFile(target, once);
}

function report(
  target: string,
  checked: FileCheck,
  flags: ValidateFlags,
  claims: readonly string[] = [],
): void {
  if (flags.json) {
    printJson({ ...checkJson(checked), simple_claims: claims });
    return;
  }
  printCheck(target, checked);
  if (claims.length > 0) printLine('\nClaims of the simple file, compared with the agents:');
  for (const line of claims) printLine(`  ${visible(line)}`);
}

function exitOf({ valid }: FileCheck): ExitCode {
  return valid ? EXIT.ok : EXIT.findings;
}

async function check(target: string, flags: ValidateFlags, publisher: Publisher): Promise<CheckedTarget> {
  const about = (kind: FileKind | undefined) => ({ ...publisher, ...(kind && { kind }), now: Date.now() });
  const most = Math.max(MAX_CHECKED_BYTES, publisher.bounds?.maxBytes ?? 0);
  if (target === '-') return { checked: checkBytes(await readSome(process.stdin, most), about(flags.kind)) };
  const bytes = await fileBytes(target, most);
  if (bytes !== undefined)
    return { checked: checkBytes(bytes, about(flags.kind ?? kindOfName(target))), bytes };
  const parsed = parseDomain(target);
  if (parsed.ok && (flags.fix || flags.watch))
    throw new RegistryError('usage', `file not found: ${target}`, {
      hint: '--fix and --watch require a local file',
    });
  if (parsed.ok) return overNetwork(parsed.domain, flags);
  throw new RegistryError('usage', `'${target.slice(0, 200)}' is not a file or a domain name`, {
    hint: 'pass a file, a domain such as news.example, or - for stdin',
  });
}

async function overNetwork(domain: string, flags: ValidateFlags): Promise<CheckedTarget> {
  const bounds = await boundsOf(flags);
  return withFetcher(flags, async (open) => {
    // only a local file can be fixed
    const { fixed: _, ...checked } = await checkDomain({
      ...{ domain, bounds, fetcher: open.fetcher, now: open.clock.now() },
      deadlineMs: open.config.visitDeadlineMs,
      ...(flags.kind && { kind: flags.kind }),
    });
    return { checked, claims: await claimsOf(checked, domain, open) };
  });
}

/** Applies the safe fixes, shows and writes them, and validates the result. */
async function repair(
  target: string,
  { checked, bytes = new Uint8Array() }: CheckedTarget,
  flags: ValidateFlags,
  publisher: Publisher,
): Promise<ExitCode> {
  if (bytes === undefined)
    throw new RegistryError('usage', '--fix requires a file', {
      hint: 'pass a writable local file',
    });
  const given = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes); // a BOM is repaired, too
  let [text, after, rounds] = [given, checked, 0];
  for (; after.fixed !== undefined && after.fixed !== text && rounds < MAX_ROUNDS; rounds += 1) {
    text = after.fixed;
    after = checkBytes(Buffer.from(text), { ...publisher, kind: checked.kind, now: Date.now() });
  }
  const isChanged = rounds > 0;
  const isWritten = isChanged && !flags.dryRun;
  if (isWritten) await replaceFile(target, bytes, Buffer.from(text));
  if (flags.json) {
    printJson({
      ...checkJson(flags.dryRun ? checked : after),
      simple_claims: await claimsOf(flags.dryRun ? checked : after, publisher.domain),
      written: isWritten,
    });
    return exitOf(flags.dryRun ? checked : after);
  }
  if (!isChanged) printLine('No safe fixes.');
  else printDiff(target, given, text, isWritten);
  report(target, after, flags);
  return exitOf(flags.dryRun ? checked : after);
}

/** The limits for files of a host, from the settings. */
async function boundsOf(flags: ValidateFlags): Promise<(host: string) => FileBounds> {
  const { fileBounds } = await import('../../../compose/network.ts');
  const config = configOf({});
  return fileBounds(config, (await networkOf(flags, config)).domains);
}

async function publisherOf(flags: ValidateFlags): Promise<Publisher> {
  if (flags.for === undefined) return {};
  const parsed = parseDomain(flags.for);
  if (parsed.ok) return { domain: parsed.domain, bounds: (await boundsOf(flags))(parsed.domain) };
  throw new RegistryError('usage', `--for: '${flags.for.slice(0, 200)}' is not a domain name`, {
    hint: 'pass the domain that publishes the file, such as news.example',
  });
}

function refuseContradictions(target: string, { watch, json, fix, dryRun }: ValidateFlags): void {
  const fault =
    dryRun && !fix
      ? '--dry-run requires --fix'
      : watch && (json || fix)
        ? '--watch cannot be combined with --json or --fix'
        : (watch || fix) && target === '-'
          ? '--fix and --watch require a file, not stdin'
          : undefined;
  if (fault !== undefined)
    throw new RegistryError('usage', fault, { hint: 'see agent-registry validate --help' });
}

function kindOfName(path: string): FileKind | undefined {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  if (/^adagents\b/i.test(name)) return 'adagents';
  return /^brand\b/i.test(name) ? 'brand' : undefined;
}
