import { randomUUID } from 'node:crypto';
import { isObject } from '../../../base/json.ts';
import { RegistryError } from '../../../errors.ts';
import type { Problem } from '../../../protocol/problem.ts';
import { readRequest } from '../../../protocol/read-request.ts';
import { PROTOCOL_TASKS, type TaskName, taskNamed } from '../../../protocol/tasks.ts';
import { readInput } from '../../input/arguments.ts';
import { checkNames, type Payload, putFields } from './fields.ts';

interface RequestParts {
  /** As typed. */
  readonly task: string;
  readonly fields: readonly string[];
  /** Path of a JSON file, or `-`. */
  readonly file?: string;
  /** False: the request goes out as it is. */
  readonly validate: boolean;
}

/** What is to be sent. */
export interface TaskRequest {
  readonly payload: Payload;
  /** Absent for a task that the protocol does not have: nothing can be held against a schema then. */
  readonly known?: TaskName;
  /** The version of the schemas that the answer is held against. */
  readonly version: string;
  /** Was made here, as none was given. */
  readonly madeKey?: string;
  /** Why it is not to be sent. */
  readonly problem?: Problem;
}

/**
 * The request of a file with the fields over it. A mutating task without an idempotency_key gets one, and the whole is
 * held against its schema; with `validate: false` neither is done. Throws for what is no JSON object.
 */
export async function buildTaskRequest({ task, fields, file, validate }: RequestParts): Promise<TaskRequest> {
  const payload = putFields(file === undefined ? {} : await readObject(file), fields);
  const known = taskNamed(task);
  if (known === undefined) return { payload, version: 'latest' };
  if (!validate) return { payload, known, version: 'latest' };
  const madeKey = needsKey(known, payload) ? randomUUID() : undefined;
  if (madeKey !== undefined) payload.idempotency_key = madeKey;
  const read = readRequest(known, payload);
  return {
    payload,
    known,
    ...(madeKey !== undefined && { madeKey }),
    ...(read.ok ? { version: read.version } : { version: 'latest', problem: read.problem }),
  };
}

function needsKey(task: TaskName, payload: Payload): boolean {
  return PROTOCOL_TASKS[task].mutating && !Object.hasOwn(payload, 'idempotency_key');
}

async function readObject(file: string): Promise<Payload> {
  const value = parse(file, await readInput(file));
  if (!isObject(value)) {
    throw new RegistryError('input_invalid', `${file} is not a JSON object`, {
      hint: 'a request is an object, for example {"brief": "coffee in Ghent"}',
    });
  }
  checkNames(value, file);
  return value as Payload;
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the file cannot be read';
    throw new RegistryError('input_invalid', `${file} is not valid JSON: ${reason}`, {
      cause,
      hint: 'write the request as one JSON object',
    });
  }
}
