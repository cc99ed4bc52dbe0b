import { createReadStream } from 'node:fs';
import type { FileCheck } from '../../discovery/check-file.ts';
import { FILE_KINDS, type FileKind } from '../../domain/declaration.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { choiceFlag, type FlagValues } from '../flags.ts';
import { printFindings } from '../output/findings.ts';
import { counted, paint, printJson, printLine } from '../output/print.ts';
import { withFetcher } from '../setup/fetcher.ts';
import { JSON_FLAG, NETWORK_FLAGS } from '../shared-flags.ts';

const FLAGS = {
  kind: choiceFlag(
    '--kind <kind>',
    'the kind of file; by default recognised by its name or content',
    FILE_KINDS,
  ),
  ...NETWORK_FLAGS,
  ...JSON_FLAG,
};
type ValidateFlags = FlagValues<typeof FLAGS>;

/** 0 when the file is valid (warnings are fine), 1 when it has errors. */
export default command({
  name: 'validate',
  description: 'Check an adagents.json or brand.json: a file, the one a domain publishes, or - for stdin.',
  arguments: [['<target>', 'a file, a domain name, or -']],
  flags: FLAGS,
  examples: [
    'agent-registry validate ./adagents.json',
    'agent-registry validate news.example',
    'cat brand.json | agent-registry validate - --kind brand',
  ],
  async run(flags, target) {
    const checked = await check(target, flags);
    print(target, checked, flags.json === true);
    return checked.valid ? EXIT.ok : EXIT.findings;
  },
});

async function check(target: string, flags: ValidateFlags): Promise<FileCheck> {
  const { checkBytes, MAX_CHECKED_BYTES } = await import('../../discovery/check-file.ts');
  if (target === '-') return checkBytes(await readSome(process.stdin, MAX_CHECKED_BYTES), flags.kind);
  const bytes = await fileBytes(target, MAX_CHECKED_BYTES);
  if (bytes !== undefined) return checkBytes(bytes, flags.kind ?? kindOfName(target));
  const parsed = parseDomain(target);
  if (parsed.ok) return overNetwork(parsed.domain, flags);
  throw new RegistryError('usage', `'${target.slice(0, 200)}' is neither a file nor a domain name`, {
    hint: 'name a file, a domain such as news.example, or - for stdin',
  });
}

async function overNetwork(domain: string, flags: ValidateFlags): Promise<FileCheck> {
  const { checkDomain } = await import('../../discovery/check-file.ts');
  return withFetcher(flags, ({ fetcher, config, clock }) =>
    checkDomain({
      domain,
      fetcher,
      now: clock.now(),
      deadlineMs: config.visitDeadlineMs,
      ...(flags.kind && { kind: flags.kind }),
    }),
  );
}

async function fileBytes(path: string, max: number): Promise<Uint8Array | undefined> {
  try {
    return await readSome(createReadStream(path), max);
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
async function readSome(stream: AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > max) break;
  }
  return Buffer.concat(chunks);
}

function kindOfName(path: string): FileKind | undefined {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  if (/^adagents\b/i.test(name)) return 'adagents';
  return /^brand\b/i.test(name) ? 'brand' : undefined;
}

/** The JSON follows schemas/cli/validate.json. */
function print(target: string, checked: FileCheck, json: boolean): void {
  if (json) {
    const { valid, kind, variant, agents, findings, trail } = checked;
    printJson({ valid, kind, variant: variant ?? null, agents, findings, trail });
    return;
  }
  const { valid, kind, variant, agents, findings, trail } = checked;
  const verdict = valid ? paint('green', 'valid') : paint('red', 'not valid');
  printLine(
    `${paint('bold', target)}  ${kind}.json${variant === undefined ? '' : ` (${variant})`} is ${verdict}, ${counted(agents.length, 'agent')}`,
  );
  for (const { url, status, error } of trail) printLine(`  ${status ?? error}  ${url}`);
  for (const agent of agents.slice(0, 20)) printLine(`  agent  ${agent}`);
  if (agents.length > 20) printLine(`  … and ${agents.length - 20} more`);
  printFindings(findings);
}
