import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run, tempFolder, tempStore } from '../../cli/support/cli.ts';
import { ROOT } from './compose-file.ts';
import type { ImageFolder } from './image.ts';
import type { Installation } from './installed.ts';
import { olderNode } from './on-path.ts';
import { type ServedProcess, startServing } from './served-process.ts';
import { INSTALLED, serviceCommands } from './unit-files.ts';

/** What a form may start, where it is on this machine. */
export interface Places {
  readonly installed: Installation;
  readonly image: ImageFolder;
}

/** One way of starting the program, as it is documented. */
export type Form = readonly [what: string, words: (places: Places) => readonly string[]];

const LAUNCHER = join(ROOT, 'bin/agent-registry.mjs');
const NODE_24 = process.execPath;
const oldNode = olderNode();
/** Without one here, this Node says that it is an older one. It does not say so to the Node that it hands over to. */
const OLDER = oldNode === undefined ? [NODE_24, '--import', pretended('20.19.0')] : [oldNode];

export const ON_OLDER_NODE = [...OLDER, LAUNCHER, 'serve'];

export const FORMS: readonly Form[] = [
  ['the launcher of a checkout', () => [LAUNCHER, 'serve']],
  ['npx in a checkout', () => ['npx', '--offline', 'agent-registry', 'serve']],
  ['npm run in a checkout', () => ['npm', 'run', 'registry', '--', 'serve']],
  ['the installed command', ({ installed }) => [installed.command, 'serve']],
  ['the installed command on an older Node', ({ installed }) => [...OLDER, installed.command, 'serve']],
  ['the image', ({ image }) => imageCommand(image)],
  ...serviceCommands()
    .filter(([, words]) => words.includes('--port') && !needsQueue(words))
    .map(([name, words]): Form => [`the unit of ${name}`, () => words]),
];

/** Starts a form with a store of its own, a free port and the paths of this machine. */
export async function startForm(words: readonly string[], { installed }: Places): Promise<ServedProcess> {
  const here = words.map((word, at) => {
    if (/^--(metrics-)?port$/.test(words[at - 1] ?? '')) return '0';
    if (/^--(metrics-)?host$/.test(words[at - 1] ?? '')) return '127.0.0.1';
    return word === INSTALLED ? installed.command : word;
  });
  const port = words.includes('--port') ? [] : ['--port', '0'];
  const store = tempStore();
  await run('sources', 'add', 'news.example', '--store', store);
  const env = {
    ...process.env,
    PATH: [dirname(NODE_24), process.env.PATH].join(delimiter),
    REGISTRY_STORE: store,
    // who starts them is no script of npm's
    npm_lifecycle_event: undefined,
    npm_config_cache: tempFolder(),
  };
  return startServing([...here, ...port], env, ROOT);
}

/** ENTRYPOINT and CMD of the image, with its Node and its folder. */
function imageCommand(image: ImageFolder): readonly string[] {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const words = ['ENTRYPOINT', 'CMD'].flatMap((name) => {
    const line = new RegExp(`^${name} (\\[.+\\])$`, 'm').exec(text)?.[1] ?? '[]';
    return JSON.parse(line) as string[];
  });
  return words.map((word) => (word === 'node' ? image.node : word.replace('/app', image.app)));
}

/** The queue is in PostgreSQL: test/engines/deploy starts these. */
function needsQueue(words: readonly string[]): boolean {
  return words.includes('schedule') || words.includes('work');
}

/** A module for `--import` that makes Node say it is another version. */
function pretended(version: string): string {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
