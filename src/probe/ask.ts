import type { Tool } from '../domain/capabilities.ts';
import type { Exposed } from '../domain/observation.ts';
import { VOCABULARIES, VOCABULARY_NAMES, type Vocabulary } from '../protocol/vocabulary.ts';
import { mayPass, ProbeFailure, settle } from './failure.ts';
import type { JsonObject } from './json.ts';
import { isCapabilitiesAnswer, listsFormats, readCapabilities } from './read-capabilities.ts';
import type { ProbeSession } from './session.ts';
import type { Spoken } from './spoken.ts';

/** What an agent told after the handshake. */
export interface Asked {
  readonly exposed?: Exposed;
  readonly toolsCount?: number;
  readonly resourcesCount?: number;
  /** The first thing that did not work although it should have. */
  readonly failure?: ProbeFailure;
}

interface Answered {
  readonly answer?: JsonObject;
  readonly vocabulary?: Vocabulary;
  readonly failure?: ProbeFailure;
}

const FORMATS_TASK = 'list_creative_formats';

/**
 * Asks for tools, resources, capabilities and, where those name none, creative formats. When a list or an offered
 * task fails in a way that may pass, nothing is exposed, so that the last good capabilities stay; a failure that
 * will not pass costs only itself.
 */
export async function ask(session: ProbeSession, spoken: Spoken): Promise<Asked> {
  const tools = await settle(spoken.listTools());
  if (tools instanceof ProbeFailure)
    return tools.rpcCode === -32_601 ? exposeWithout(session, spoken) : { failure: tools };
  const resourcesCount = await settle(spoken.countResources());
  const counts = {
    toolsCount: tools.length,
    ...(typeof resourcesCount === 'number' && { resourcesCount }),
  };
  const { failure, ...answered } = await askCapabilities(session, spoken, tools);
  if (failure && mayPass(failure)) return { ...counts, failure };
  const formats = await askFormats(spoken, tools, answered.answer);
  const exposed = expose(session, spoken, tools, { ...answered, ...(formats && { formats }) });
  return { ...counts, exposed, ...(failure?.errorClass === 'auth_required' && { failure }) };
}

/** A server without the method has no tools: that is an answer. */
function exposeWithout(session: ProbeSession, spoken: Spoken): Asked {
  return { toolsCount: 0, exposed: expose(session, spoken, [], {}) };
}

/** The first capabilities task that answers: those listed, and the others where tasks may be hidden. */
async function askCapabilities(
  session: ProbeSession,
  spoken: Spoken,
  tools: readonly Tool[],
): Promise<Answered> {
  const listed = VOCABULARIES.filter((name) =>
    tools.some((tool) => tool.name === VOCABULARY_NAMES[name].capabilitiesTask),
  );
  for (const vocabulary of listed.length === 0 && spoken.mayHideTasks ? VOCABULARIES : listed) {
    const answer = await settle(spoken.callTask(VOCABULARY_NAMES[vocabulary].capabilitiesTask, {}));
    if (answer instanceof ProbeFailure) {
      if (listed.length === 0) continue;
      session.findings.add('error', 'capabilities_unreadable', '', answer.message);
      return { failure: answer };
    }
    if (isCapabilitiesAnswer(answer)) return { answer, vocabulary };
    if (listed.length > 0)
      session.findings.add('error', 'capabilities_unreadable', '', 'the answer has no section that is known');
  }
  return {};
}

/** Only reads; agents of the creative kind often name their formats nowhere else. */
async function askFormats(
  spoken: Spoken,
  tools: readonly Tool[],
  answer: JsonObject | undefined,
): Promise<JsonObject | undefined> {
  if (listsFormats(answer) || !tools.some((tool) => tool.name === FORMATS_TASK)) return undefined;
  const formats = await settle(spoken.callTask(FORMATS_TASK, {}));
  return formats instanceof ProbeFailure ? undefined : formats;
}

function expose(
  { findings }: ProbeSession,
  { name, description }: Spoken,
  tools: readonly Tool[],
  told: { readonly answer?: JsonObject; readonly vocabulary?: Vocabulary; readonly formats?: JsonObject },
): Exposed {
  const self = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
  return readCapabilities({ tools, ...told, ...self }, findings);
}
