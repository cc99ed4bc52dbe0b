import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseEnv } from 'node:util';
import { SETTINGS } from '../../config.ts';
import { RegistryError } from '../../errors.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { textFlag, toggle } from '../flags.ts';
import { nextCommands, note } from '../output/print.ts';
import { ENV_FILE } from '../setup/env-file.ts';

type Asked = 'contact' | 'store' | 'baseUrl' | 'index';
type Answers = Readonly<Partial<Record<Asked, string>>>;

interface Question {
  readonly flag: string;
  readonly text: string;
  /** Whether it is asked after these answers. */
  readonly isAsked?: (answers: Answers) => boolean;
}

const QUESTIONS: Readonly<Record<Asked, Question>> = {
  contact: {
    flag: '--contact',
    text: 'Contact URL for the sites you crawl (https://… or mailto:…)',
  },
  store: {
    flag: '--store',
    text: 'Store: sqlite:PATH, or postgres://user:password@host/database',
  },
  index: {
    flag: '--index',
    text: 'Index: records, or https://user:password@host:9200 for OpenSearch',
    isAsked: ({ store = '' }) => store.startsWith('postgres'),
  },
  baseUrl: { flag: '--base-url', text: 'Public base URL of this registry (empty if it has none yet)' },
};

/** Writes registry.env. On a terminal it asks for what no flag says; elsewhere it takes the defaults. */
export default command({
  name: 'init',
  description: `Write the settings of a registry to ${ENV_FILE}. Commands read this file from the folder in which they start.`,
  flags: {
    contact: textFlag(
      '--contact <url>',
      'https: or mailto: URL where the sites you crawl can reach you (required)',
    ),
    store: textFlag('--store <address>', 'address of the records, sqlite:PATH or postgres://…'),
    index: textFlag(
      '--index <address>',
      'address of the index, `records` or the nodes of an OpenSearch cluster',
    ),
    baseUrl: textFlag('--base-url <url>', 'public base URL of this registry'),
    out: textFlag('--out <file>', 'write to another file', ENV_FILE),
    force: toggle('--force', 'overwrite an existing file'),
  },
  examples: ['agent-registry init', 'agent-registry init --contact https://you.example/crawler'],
  async run({ out, force, ...flags }) {
    if (existsSync(out) && force !== true)
      throw new RegistryError('usage', `${out} already exists`, {
        hint: 'edit it, choose another file with --out, or overwrite it with --force',
      });
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    const answers = isTerminal ? await askSettings(flags) : flags;
    writeFileSync(out, envText(answers), { mode: 0o600 });
    chmodSync(out, 0o600); // one that was there keeps its mode
    note(`wrote ${out}`);
    nextCommands(['crawl DOMAIN', 'doctor', 'serve']);
    return EXIT.ok;
  },
});

/**
 * Asks for each setting that is not given, until the answer is accepted. An empty line takes the default in brackets.
 * Throws a RegistryError `interrupted` on Ctrl-C or Ctrl-D.
 * @param input where answers come from; questions go to `output`
 */
export async function askSettings(
  given: Answers,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<Answers> {
  const lines = createInterface({ input, output });
  const answers: Partial<Record<Asked, string>> = { ...given };
  try {
    for (const [name, { text, isAsked }] of Object.entries(QUESTIONS) as [Asked, Question][]) {
      if (answers[name] !== undefined || isAsked?.(answers) === false) continue;
      // the contact's placeholder leads nowhere: it is no default for anybody
      const fallback = name === 'contact' ? '' : SETTINGS[name].fallback;
      const prompt = `${text}${fallback === '' ? '' : ` [${fallback}]`}\n> `;
      for (;;) {
        const answer = (await lines.question(prompt)).trim() || fallback;
        answers[name] = answer;
        if (isAccepted(name, answer)) break;
        output.write(`Invalid value. Expected: ${SETTINGS[name].description}.\n`);
      }
    }
    return answers;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    output.write('\n'); // the line of the question is still open
    throw new RegistryError('interrupted', 'nothing was written', {
      hint: 'run the command again, or give the settings as flags (see agent-registry init --help)',
    });
  } finally {
    lines.close();
  }
}

function isAccepted(name: Asked, answer: string): boolean {
  return answer === '' ? name !== 'contact' : SETTINGS[name].parse(answer) !== undefined;
}

/** The file. Throws a RegistryError `usage` for an answer that its setting does not take. */
function envText(answers: Answers): string {
  if (answers.contact === undefined)
    throw new RegistryError('usage', 'the contact URL is missing', {
      hint: 'give --contact https://you.example/crawler; sites see it in the User-Agent',
    });
  const lines = (Object.keys(QUESTIONS) as Asked[]).flatMap((name) => {
    const { env, description, parse, fallback } = SETTINGS[name];
    const answer = answers[name] ?? fallback;
    if (answer !== '' && parse(answer) === undefined)
      throw new RegistryError('usage', `invalid value of ${QUESTIONS[name].flag}`, {
        hint: `expected: ${description}`,
      });
    return [`# ${sentence(description)}`, answer === '' ? `#${env}=` : `${env}=${quoted(answer)}`, ''];
  });
  return ['# One NAME=value per line. Environment variables override this file.', '', ...lines].join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** As it is, or in quotes where the reader of the file would take it for something else. */
function quoted(value: string): string {
  const forms = [value, `"${value}"`, `'${value}'`];
  const kept = forms.find((form) => Object.values(parseEnv(`A=${form}\n`))[0] === value);
  if (kept !== undefined) return kept;
  throw new RegistryError('usage', 'a value contains a line break, or all kinds of quotes', {
    hint: 'remove them',
  });
}
