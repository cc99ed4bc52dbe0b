import { elements, type JsonObject, member } from '../../base/json.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import { shortText } from '../../domain/text.ts';
import { VOCABULARIES, VOCABULARY_NAMES } from '../../protocol/vocabulary.ts';
import type { AgentUnderTest } from '../run-result.ts';
import { TEST_CONTROLLER } from './may-run-step.ts';

const MAX_NAMES = 100;
const MAX_NAME = 64;

/** What the handshake and the lists said. */
export interface Heard {
  readonly protocol: Protocol;
  readonly endpoint: string;
  readonly name?: string;
  readonly tools: readonly string[];
  /** Undefined when the capabilities task was not answered. */
  readonly capabilities: JsonObject | undefined;
}

/** What of it decides which storyboards there are for the agent, and what may be sent to it; pure. */
export function readAgent({ protocol, endpoint, name, tools, ...heard }: Heard): AgentUnderTest {
  const capabilities = heard.capabilities ?? {};
  const shown = shortText(name, 200);
  return {
    protocol,
    endpoint,
    ...(shown !== undefined && { name: shown }),
    supported_protocols: words(capabilities.supported_protocols).map((word) => word.replaceAll('-', '_')),
    ...(heard.capabilities === undefined && { capabilities_unread: true as const }),
    specialisms: words(capabilities.specialisms),
    supported_versions: versionsOf(capabilities),
    sandbox: member(member(capabilities, 'account'), 'sandbox') === true,
    test_controller: tools.includes(TEST_CONTROLLER),
    tools_count: tools.length,
  };
}

function versionsOf(capabilities: JsonObject): readonly string[] {
  const sections = VOCABULARIES.map((one) => member(capabilities, VOCABULARY_NAMES[one].section));
  const found = sections.map((section) => words(member(section, 'supported_versions')));
  return found.find((versions) => versions.length > 0) ?? [];
}

function words(value: unknown): readonly string[] {
  const texts = elements(value)
    .slice(0, MAX_NAMES)
    .flatMap((item) => shortText(item, MAX_NAME) ?? []);
  return [...new Set(texts)];
}
