import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { once } from '../base/once.ts';

/** A file that pages load. */
export interface Asset {
  /** As pages name it: `site.css`. */
  readonly name: string;
  /** As browsers ask for it, with the hash of its content: `site.1a2b3c4d5e6f.css`. */
  readonly file: string;
  readonly mediaType: string;
  readonly body: Buffer;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files of src/pages/assets, and the styles. Read once: they change with the program only. */
export const readAssets = once((): readonly Asset[] => {
  const folder = join(import.meta.dirname, 'assets');
  const files = readdirSync(folder).map((name) => ({ name, body: readFileSync(join(folder, name)) }));
  return [...files, { name: 'site.css', body: readStyles() }].map(({ name, body }) => {
    const extension = extname(name);
    const mediaType = MEDIA_TYPES[extension];
    if (mediaType === undefined) throw new Error(`no media type for ${name}`);
    const digest = hash('sha256', body, 'hex').slice(0, 12);
    return { name, file: `${name.slice(0, -extension.length)}.${digest}${extension}`, mediaType, body };
  });
});

/** The files of src/pages/styles as the one that pages load, in the order of their names. */
function readStyles(): Buffer {
  const folder = join(import.meta.dirname, 'styles');
  const names = readdirSync(folder).toSorted();
  return Buffer.concat(names.map((name) => readFileSync(join(folder, name))));
}
