import { type Format, type FormatId, parseAgentUrl } from '@agent-registry/surface/agent-kit';
import type { AgentSpec } from '../../agents/agent.ts';
import { ROSTER } from '../../agents/roster.ts';
import { refuse, type TaskCall } from '../handler.ts';
import { type CreativeFormat, FORMATS } from './format-table.ts';

export { type CreativeFormat, FORMATS } from './format-table.ts';

const BY_ID: ReadonlyMap<string, CreativeFormat> = new Map(FORMATS.map((format) => [format.id, format]));

/** The creative agents of the sandbox define the same formats, so that a creative of one runs at all sellers. */
const DEFINING: ReadonlySet<string> = new Set(
  ROSTER.filter(({ type }) => type === 'creative').map(({ url }) => canonical(url)),
);

/** The format of this id; refuses an unknown one, and one of an agent whose formats are not known here (`FORMAT_NOT_FOUND`). */
export function findFormat(call: TaskCall, formatId: FormatId, pointer: string): CreativeFormat {
  if (!defines(call.agent.spec, formatId.agent_url)) {
    const ours = `${pointer}/agent_url`;
    refuse('FORMAT_NOT_FOUND', 'formats of that agent are not supported', ours, `use ${call.agent.spec.url}`);
  }
  return BY_ID.get(formatId.id) ?? unknownFormat(pointer);
}

/** The same without a refusal; undefined for a format that is not known here. */
export function knownFormat(spec: AgentSpec, formatId: FormatId): CreativeFormat | undefined {
  return defines(spec, formatId.agent_url) ? BY_ID.get(formatId.id) : undefined;
}

/** The format of this id in the table. */
export function formatNamed(id: string): CreativeFormat | undefined {
  return BY_ID.get(id);
}

/** The format as this agent lists it. */
export function formatOf(spec: AgentSpec, format: CreativeFormat): Format {
  const { id, generated: _generated, ...rest } = format;
  return { format_id: { agent_url: spec.url, id }, ...rest };
}

/** Whether a format is one of these; the agents of the sandbox define the same ones. */
export function takes(
  { agent }: Pick<TaskCall, 'agent'>,
  formats: readonly FormatId[],
  asked: FormatId,
): boolean {
  const isKnown = knownFormat(agent.spec, asked) !== undefined;
  return formats.some((format) => {
    if (format.id !== asked.id) return false;
    return format.agent_url === asked.agent_url || (isKnown && knownFormat(agent.spec, format) !== undefined);
  });
}

function defines(spec: AgentSpec, agentUrl: string): boolean {
  const asked = canonical(agentUrl);
  return asked === canonical(spec.url) || DEFINING.has(asked);
}

function canonical(url: string): string {
  const parsed = parseAgentUrl(url);
  return parsed.ok ? parsed.url : '';
}

function unknownFormat(pointer: string): never {
  const ids = FORMATS.map(({ id }) => id).join(', ');
  refuse('FORMAT_NOT_FOUND', 'unknown format', `${pointer}/id`, `known formats: ${ids}`);
}
