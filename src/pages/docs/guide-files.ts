import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { once } from '../../base/once.ts';

/** The documents for people who use the registry, as paths in docs/; the others are for those who change it. The package has these. */
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
  /** In docs/, as `guides/find-agents.md`. */
  readonly file: string;
  /** On the site, below its root: `/docs/guides/find-agents`. */
  readonly path: string;
  readonly text: string;
}

/** What is read of docs/. */
export interface GuideFiles {
  /** In the order of docs/README.md; what that does not name follows by its name. */
  readonly guides: readonly GuideFile[];
  /** The bytes of each picture, by its path on the site. */
  readonly pictures: ReadonlyMap<string, Buffer>;
}

/** The documents that the package has. Read once: they change with the program only. Throws where the folder is not there. */
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
 * Where a link of a document leads on the site, below its root, with its fragment; undefined for a file that no page shows, for an address
 * elsewhere, and for a document that is not among these.
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
