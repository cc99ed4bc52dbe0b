import type { CopyCounts, PublisherToCopy } from '../../domain/copy-lines.ts';
import { type ReadLine, readCopyLine } from '../../domain/read-copy-lines.ts';
import { RegistryFailure } from '../failure.ts';
import { Packed } from './packed.ts';
import { listsAny } from './shelf.ts';

/** Limits of an export; a larger one is refused. */
export interface ExportBounds {
  /** Of all lines, unpacked. Default: 16 GiB. */
  readonly maxBytes: number;
  /** Of one line. A registry ends lines at 1 MiB, unless one entry is longer. Default: 64 MiB. */
  readonly maxLineBytes: number;
}

export const EXPORT_BOUNDS: ExportBounds = { maxBytes: 16 * 2 ** 30, maxLineBytes: 64 * 2 ** 20 };

export interface ReadExport {
  readonly packed: Packed;
  readonly cursor: string;
  /** When it was begun; RFC 3339. */
  readonly generatedAt: string;
}

/** Reads an export as a stream. Throws a `RegistryFailure` `not_understood` that names the line. */
export async function readExport(
  stream: ReadableStream<Uint8Array>,
  bounds: ExportBounds,
): Promise<ReadExport> {
  const packed = new Packed();
  const found = { agents: 0, publishers: 0, entries: 0 };
  let head: Extract<ReadLine, { readonly kind: 'export' }> | undefined;
  let open: ReturnType<typeof begun> | undefined;
  let [isWhole, number] = [false, 0];
  for await (const text of linesIn(stream, bounds)) {
    number += 1;
    const line = understood(number, text);
    if (isWhole) throw broken(number, 'a line follows the end line');
    if ((head === undefined) !== (line.kind === 'export'))
      throw broken(number, 'the head is not the first line');
    if ((open !== undefined) !== (line.kind === 'continuation'))
      throw broken(number, 'the lines of a publisher are incomplete or out of order');
    if (line.kind === 'export') head = line;
    else if (line.kind === 'agent') {
      fitting(number, () => packed.addAgent(line.url, line.card));
      found.agents += 1;
    } else if (line.kind === 'end') {
      if (!isSame(line.counts, found)) throw broken(number, 'its counts differ from the lines of the export');
      isWhole = true;
    } else {
      if (line.kind === 'publisher') open = begun(line.publisher);
      if (open?.publisher !== line.publisher.publisher)
        throw broken(number, 'the line continues another publisher');
      fitting(number, () => packed.addContent(line.publisher));
      open.hasCatalogue ||= listsAny(line.publisher);
      found.entries += line.publisher.entries.length;
      if (line.isContinued) continue;
      const ended = open;
      fitting(number, () => packed.addHead(ended));
      found.publishers += 1;
      open = undefined;
    }
  }
  if (head === undefined || !isWhole) throw broken(number, 'the export ends before its end line');
  return { packed, cursor: head.cursor, generatedAt: head.generated_at };
}

/** A publisher of which more may follow; its content is packed line by line. */
function begun({ publisher, url, stale }: PublisherToCopy) {
  return { publisher, url, stale, hasCatalogue: false };
}

function understood(number: number, text: string): ReadLine {
  try {
    return readCopyLine(text);
  } catch (cause) {
    throw broken(number, cause instanceof Error ? cause.message : 'the line cannot be read', cause);
  }
}

/** What is longer than numbers of 32 bits can count, or than there is memory for. */
function fitting(number: number, pack: () => void): void {
  try {
    pack();
  } catch (cause) {
    if (cause instanceof RangeError) throw broken(number, cause.message, cause);
    throw cause;
  }
}

function isSame(a: CopyCounts, b: CopyCounts): boolean {
  return a.agents === b.agents && a.publishers === b.publishers && a.entries === b.entries;
}

function broken(number: number, reason: string, cause?: unknown): RegistryFailure {
  const hint = 'load the export again; if it fails at the same line, contact the operator of the registry';
  return new RegistryFailure('not_understood', `line ${number} of the export: ${reason}`, { cause, hint });
}

/** The lines of a packed stream, each within its bounds before it is put together. */
async function* linesIn(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, maxLineBytes }: ExportBounds,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = stream.pipeThrough(new DecompressionStream('gzip') as never).getReader();
  let pieces: string[] = [];
  let [bytes, lineBytes, number] = [0, 0, 0];
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((cause) => {
        throw broken(number, 'the export is corrupt or truncated', cause);
      });
      if (done) break;
      const chunk = value as Uint8Array;
      bytes += chunk.length;
      lineBytes += chunk.length;
      const text = decoded(number, () => decoder.decode(chunk, { stream: true }));
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        yield pieces.join('') + text.slice(from, end);
        number += 1;
        [pieces, from, lineBytes] = [[], end + 1, 0];
      }
      pieces.push(text.slice(from));
      lineBytes = Math.max(lineBytes, text.length - from);
      if (bytes > maxBytes) throw broken(number, `the export is longer than ${maxBytes} bytes`);
      if (lineBytes > maxLineBytes) throw broken(number + 1, `the line is longer than ${maxLineBytes} bytes`);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  const rest = pieces.join('') + decoded(number, () => decoder.decode());
  if (rest !== '') yield rest;
}

function decoded(number: number, decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw broken(number + 1, 'the line is not UTF-8', cause);
  }
}
