import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { once } from '../../base/once.ts';

/** The documents for users, as paths in docs/; they are part of the package. The others are for contributors. */
export const SHIPPED_DOCUMENTS = [
  'README.md',
  'guides',
  'operating',
  'reference',
  'screenshots',
  'security.md',
];
/** The list of documents is `/docs`, and its section about the API leads to the pages of the operations. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': '/docs',
};
const API_SECTION = 'README.md#api-reference';
const FOLDER = join(import.meta.dirname, '../../../docs');
const PICTURE = /^screenshots\/[a-z0-9-]+\.png$/;

export interface GuideFile {
  /** In docs/, for example `guides/find-agents.md`. */
  readonly file: string;
  /** On the site, below its root, for example `/docs/guides/find-agents`. */
  readonly path: string;
  readonly text: string;
}

/** The documents and pictures of docs/. */
export interface GuideFiles {
  /** In the order of docs/README.md; documents that it does not name follow in alphabetical order. */
  readonly guides: readonly GuideFile[];
  /** The bytes of each picture, by its path on the site. */
  readonly pictures: ReadonlyMap<string, Buffer>;
}

/** The documents of the package. Read once, because they change with the program only. Throws if the folder is missing. */
export const readGuideFiles = once((): GuideFiles => {
  const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const files = SHIPPED_DOCUMENTS.flatMap(filesAt);
  const place = (file: string) => (index.includes(`](${file})`) ? index.indexOf(`](${file})`) : index.length);
  const guides = files
    .filter((file) => file.endsWith('.md') && !Object.hasOwn(ELSEWHERE, file))
    .toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
    .map((file) => ({ file, path: guidePath(file), text: readFileSync(join(FOLDER, file), 'utf8') }));
  const pictures = files
    .filter((file) => PICTURE.test(file))
    .map((file) => [`/docs/${file}`, readFileSync(join(FOLDER, file))] as const);
  return { guides, pictures: new Map(pictures) };
});

function filesAt(name: string): string[] {
  const path = join(FOLDER, name);
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [name];
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((one) => posix.join(name, one));
}

function guidePath(file: string): string {
  return Object.hasOwn(ELSEWHERE, file)
    ? (ELSEWHERE[file] ?? '')
    : `/docs/${file.replace(/(?:\/README)?\.md$/, '')}`;
}

/**
 * The path on the site of a link in a document, below the root, with its fragment. Undefined for a file without a page and for an
 * address elsewhere.
 */
export function linkedPlace(
  from: string,
  target: string,
  { guides, pictures }: GuideFiles,
): string | undefined {
  const [path = '', fragment] = target.split('#');
  const anchor = fragment === undefined ? '' : `#${fragment}`;
  if (path === '') return anchor;
  if (/^[a-z]+:/.test(path)) return undefined;
  const place = posix.join(posix.dirname(from), path);
  if (`${place}${anchor}` === API_SECTION) return '/docs/api';
  if (Object.hasOwn(ELSEWHERE, place)) return `${ELSEWHERE[place]}${anchor}`;
  const isShown = guides.some(({ file }) => file === place) || pictures.has(`/docs/${place}`);
  return isShown ? `${guidePath(place)}${anchor}` : undefined;
}
