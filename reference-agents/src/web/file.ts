import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { PageHandler } from './web.ts';

export interface FileOptions {
  readonly status?: number;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `max-age=3600`. */
  readonly cacheControl?: string;
  /** HTTP date; default a fixed one. */
  readonly lastModified?: string;
  /** Offers a gzip form to clients that accept it. */
  readonly gzip?: boolean;
}

const LAST_MODIFIED = 'Mon, 05 Jan 2026 09:30:00 GMT';

/** A page of fixed bytes with ETag and Last-Modified, which answers conditional requests (RFC 9110, section 13). */
export function file(body: string | Uint8Array, options: FileOptions = {}): PageHandler {
  const bytes = Buffer.from(body);
  const status = options.status ?? 200;
  const headers = headersOf(bytes, status, options);
  const zipped = options.gzip === true ? gzipSync(bytes) : undefined;
  return (request, response) => {
    if (status === 200 && unmodified(request, headers)) return void response.writeHead(304, headers).end();
    if (zipped !== undefined && acceptsGzip(request)) {
      return send(
        response,
        status,
        { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
        zipped,
      );
    }
    send(response, status, headers, bytes);
  };
}

/** A page of fixed JSON. */
export function jsonFile(value: unknown, options: FileOptions = {}): PageHandler {
  return file(`${JSON.stringify(value, null, 2)}\n`, options);
}

type Headers = Readonly<Record<string, string>>;

function headersOf(bytes: Uint8Array, status: number, options: FileOptions): Headers {
  const type = { 'content-type': options.contentType ?? 'application/json' };
  if (status !== 200) return type;
  return {
    ...type,
    etag: `"${hash('sha256', bytes).slice(0, 16)}"`,
    'last-modified': options.lastModified ?? LAST_MODIFIED,
    'cache-control': options.cacheControl ?? 'max-age=3600',
  };
}

function send(response: ServerResponse, status: number, headers: Headers, bytes: Uint8Array): void {
  response.writeHead(status, { ...headers, 'content-length': String(bytes.length) }).end(bytes);
}

/** If-None-Match decides alone where it stands; the date is asked only without it. */
function unmodified(request: IncomingMessage, headers: Headers): boolean {
  const tags = request.headers['if-none-match'];
  if (tags !== undefined)
    return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === headers.etag);
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return since >= Date.parse(headers['last-modified'] ?? '');
}

function acceptsGzip(request: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}
