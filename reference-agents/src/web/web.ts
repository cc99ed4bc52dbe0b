import type { IncomingMessage, ServerResponse } from 'node:http';
import { isToListener, takeDirect } from './direct.ts';
import type { Published } from './published.ts';

/** Answers one request. What it throws or rejects with becomes a 500. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A site answers for a path, or not at all. */
export type Site = (path: string) => Handler | undefined;

/** All sites of the sandbox behind one listener, told apart by the Host header. */
export interface Web {
  /** Puts a page on a host; a path of a page is a path without query or trailing slash. */
  add(host: string, path: string, page: Handler): void;
  /** Answers on a host for the paths that no page of it has. */
  addSite(host: string, site: Site): void;
  /** Sites made on demand, for hosts that no page names. */
  onDemand(find: (host: string) => Site | undefined): void;
  /** What the listener itself answers to whoever comes by number, and not for a host. */
  listener(page: Handler): void;
  /** What stands before all pages. */
  publish(find: Published): void;
  has(host: string): boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An empty web; whatever is not there answers 404. */
export function createWeb(): Web {
  const hosts = new Map<string, Map<string, Handler>>();
  const sites = new Map<string, Site>();
  let find: (host: string) => Site | undefined = () => undefined;
  let ownPage: Handler = notFound;
  let published: Published = () => undefined;
  const lookUp = (host: string, path: string): Handler => {
    const pages = hosts.get(host);
    const page = pages === undefined ? find(host)?.(path) : pages.get(path);
    return published(host, path) ?? page ?? sites.get(host)?.(path) ?? notFound;
  };
  return {
    add(host, path, page) {
      const pages = hosts.get(host) ?? new Map<string, Handler>();
      hosts.set(host, pages);
      if (pages.has(path)) throw new Error(`two pages at ${host}${path}`);
      pages.set(path, page);
    },
    addSite(host, site) {
      if (sites.has(host)) throw new Error(`two sites at ${host}`);
      sites.set(host, site);
    },
    onDemand(next) {
      find = next;
    },
    publish(next) {
      published = next;
    },
    has: (host) => hosts.has(host),
    listener(page) {
      ownPage = page;
    },
    handle(request, response) {
      takeDirect(request, response);
      const handler = isToListener(request) ? ownPage : lookUp(hostOf(request), pathOf(request));
      void answer(handler, request, response);
    },
  };
}

async function answer(handler: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await handler(request, response);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-type': 'text/plain' }).end('internal error\n');
  }
}

/** The page of everything that is not there. */
export const notFound: Handler = (_request, response) => {
  response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
};

function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
}

function pathOf(request: IncomingMessage): string {
  const path = (request.url ?? '/').split('?', 1)[0] as string;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
