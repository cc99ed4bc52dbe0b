import {
  COPY_VERSION,
  type CopyLine,
  contentLine,
  type PublisherLine,
  publisherHead,
} from '../../domain/copy-lines.ts';
import { type ReadLine, readCopyLine } from '../../domain/read-copy-lines.ts';
import { RegistryFailure } from '../failure.ts';
import { CopiedPublisher, Copy, isCard } from './copy.ts';

/** Limits of an export; a larger one is refused. */
export interface ExportBounds {
  /** Size of all lines in bytes, uncompressed. Default: 512 MiB, which takes about 2 GB of memory. */
  readonly maxBytes: number;
  /** Size of one line in bytes. A registry ends lines at 1 MiB, unless one entry is longer. Default: 64 MiB. */
  readonly maxLineBytes: number;
}

export const EXPORT_BOUNDS: ExportBounds = { maxBytes: 512 * 2 ** 20, maxLineBytes: 64 * 2 ** 20 };

const LINE_FEED = 0x0a;

/** Reads a gzipped export. Throws a `RegistryFailure` `not_understood` that names the line. */
export async function readExport(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, maxLineBytes }: ExportBounds,
): Promise<Copy> {
  const parser = new ExportParser();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Uint8Array, isPart: boolean) => {
    try {
      return decoder.decode(bytes, { stream: isPart });
    } catch (cause) {
      throw broken(parser.lines + 1, 'the line is not UTF-8', cause);
    }
  };
  const reader = stream.pipeThrough(new DecompressionStream('gzip') as never).getReader();
  let [bytes, line, lineBytes] = [0, '', 0];
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((cause) => {
        throw broken(parser.lines + 1, 'the export is corrupt or truncated', cause);
      });
      if (done) break;
      const chunk = value as Uint8Array;
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLong(parser.lines + 1, 'export', 'maxBytes', maxBytes);
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        parser.read(line + decode(chunk.subarray(start, end), false));
        [line, lineBytes, start] = ['', 0, end + 1];
      }
      line += decode(chunk.subarray(start), true);
      lineBytes += chunk.length - start;
      if (lineBytes > maxLineBytes) throw tooLong(parser.lines + 1, 'line', 'maxLineBytes', maxLineBytes);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  line += decode(new Uint8Array(), false);
  if (line !== '') parser.read(line);
  return parser.end();
}

/** Builds a copy from the lines of an export, and checks their order and counts. */
class ExportParser {
  /** Number of lines that were read. */
  lines = 0;
  #copy: Copy | undefined;
  /** A publisher whose next line is missing. */
  #continued: CopiedPublisher | undefined;
  #isComplete = false;
  readonly #counts = { agents: 0, publishers: 0, entries: 0 };

  read(text: string): void {
    this.lines += 1;
    try {
      this.#add(readCopyLine(text));
    } catch (cause) {
      // TypeError: the line is invalid; RangeError: a Map is full, or a value is nested too deeply
      if (cause instanceof TypeError || cause instanceof RangeError)
        throw broken(this.lines, cause.message, cause);
      throw cause;
    }
  }

  /** The copy, if its last line was read. */
  end(): Copy {
    if (this.#copy !== undefined && this.#isComplete) return this.#copy;
    throw broken(this.lines, 'the export ends before its end line');
  }

  #add(line: ReadLine): void {
    if (this.#isComplete) throw new TypeError('a line follows the end line');
    if (this.#copy === undefined) {
      if (line.kind !== 'export') throw new TypeError('the head is not the first line');
      this.#copy = new Copy(line.cursor, line.generated_at);
      return;
    }
    if ((this.#continued !== undefined) !== (line.kind === 'continuation'))
      throw new TypeError('the lines of a publisher are incomplete or out of order');
    switch (line.kind) {
      case 'export':
        throw new TypeError('the head is not the first line');
      case 'agent':
        if (!isCard(line.card)) throw new TypeError('the agent is nested too deeply');
        this.#copy.agents.set(line.url, line.card);
        this.#counts.agents += 1;
        return;
      case 'publisher':
        this.#addContent(this.#copy, new CopiedPublisher(line.publisher), line);
        return;
      case 'continuation':
        if (this.#continued?.domain !== line.publisher.publisher)
          throw new TypeError('the line continues another publisher');
        this.#addContent(this.#copy, this.#continued, line);
        return;
      case 'end':
        if (!this.#hasCounts(line.counts))
          throw new TypeError('its counts differ from the lines of the export');
        this.#isComplete = true;
    }
  }

  #addContent(
    copy: Copy,
    publisher: CopiedPublisher,
    line: Extract<ReadLine, { kind: 'publisher' | 'continuation' }>,
  ): void {
    publisher.add(line.publisher);
    this.#counts.entries += line.publisher.entries.length;
    this.#continued = line.isContinued ? publisher : undefined;
    if (line.isContinued) return;
    copy.setPublisher(publisher);
    this.#counts.publishers += 1;
  }

  #hasCounts({ agents, publishers, entries }: Extract<ReadLine, { kind: 'end' }>['counts']): boolean {
    const counts = this.#counts;
    return agents === counts.agents && publishers === counts.publishers && entries === counts.entries;
  }
}

const RELOAD = 'load the export again; if it fails at the same line, contact the operator of the registry';

function tooLong(line: number, what: string, option: keyof ExportBounds, limit: number): RegistryFailure {
  const hint = `if you expect this size and have the memory, increase \`${option}\``;
  return broken(line, `the ${what} is longer than ${limit} bytes`, undefined, hint);
}

function broken(line: number, reason: string, cause?: unknown, hint = RELOAD): RegistryFailure {
  return new RegistryFailure('not_understood', `line ${line} of the export: ${reason}`, { cause, hint });
}

/** Lines are collected up to this many characters before they are compressed. */
const CHUNK = 256 * 1024;

/** The copy as a gzipped export, whose cursor is the position in the feed. Later changes of the copy are not included. */
export async function writeExport(copy: Copy): Promise<Uint8Array<ArrayBuffer>> {
  const { cursor, generatedAt } = copy;
  const agents = [...copy.agents];
  const publishers = copy.publishers();
  const entries = publishers.reduce((sum, publisher) => sum + publisher.entries().length, 0);
  const counts = { agents: agents.length, publishers: publishers.length, entries };

  const compression = new CompressionStream('gzip');
  const compressed = new Response(compression.readable).arrayBuffer();
  const writer = compression.writable.getWriter();
  const encoder = new TextEncoder();
  let text = '';
  const write = async (line: CopyLine) => {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < CHUNK && line.kind !== 'end') return;
    await writer.write(encoder.encode(text));
    text = '';
  };
  await write({ kind: 'export', version: COPY_VERSION, cursor, generated_at: generatedAt, counts });
  for (const [agent_url, card] of agents)
    await write({ ...card, kind: 'agent', agent_url } as CopyLine & { kind: 'agent' });
  for (const publisher of publishers) for (const line of publisherLines(publisher)) await write(line);
  await write({ kind: 'end', counts });
  await writer.close();
  return new Uint8Array(await compressed);
}

/** A longer line is split, as in an export of the registry. */
const MAX_LINE_CHARACTERS = 2 ** 20;

type Content = Pick<PublisherLine, 'properties' | 'entries'>;

function publisherLines(publisher: CopiedPublisher): CopyLine[] {
  const { domain, url, stale, properties } = publisher;
  const pieces = piecesOf(contentLine({ properties, entries: publisher.entries() }));
  return pieces.map((piece, at) => {
    const continued = at < pieces.length - 1 ? ({ continued: true } as const) : {};
    if (at === 0) return { ...publisherHead({ publisher: domain, url, stale }), ...piece, ...continued };
    return { kind: 'continuation', publisher_domain: domain, ...piece, ...continued };
  });
}

/** Halves the content until each piece fits into one line, or is a single entry or property. */
function piecesOf(content: Content): Content[] {
  const { entries, properties } = content;
  const count = entries.length + properties.length;
  if (count < 2 || JSON.stringify(content).length <= MAX_LINE_CHARACTERS) return [content];
  const half = Math.floor(count / 2);
  const halfOfProperties = Math.max(0, half - entries.length);
  return [
    ...piecesOf({ entries: entries.slice(0, half), properties: properties.slice(0, halfOfProperties) }),
    ...piecesOf({ entries: entries.slice(half), properties: properties.slice(halfOfProperties) }),
  ];
}
