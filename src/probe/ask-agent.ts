import type { JsonObject } from '../base/json.ts';
import type { AgentConnection } from '../calling/connection.ts';
import { CallFailure, settle } from '../calling/failure.ts';
import { OBJECT_HINT } from '../calling/read-tools.ts';
import type { CallSession } from '../calling/session.ts';
import { callFailureOf } from '../calling/task-answer.ts';
import type { Tool } from '../domain/capabilities.ts';
import type { Exposed } from '../domain/observation.ts';
import {
  CAPABILITIES_TASKS,
  VOCABULARIES,
  VOCABULARY_NAMES,
  type VocabularyName,
} from '../protocol/vocabulary.ts';
import { isCapabilitiesAnswer, listsFormats, readCapabilities } from './read-capabilities.ts';

/** What was read of an agent after the handshake. */
export interface Asked {
  readonly exposed?: Exposed;
  readonly toolsCount?: number;
  readonly resourcesCount?: number;
  /** The first thing that did not work although it should have. */
  readonly failure?: CallFailure;
}

interface Answered {
  readonly answer?: JsonObject;
  readonly vocabulary?: VocabularyName;
  readonly failure?: CallFailure;
}

const FORMATS_TASK = 'list_creative_formats';

/**
 * Asks for tools, resources, capabilities and, where those list no creative formats, for formats. When the tool list or the
 * listed capabilities task gives no answer of the protocol, nothing is exposed, so that the last good capabilities stay: a
 * declaration that was not read is not an empty one. A refusal or an unknown answer affects only its own part.
 */
export async function askAgent(session: CallSession, connection: AgentConnection): Promise<Asked> {
  const tools = await settle(connection.listTools());
  if (tools instanceof CallFailure)
    return tools.rpcCode === -32_601 ? exposeWithout(session, connection) : { failure: tools };
  const resourcesCount = await settle(connection.countResources());
  const counts = {
    toolsCount: tools.length,
    ...(typeof resourcesCount === 'number' && { resourcesCount }),
  };
  const { failure, ...answered } = await askCapabilities(session, connection, tools);
  if (failure && isUnread(failure)) return { ...counts, failure };
  const formats = await askFormats(session, connection, tools, answered.answer);
  const exposed = expose(session, connection, tools, { ...answered, ...(formats && { formats }) });
  return { ...counts, exposed, ...(failure?.errorClass === 'auth_required' && { failure }) };
}

/** Whether the agent gave no answer of the protocol whose content could be judged. */
function isUnread({ errorClass, rpcCode, facts }: CallFailure): boolean {
  if (errorClass === 'not_protocol') return rpcCode === undefined && facts.answered !== true;
  return errorClass !== 'too_large' && errorClass !== 'auth_required' && errorClass !== 'other_origin';
}

/** A server without the method has no tools: that is an answer. */
function exposeWithout(session: CallSession, connection: AgentConnection): Asked {
  return { toolsCount: 0, exposed: expose(session, connection, [], {}) };
}

/** The first capabilities task that answers: those listed, and the others where tasks may be hidden. */
async function askCapabilities(
  session: CallSession,
  connection: AgentConnection,
  tools: readonly Tool[],
): Promise<Answered> {
  const listed = VOCABULARIES.filter((name) =>
    tools.some((tool) => tool.name === VOCABULARY_NAMES[name].capabilitiesTask),
  );
  for (const vocabulary of listed.length === 0 && connection.mayHideTasks ? VOCABULARIES : listed) {
    const { capabilitiesTask: task } = VOCABULARY_NAMES[vocabulary];
    const answer = await read(session, connection, task);
    if (answer instanceof CallFailure) {
      if (listed.length === 0) continue;
      session.findings.add('error', 'capabilities_unreadable', '', `${task}: ${answer.message}`);
      return { failure: answer };
    }
    if (isCapabilitiesAnswer(answer)) return { answer, vocabulary };
    if (listed.length > 0)
      session.findings.add(
        'error',
        'capabilities_unreadable',
        '',
        `${task}: the answer has no known section, such as media_buy or supported_protocols`,
      );
  }
  const isCallable = connection.protocol === 'mcp' || connection.mayHideTasks;
  if (listed.length === 0 && isCallable)
    session.findings.add('warning', 'capabilities_task_missing', '', NO_CAPABILITIES, CAPABILITIES_HINT);
  return {};
}

const NO_CAPABILITIES = `missing tool: ${CAPABILITIES_TASKS.join(' or ')}; tests for protocols and specialisms are skipped, no metrics are shown, and no badge can be earned`;
const CAPABILITIES_HINT = 'add one of the two tools, and answer it without credentials';

/** Only reads; agents of the creative kind often name their formats nowhere else. */
async function askFormats(
  session: CallSession,
  connection: AgentConnection,
  tools: readonly Tool[],
  answer: JsonObject | undefined,
): Promise<JsonObject | undefined> {
  if (listsFormats(answer) || !tools.some((tool) => tool.name === FORMATS_TASK)) return undefined;
  const formats = await read(session, connection, FORMATS_TASK);
  return formats instanceof CallFailure ? undefined : formats;
}

function expose(
  { findings }: CallSession,
  { name, description }: AgentConnection,
  tools: readonly Tool[],
  told: { readonly answer?: JsonObject; readonly vocabulary?: VocabularyName; readonly formats?: JsonObject },
): Exposed {
  const self = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
  return readCapabilities({ tools, ...told, ...self }, findings);
}

/** The data of a task that only reads, or why there is no data. Warns of an answer that is only text. */
async function read(
  session: CallSession,
  connection: AgentConnection,
  task: string,
): Promise<JsonObject | CallFailure> {
  const answer = await connection.callTask(task, {});
  if (answer.outcome === 'answered' && answer.asText === true)
    session.findings.add(
      'warning',
      'output_unstructured',
      '',
      `unstructured output: ${task} returned text instead of structuredContent`,
      OBJECT_HINT,
    );
  return answer.outcome === 'answered' ? answer.data : callFailureOf(answer);
}
