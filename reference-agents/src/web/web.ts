import { createReadStream, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isToListener, takeDirect } from './direct.ts';

/** A name of one label or more; no dot stands first, last or beside another, so that nothing leads out of the folder. */
const SAFE = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

const WELL_KNOWN = '/.well-known/';

/** Finds what the user of the sandbox has published on a host. */
type Published = (host: string, path: string) => PageHandler | undefined;

/** Answers one request. What it throws or rejects with becomes a 500. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A site answers for a path, or not at all. */
export type WebSite = (path: string) => PageHandler | undefined;

/** All sites of the sandbox behind one listener, told apart by the Host header. */
export interface Web {
  /** Puts a page on a host; a path of a page is a path without query or trailing slash. */
  add(host: string, path: string, page: PageHandler): void;
  /** Answers on a host for the paths that no page of it has. */
  addSite(host: string, site: WebSite): void;
  /** Sites made on demand, for hosts that no page names. */
  onDemand(find: (host: string) => WebSite | undefined): void;
  /** What the listener itself answers to whoever comes by number, and not for a host. */
  listener(page: PageHandler): void;
  /** What stands before all pages. */
  publish(find: Published): void;
  has(host: string): boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An empty web; whatever is not there answers 404. */
export function createWeb(): Web {
  const hosts = new Map<string, Map<string, PageHandler>>();
  const sites = new Map<string, WebSite>();
  let find: (host: string) => WebSite | undefined = () => undefined;
  let ownPage: PageHandler = notFound;
  let published: Published = () => undefined;
  const lookUp = (host: string, path: string): PageHandler => {
    const pages = hosts.get(host);
    const page = pages === undefined ? find(host)?.(path) : pages.get(path);
    return published(host, path) ?? page ?? sites.get(host)?.(path) ?? notFound;
  };
  return {
    add(host, path, page) {
      const pages = hosts.get(host) ?? new Map<string, PageHandler>();
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

async function answer(
  handler: PageHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await handler(request, response);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-type': 'text/plain' }).end('internal error\n');
  }
}

/** The page of everything that is not there. */
const notFound: PageHandler = (_request, response) => {
  response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
};

function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
}

function pathOf(request: IncomingMessage): string {
  const path = (request.url ?? '/').split('?', 1)[0] as string;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/**
 * `FOLDER/HOST/NAME` is served as `https://HOST/.well-known/NAME`, before what the sandbox has there. It is looked up for
 * each request, so files may come and go while it runs.
 */
export function publishedFrom(folder: string): Published {
  return (host, path) => {
    if (!path.startsWith(WELL_KNOWN)) return undefined;
    const name = path.slice(WELL_KNOWN.length);
    if (!SAFE.test(host) || !SAFE.test(name)) return undefined;
    const file = join(folder, host, name);
    return statSync(file, { throwIfNoEntry: false })?.isFile() ? page(file) : undefined;
  };
}

function page(file: string): PageHandler {
  const type = file.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    await pipeline(createReadStream(file), response);
  };
}
