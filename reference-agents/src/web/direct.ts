import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * How a host of the sandbox is reached by programs that know nothing of mappings: under a path of the listener,
 * `http://127.0.0.1:4000/@sales-1.agents.example/mcp`.
 */
export interface Direct {
  /** The listener, as the client wrote it. */
  readonly origin: string;
  /** `/@sales-1.agents.example`. */
  readonly prefix: string;
  /** The request's target before it was taken apart. */
  readonly target: string;
}

const reached = new WeakMap<object, Direct>();

/** Cards of A2A agents: the one kind of page that tells a client where to go on. */
const CARD = /\/\.well-known\/agent(-card)?\.json$/;

/** How this request came in, when it came in directly. */
export function directOf(request: object): Direct | undefined {
  return reached.get(request);
}

/** True for a request to the listener itself: by number, or as localhost. */
export function isToListener(request: IncomingMessage): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(request.headers.host ?? '');
}

/**
 * Turns a direct request into one for the host that it names, as if it had come in by name: other pages need not
 * know. Leaves all other requests as they are.
 */
export function takeDirect(request: IncomingMessage, response: ServerResponse): void {
  const match = /^(\/@([a-z0-9.-]+))(\/.*)?$/s.exec(request.url ?? '');
  if (match === null || !isToListener(request)) return;
  const [target, prefix = '', host = '', path = '/'] = match;
  const direct = { origin: `http://${request.headers.host}`, prefix, target };
  reached.set(request, direct);
  request.headers.host = host;
  request.url = path;
  if (CARD.test(path.split('?', 1)[0] ?? '')) leadBack(response, `https://${host}`, direct);
}

/** A card that is read directly names direct addresses. */
function leadBack(response: ServerResponse, from: string, { origin, prefix }: Direct): void {
  const writeHead = response.writeHead.bind(response);
  const end = response.end.bind(response);
  Object.assign(response, {
    writeHead: (status: number, headers: Record<string, string> = {}) => {
      const { 'content-length': _length, etag: _etag, 'last-modified': _date, ...kept } = headers;
      return writeHead(status, kept);
    },
    end: (body?: Uint8Array | string) =>
      end(
        body === undefined
          ? undefined
          : Buffer.from(body)
              .toString('utf8')
              .replaceAll(from, origin + prefix),
      ),
  });
}

/** The direct address of a page of the sandbox. */
export function directUrl(origin: string, url: string): string {
  const { host, pathname } = new URL(url);
  return `${origin}/@${host}${pathname}`;
}
