import { isObject } from '../base/json.ts';
import { AGENT_TYPES } from '../domain/agent-type.ts';
import type { FileKind } from '../domain/declaration.ts';
import { at, has } from './fields.ts';
import type { FilePart } from './read-document.ts';

/** What a JSON document shows itself to be: one of the two files, or the answer of a task or of an API. */
type DocumentKind = FileKind | 'answer';

/** Members that no file of the other kind has; the field's strict clients read a file that has them, whatever else it says. */
const SURE_MEMBERS: Readonly<Record<FileKind, readonly string[]>> = {
  adagents: ['authorized_agents'],
  brand: [
    'house',
    'brands',
    'brand_refs',
    'house_domain',
    'names',
    'identity_agent',
    'brand_agent',
    'rights_agent',
  ],
};
/** Members of the envelopes of answers: JSON-RPC 2.0, section 5, and the result of an MCP tool. */
const ENVELOPE = ['jsonrpc', 'structuredContent'];
/** Members of answers that no file has. */
const ANSWER_MEMBERS = [
  ...['result', 'error', 'errors', 'status', 'success', 'message', 'replayed', 'task_id', 'context_id'],
  ...['count', 'total', 'next_cursor', 'adcp', 'proto', 'adcp_version', 'proto_version'],
];
const MISPLACED = {
  brand: 'brand_file_here',
  adagents: 'adagents_file_here',
  answer: 'answer_not_file',
} as const;

/**
 * Whether the document is no file of this kind, by its `$schema` and its shape; then a finding says what it is. Members
 * that only this kind has decide first, then `$schema`, then the members of others, then what an `agents[]` looks like.
 */
export function isMisplaced(document: FilePart, place: FileKind): boolean {
  const named = kindOfSchema(document.value.$schema);
  if (hasAny(document, SURE_MEMBERS[place])) {
    if (named !== undefined && named !== place)
      document.file.report.add('schema_of_other_kind', at(document, '$schema'), document.value.$schema);
    return false;
  }
  const kind = named ?? kindOfShape(document, place);
  if (kind === undefined || kind === place) return false;
  document.file.report.add(MISPLACED[kind], named === undefined ? '' : at(document, '$schema'));
  return true;
}

/** By the last part of its path, as in `https://schemas.example/v3/brand.json`; others say nothing. */
function kindOfSchema(schema: unknown): DocumentKind | undefined {
  if (typeof schema !== 'string') return undefined;
  const end = schema.search(/[?#]/);
  const path = end < 0 ? schema : schema.slice(0, end);
  const last = path.slice(path.lastIndexOf('/') + 1);
  const name = last.endsWith('.json') ? last.slice(0, -'.json'.length) : last;
  if (name === 'brand' || name === 'adagents') return name;
  return name.endsWith('-response') || name.endsWith('-request') ? 'answer' : undefined;
}

function kindOfShape(document: FilePart, place: FileKind): DocumentKind | undefined {
  const other: FileKind = place === 'brand' ? 'adagents' : 'brand';
  if (hasAny(document, SURE_MEMBERS[other])) return other;
  if (hasAny(document, ENVELOPE)) return 'answer';
  if (!has(document, 'agents')) return undefined;
  if (isObject(document.value.publisher)) return 'adagents';
  if (hasAny(document, ANSWER_MEMBERS)) return 'answer';
  return kindOfAgents(document.value.agents);
}

/** The agents of a brand have a type; those of a publisher's simple file, a protocol or capabilities. */
function kindOfAgents(agents: unknown): FileKind | undefined {
  const listed = Array.isArray(agents) ? agents.filter(isObject) : [];
  if (listed.some(({ type }) => AGENT_TYPES.some((known) => known === type))) return 'brand';
  return listed.some(({ protocol, capabilities }) => protocol !== undefined || capabilities !== undefined)
    ? 'adagents'
    : undefined;
}

function hasAny(document: FilePart, members: readonly string[]): boolean {
  return members.some((key) => has(document, key));
}
