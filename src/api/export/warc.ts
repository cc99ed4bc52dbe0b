import { hash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { CapturedText, FileTexts } from '../../records/sources/file-texts.ts';

const pack = promisify(gzip);
const CAPTURES_AT_ONCE = 500;
/** So many texts are remembered; one that comes again after as many others is written once more. */
const TEXTS_REMEMBERED = 100_000;
const FIELDS = 'application/warc-fields';

export interface WarcCounts {
  /** Answers written. */
  captures: number;
  /** Texts written: the others are references to one of them. */
  texts: number;
  /** Answers whose text is not kept any more. */
  missing: number;
}

export interface WarcParts {
  readonly texts: Pick<FileTexts, 'captured' | 'body'>;
  /** Of this program, for the file's head. */
  readonly version: string;
  readonly now: number;
  /** Only what was read for this one. */
  readonly domain?: string;
}

/** A record that has the text, for those that refer to it. */
interface Written {
  readonly id: string;
  readonly url: string;
  readonly at: number;
}

type Fields = Readonly<Record<string, string | number | undefined>>;

/**
 * The files of publishers and brands as they were read, as WARC 1.1 (ISO 28500:2017), each record packed by itself. A text is a
 * `resource`, since of the headers only some are kept; the same text again is a `revisit`. A `metadata` record beside each says for
 * whom it was read, which way led there, and until when it stayed the same. `counts` grows as they are read; it takes the memory of one text.
 */
export async function* warcRecords(parts: WarcParts, counts: WarcCounts): AsyncGenerator<Uint8Array> {
  const { texts, version, now, domain } = parts;
  const remembered = new LRUCache<string, Written>({ max: TEXTS_REMEMBERED });
  const head = { software: `agent-registry/${version}`, format: 'WARC File Format 1.1' };
  yield record({ 'WARC-Type': 'warcinfo', 'WARC-Date': iso(now), 'Content-Type': FIELDS }, fieldLines(head));
  for (let after = 0; ; ) {
    const captures = await texts.captured(after, CAPTURES_AT_ONCE, domain);
    for (const capture of captures) {
      const written = remembered.get(capture.bodyHash);
      const body = written ? undefined : await texts.body(capture.bodyHash);
      if (written === undefined && body === undefined) {
        counts.missing += 1;
        continue;
      }
      const one: Written = { id: newId(), url: capture.finalUrl, at: capture.at };
      yield body ? resource(one, capture.bodyHash, body) : revisit(one, capture.bodyHash, written);
      yield metadata(one, capture);
      counts.captures += 1;
      if (body) counts.texts += 1;
      if (body) remembered.set(capture.bodyHash, one);
    }
    const last = captures.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function resource({ id, url, at }: Written, hash: string, body: Uint8Array): Promise<Uint8Array> {
  const digest = `sha256:${hash}`;
  return record(
    {
      'WARC-Type': 'resource',
      'WARC-Record-ID': id,
      'WARC-Date': iso(at),
      'WARC-Target-URI': url,
      'WARC-Payload-Digest': digest,
      'WARC-Block-Digest': digest,
    },
    body,
  );
}

function revisit({ id, url, at }: Written, hash: string, of: Written | undefined): Promise<Uint8Array> {
  return record({
    'WARC-Type': 'revisit',
    'WARC-Record-ID': id,
    'WARC-Date': iso(at),
    'WARC-Target-URI': url,
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
    'WARC-Payload-Digest': `sha256:${hash}`,
    'WARC-Refers-To': of?.id,
    'WARC-Refers-To-Target-URI': of?.url,
    'WARC-Refers-To-Date': of && iso(of.at),
  });
}

function metadata({ id, url, at }: Written, capture: CapturedText): Promise<Uint8Array> {
  const { source, requestedUrl, trail, lastSeenAt, times, durationMs } = capture;
  const said = {
    file: source.kind,
    domain: source.key,
    ...(trail.length > 0 && { via: requestedUrl, trail: JSON.stringify(trail) }),
    fetchTimeMs: durationMs,
    lastSeen: iso(lastSeenAt),
    timesSeen: times,
  };
  const block = fieldLines(said);
  return record(
    {
      'WARC-Type': 'metadata',
      'WARC-Date': iso(at),
      'WARC-Target-URI': url,
      'WARC-Concurrent-To': id,
      'WARC-Block-Digest': `sha256:${hash('sha256', block)}`,
      'Content-Type': FIELDS,
    },
    block,
  );
}

function record(fields: Fields, block: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
  const head = { 'WARC-Record-ID': newId(), ...fields, 'Content-Length': block.byteLength };
  return pack(Buffer.concat([Buffer.from('WARC/1.1\r\n'), fieldLines(head), CRLF, block, CRLF, CRLF]));
}

const CRLF = Buffer.from('\r\n');

/** No value breaks out of its line. */
function fieldLines(fields: Fields): Buffer {
  const lines = Object.entries(fields).map(([name, value]) =>
    value === undefined ? '' : `${name}: ${String(value).replaceAll(/[\r\n]+/g, ' ')}\r\n`,
  );
  return Buffer.from(lines.join(''));
}

const newId = (): string => `<urn:uuid:${randomUUID()}>`;
const iso = (at: number): string => new Date(at).toISOString();
