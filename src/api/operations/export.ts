import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Records } from '../../ports/records.ts';
import { matchesEntityTag } from '../answers.ts';
import { type ExportFile, newestExport, withoutResults } from '../export/files.ts';
import { publisherTexts } from '../export/lines.ts';
import { namedDomain, queryText, refuseParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import {
  CACHE_CONTROL,
  describedBy,
  ETAG,
  header,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendText, textParameter } from './graph/reading.ts';

const HEADERS = {
  ETag: ETAG,
  'Cache-Control': CACHE_CONTROL,
  'Last-Modified': header('Time at which the export was started.'),
  'X-Sync-Cursor': header('Feed cursor of the export: follow the feed from here.'),
};
const EXPORT = {
  operationId: 'getExport',
  summary: 'Download a copy of the directory',
  description:
    'A gzip file of JSON lines: a header, each agent, each publisher with the data needed to answer questions about it, and a trailer with counts. The operator usually makes an export once a day. To keep the copy current, follow the feed from the cursor in the header. Resume an interrupted download with `Range`. This is not possible if an owner has opted an agent out of tests since the export was made, because its results are removed while the file is sent.',
  parameters: [
    IF_NONE_MATCH,
    {
      name: 'Range',
      in: 'header',
      description:
        'One byte range, such as `bytes=1000-`; send `If-Range` to make sure that the file has not changed.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: {
      description: 'The latest export.',
      headers: HEADERS,
      content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
    },
    206: {
      description: 'The requested byte range.',
      headers: { ...HEADERS, 'Content-Range': header('Byte range of the response, and the total size.') },
      content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
    },
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    501: problemAnswer('This registry has no export yet.'),
  },
};
const READING = publicReading({
  operationId: 'getExportedPublisher',
  summary: 'Download one publisher for a copy',
  description:
    'The current export line of the publisher. A line of more than 250 KiB is sent in chunks and without an ETag.',
  parameters: [
    textParameter('domain', 'Domain of the publisher.', 'larkhaven-courier.example', { in: 'path' }),
  ],
  answers: 'The export line of the publisher.',
  schema: 'ExportedPublisher',
});
const PUBLISHER = {
  ...READING,
  responses: {
    ...READING.responses,
    404: problemAnswer('The publisher has no file in use: delete it from the copy.'),
  },
};

/** Time limit of a download, milliseconds. */
const LONGEST_MS = 3 * 3_600_000;
/** How far the clocks of two machines of one registry may be apart, milliseconds. */
const CLOCK_MARGIN_MS = 600_000;
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

interface ExportOperationParts extends GraphParts {
  readonly records: GraphParts['records'] & Pick<Records, 'copies'>;
  /** The folder of the exports. */
  readonly exports?: string;
}

/** GET /api/registry/export and …/export/publishers/{domain}. */
export function exportOperations(server: FastifyInstance, parts: ExportOperationParts): void {
  const { records, clock, exports: folder } = parts;
  const options = { ...describedBy(EXPORT), handlerTimeout: LONGEST_MS };
  server.get('/api/registry/export', options, async (request, reply) => {
    refuseParameters(queryText(request), 'the export');
    const file = folder === undefined ? undefined : await newestExport(folder);
    if (file === undefined)
      throw new HttpProblem(
        'not_offered',
        'this registry has no export yet; follow the feed from its start (no cursor)',
      );
    const optedOut = await records.agents.optedOutSince(file.at - CLOCK_MARGIN_MS);
    return optedOut.length > 0
      ? sendWithoutResults(request, reply, file, optedOut)
      : sendFile(request, reply, file);
  });
  server.get<{ Params: { domain: string } }>(
    '/api/registry/export/publishers/:domain',
    { ...describedBy(PUBLISHER), handlerTimeout: LONGEST_MS },
    async (request, reply) => {
      refuseParameters(queryText(request), 'the line of a publisher');
      const domain = namedDomain(request.params.domain);
      const publisher = await records.copies.publisher(domain);
      if (publisher === undefined) throw new HttpProblem('not_found', `${domain} has no file in use`);
      return sendTexts(request, reply, publisherTexts(publisher, records.copies, clock.now()));
    },
  );
}

/** What is short is sent as every answer; the memory that a long one takes is that of a piece. */
async function sendTexts(
  request: FastifyRequest,
  reply: FastifyReply,
  texts: AsyncGenerator<string>,
): Promise<FastifyReply> {
  let begin = '';
  for (;;) {
    const { value, done } = await texts.next();
    if (done === true) return sendText(request, reply, begin);
    begin += value;
    if (begin.length > MAX_BYTES) break;
  }
  reply.header('cache-control', 'public, no-cache').type('application/json; charset=utf-8');
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const all = async function* () {
    yield begin;
    yield* texts;
  };
  return reply.send(Readable.from(all(), { objectMode: false }));
}

/**
 * An export from before these agents were opted out, as nobody is shown their results now. It is made while it is sent, so no
 * range of it can be asked for. The folder may not be ours to write to.
 */
function sendWithoutResults(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  file: ExportFile,
  optedOut: readonly string[],
): FastifyReply {
  const etag = `"${file.cursor}.${hash('sha256', optedOut.toSorted().join('\n'), 'base64url').slice(0, 22)}"`;
  reply.headers({ ...headersOf(file, etag), 'accept-ranges': 'none' });
  if (matchesEntityTag(headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type('application/gzip');
  return reply.send(method === 'HEAD' ? Readable.from([]) : withoutResults(file, new Set(optedOut)));
}

/** The whole, or the one range that is asked for (RFC 9110, section 14); a range that cannot be is not looked at. */
function sendFile({ method, headers }: FastifyRequest, reply: FastifyReply, file: ExportFile): FastifyReply {
  const etag = `"${file.cursor}"`;
  reply.headers({ ...headersOf(file, etag), 'accept-ranges': 'bytes' });
  if (matchesEntityTag(headers['if-none-match'], etag)) return reply.code(304).send();
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const [start, end] = (isSame && rangeOf(headers.range, file.bytes)) || [0, file.bytes - 1];
  if (end - start + 1 < file.bytes)
    reply.code(206).header('content-range', `bytes ${start}-${end}/${file.bytes}`);
  reply.header('content-length', end - start + 1).type('application/gzip');
  // a stream in either case, so that HEAD tells the length too, and none of it is read
  return reply.send(method === 'HEAD' ? Readable.from([]) : createReadStream(file.path, { start, end }));
}

function headersOf({ at, cursor }: ExportFile, etag: string): Readonly<Record<string, string>> {
  return {
    ...{ etag, 'cache-control': 'public, no-cache', 'x-sync-cursor': cursor },
    'last-modified': new Date(at).toUTCString(),
    'content-disposition': 'attachment; filename="agent-registry.ndjson.gz"',
  };
}

function rangeOf(header: string | undefined, bytes: number): readonly [number, number] | undefined {
  const [, from = '', to = ''] = RANGE.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return start <= end ? [start, end] : undefined;
}
