import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { onOneLine } from '../../base/json.ts';
import type { CopyCounts } from '../../domain/copy-lines.ts';
import { destinationError } from './destination-error.ts';
import { cursorOfNow, type ExportParts, exportLines } from './lines.ts';

const FILE = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\.ndjson\.gz$/;
const PART = /^\.[\da-f]{16}\.part$/;
/** A part that nobody has written to for so long is of a process that died, milliseconds. */
const PART_LEFT_MS = 86_400_000;
/** The newest, and the one that whoever asked before it came may still be reading. */
const KEPT = 2;
const CHUNK = 256 * 1024;

/** An export on the disk. */
export interface ExportFile {
  readonly path: string;
  readonly cursor: string;
  /** When it was begun, as its cursor has it: epoch milliseconds, by 64. */
  readonly at: number;
  readonly bytes: number;
}

/** The newest export of a folder; undefined where there is none. */
export async function newestExport(folder: string): Promise<ExportFile | undefined> {
  const [name] = (await filesOf(folder))
    .filter((one) => FILE.test(one))
    .sort()
    .reverse();
  const [, high = '', low = ''] = FILE.exec(name ?? '') ?? [];
  if (name === undefined) return undefined;
  const path = join(folder, name);
  const { size } = await stat(path);
  return { path, cursor: name.slice(0, 36), at: Number.parseInt(high + low, 16), bytes: size };
}

/**
 * Writes an export into the folder, which it makes, and deletes older ones. A file has its name only when it is
 * complete and on the disk. It takes the memory of a few publishers, however many there are.
 */
export async function writeExport(
  parts: ExportParts,
  folder: string,
  signal?: AbortSignal,
): Promise<ExportFile & { readonly counts: CopyCounts }> {
  try {
    await mkdir(folder, { recursive: true });
    await forgetParts(folder, parts.clock.now());
  } catch (error) {
    throw destinationError(error, folder, 'folder');
  }
  const cursor = await cursorOfNow(parts);
  let counts: CopyCounts | undefined;
  async function* texts(): AsyncGenerator<Buffer> {
    let text = '';
    for await (const line of exportLines(parts, cursor)) {
      if (line.kind === 'end') counts = line.counts;
      text += `${onOneLine(JSON.stringify(line))}\n`;
      if (text.length < CHUNK) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(text);
  }
  const packed = Readable.from(texts(), { objectMode: false }).compose(createGzip());
  await writeWhole(join(folder, `${cursor}.ndjson.gz`), packed, signal);
  await forgetOlder(folder);
  const written = await newestExport(folder);
  if (written === undefined || counts === undefined) throw new Error(`the export in ${folder} was removed`);
  return { ...written, counts };
}

/** The bytes of an export without the test results of these agents. */
export function withoutResults({ path }: ExportFile, agents: ReadonlySet<string>): Readable {
  async function* texts(): AsyncGenerator<string> {
    const chunks = createReadStream(path).compose(createGunzip()).setEncoding('utf8');
    let rest = '';
    for await (const chunk of chunks as AsyncIterable<string>) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield `${lines.map((line) => withoutResult(line, agents)).join('\n')}\n`;
    }
  }
  const text = Readable.from(texts(), { objectMode: false });
  return text.compose(createGzip({ level: constants.Z_BEST_SPEED })) as Readable;
}

function withoutResult(line: string, agents: ReadonlySet<string>): string {
  if (!line.startsWith('{"kind":"agent"')) return line;
  const agent = JSON.parse(line) as { readonly agent_url: string };
  if (!agents.has(agent.agent_url)) return line;
  return onOneLine(JSON.stringify({ ...agent, compliance_summary: { status: 'opted_out' } }));
}

/** Writes a file that has its name only when it is complete and on the disk. What had that name before is replaced. */
export async function writeWhole(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const part = join(dirname(path), `.${randomBytes(8).toString('hex')}.part`);
  try {
    const file = createWriteStream(part, { flags: 'wx', mode: 0o644 });
    await pipeline(bytes, file, ...(signal ? [{ signal }] : []));
    await onDisk(part);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw destinationError(error, path, 'file');
  }
}

async function onDisk(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function forgetOlder(folder: string): Promise<void> {
  const names = (await filesOf(folder)).filter((one) => FILE.test(one)).sort();
  for (const name of names.slice(0, -KEPT)) await rm(join(folder, name), { force: true });
}

async function forgetParts(folder: string, now: number): Promise<void> {
  for (const name of (await filesOf(folder)).filter((one) => PART.test(one))) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > PART_LEFT_MS)
      await rm(join(folder, name), { force: true });
  }
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
