import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Handler } from './web.ts';

/** A name of one label or more; no dot stands first, last or beside another, so that nothing leads out of the folder. */
const SAFE = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;
const WELL_KNOWN = '/.well-known/';

/** Finds what the user of the sandbox has published on a host. */
export type Published = (host: string, path: string) => Handler | undefined;

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

function page(file: string): Handler {
  const type = file.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    await pipeline(createReadStream(file), response);
  };
}
