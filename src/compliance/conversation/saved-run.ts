import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { failedContent } from '../../calling/task-answer.ts';
import { RegistryError } from '../../errors.ts';
import type { Conversation, Introduction, OutgoingCall, Recorder } from './conversation.ts';
import { hideSecrets } from './evidence.ts';

/** What a folder of a saved run says of it, beside its exchanges. */
export interface SavedRun extends Introduction {
  readonly format: 1;
  readonly agent_url: string;
  readonly run_id: string;
  /** What was made up in the run follows from it, so that a repetition expects the same. */
  readonly seed: string;
  /** Epoch milliseconds. */
  readonly started_at: number;
  readonly test_kit: JsonObject;
  readonly has_credential: boolean;
  readonly can_sign: boolean;
  /** Where webhooks came in. */
  readonly webhook_base?: string;
  readonly operator?: string;
  /** By what it was judged; another set may come to another verdict. */
  readonly judged_by?: JudgedBy;
}

/** What a verdict follows from besides the answers, by digest. */
export interface JudgedBy {
  readonly bundle: string;
  readonly schemas: string | null;
  readonly runner: string;
}

/** What a folder says of the run that is saved in it. */
export function savedHead(
  { values, hasCredential, canSign }: Saved,
  { agent, capabilities, tools }: Introduction,
  judgedBy: JudgedBy,
): SavedRun {
  return {
    format: 1,
    agent_url: values.agentUrl,
    run_id: values.runId,
    seed: values.seed,
    started_at: values.startedAt,
    test_kit: values.testKit,
    has_credential: hasCredential,
    can_sign: canSign,
    ...(values.webhookBase !== undefined && { webhook_base: values.webhookBase }),
    ...(values.operator !== undefined && { operator: values.operator }),
    judged_by: judgedBy,
    agent,
    capabilities,
    tools,
  };
}

/** What of a run has to be as it was, so that a repetition expects the same. */
interface Saved {
  readonly values: {
    readonly seed: string;
    readonly runId: string;
    readonly startedAt: number;
    readonly agentUrl: string;
    readonly testKit: JsonObject;
    readonly operator?: string;
    readonly webhookBase?: string;
  };
  readonly hasCredential: boolean;
  readonly canSign: boolean;
}

interface SavedExchange {
  readonly key: string;
  readonly task: string;
  readonly request: JsonObject;
  readonly name: string;
  readonly answer: TaskAnswer;
}

const HEAD = 'run.json';
const EXCHANGES = 'exchanges';
const MAX_EXCHANGES = 10_000;

/** A recorder into a folder, which must be new or empty. Throws `usage` for one that is not, or cannot be written. */
export async function saveInto(
  folder: string,
): Promise<{ readonly begin: (run: SavedRun) => Promise<void>; readonly record: Recorder }> {
  await makeEmpty(folder);
  let count = 0;
  return {
    begin: (run) => write(join(folder, HEAD), run),
    record: ({ key, task, payload }, { name, answer }) => {
      count += 1;
      const file = `${String(count).padStart(4, '0')}-${key.replaceAll(/[^a-z0-9_-]+/gi, '.').slice(0, 120)}.json`;
      return write(join(folder, EXCHANGES, file), { key, task, request: payload, name, answer });
    },
  };
}

/** Reads a saved run. Throws `input_invalid` for a folder that holds none. */
export async function openSaved(folder: string): Promise<{
  readonly run: SavedRun;
  readonly conversation: Conversation;
}> {
  const run = (await readJson(join(folder, HEAD), folder)) as unknown as SavedRun;
  if (run.format !== 1 || typeof run.seed !== 'string' || !isObject(run.agent) || !isObject(run.capabilities))
    throw notSaved(folder);
  const answers = await readExchanges(join(folder, EXCHANGES));
  const { agent, capabilities, tools } = run;
  return { run, conversation: { agent, capabilities, tools, call: async (call) => answerOf(call, answers) } };
}

/** A step that the saved run did not get to is ours to miss, and says nothing of the agent. */
export const NOT_SAVED = 'the saved run has no answer to this step';

function answerOf({ key, task }: OutgoingCall, answers: ReadonlyMap<string, SavedExchange>) {
  const saved = answers.get(key);
  if (saved !== undefined) return { name: saved.name, answer: saved.answer };
  return { name: task, answer: { ...failedContent('blocked', NOT_SAVED), durationMs: 0, raw: '' } };
}

async function readExchanges(folder: string): Promise<ReadonlyMap<string, SavedExchange>> {
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).toSorted();
  const exchanges = new Map<string, SavedExchange>();
  for (const file of files.slice(0, MAX_EXCHANGES)) {
    const exchange = (await readJson(join(folder, file), folder)) as unknown as SavedExchange;
    if (typeof exchange.key !== 'string' || !isObject(exchange.answer)) throw notSaved(folder);
    exchanges.set(exchange.key, exchange);
  }
  return exchanges;
}

async function makeEmpty(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, EXCHANGES), { recursive: true });
  } catch (cause) {
    throw new RegistryError('usage', `--save: cannot write to ${folder}`, {
      cause,
      hint: 'check the path and the permissions',
    });
  }
  const inside = [...(await readdir(folder)), ...(await readdir(join(folder, EXCHANGES)))];
  if (inside.length > 1)
    throw new RegistryError('usage', `--save: the folder ${folder} is not empty`, {
      hint: 'choose a new or empty folder',
    });
}

async function write(file: string, value: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(hideSecrets(value), null, 2)}\n`, { mode: 0o600 });
}

async function readJson(file: string, folder: string): Promise<JsonObject> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isObject(value)) return value;
  } catch (cause) {
    throw notSaved(folder, cause);
  }
  throw notSaved(folder);
}

function notSaved(folder: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `${folder} does not contain a saved run`, {
    cause,
    hint: 'use a folder that `agent-registry check … --save` created',
  });
}
