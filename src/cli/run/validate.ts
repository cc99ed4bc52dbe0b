import { createReadStream } from 'node:fs';
import { composeFetcher, systemClock } from '../../compose.ts';
import { checkBytes, checkDomain, type FileCheck, MAX_CHECKED_BYTES } from '../../discovery/check-file.ts';
import type { FileKind } from '../../domain/declaration.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import type { ValidateFlags } from '../commands/validate.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printCheck } from '../output/print-check.ts';
import { networkOf, settingsOf } from '../settings.ts';

/** `registry validate`: 0 when the file is valid (warnings are fine), 1 when it has errors. */
export async function validateCommand(target: string, flags: ValidateFlags): Promise<ExitCode> {
  const checked = await check(target, flags);
  printCheck(target, checked, flags.json === true);
  return checked.valid ? EXIT.ok : EXIT.findings;
}

async function check(target: string, flags: ValidateFlags): Promise<FileCheck> {
  if (target === '-') return checkBytes(await readSome(process.stdin), flags.kind);
  const bytes = await fileBytes(target);
  if (bytes !== undefined) return checkBytes(bytes, flags.kind ?? kindOfName(target));
  const parsed = parseDomain(target);
  if (parsed.ok) return overNetwork(parsed.domain, flags);
  throw new RegistryError('usage', `'${target.slice(0, 200)}' is neither a file nor a domain name`, {
    hint: 'name a file, a domain such as news.example, or - for stdin',
  });
}

async function overNetwork(domain: string, flags: ValidateFlags): Promise<FileCheck> {
  const config = settingsOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  try {
    return await checkDomain({
      domain,
      fetcher,
      now: systemClock.now(),
      deadlineMs: config.visitDeadlineMs,
      ...(flags.kind && { kind: flags.kind }),
    });
  } finally {
    await fetcher.close();
  }
}

async function fileBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readSome(createReadStream(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !/[/\\]|\.json$/.test(path)) return undefined;
    throw new RegistryError('usage', `cannot read ${path}`, {
      cause: error,
      hint: code === 'ENOENT' ? 'there is no such file' : 'check the permissions',
    });
  }
}

/** As much as tells that a file is too large, and no more: it may have no end. */
async function readSome(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_CHECKED_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function kindOfName(path: string): FileKind | undefined {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  if (/^adagents\b/i.test(name)) return 'adagents';
  return /^brand\b/i.test(name) ? 'brand' : undefined;
}
