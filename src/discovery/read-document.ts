import { isObject, type JsonObject } from '../base/json.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../domain/agent-url.ts';
import type { Finding } from '../domain/finding.ts';
import type { FindingCode } from './finding-codes.ts';
import { JSON_BOUNDS, type JsonBounds } from './json-faults.ts';
import { readJson } from './read-json.ts';
import { createReport, findingOf, type Report } from './report.ts';

/** How much of one file is read. An operator can raise the figures for a manager that is known. */
interface ReadBounds {
  /** Distinct agents; default 500. */
  readonly maxAgents: number;
  /** Entries that speak of one publisher, those that name none counted once more; default 5,000. */
  readonly maxEntries: number;
  /** Properties, those inside entries included; default 20,000. */
  readonly maxProperties: number;
  /** Tags of properties, with their repetitions; default 100,000. */
  readonly maxTags: number;
  /** Domains named in selectors and operators; default 200,000. How many of them are visited is another matter. */
  readonly maxNamedDomains: number;
  /** Values of any kind in its JSON; default 1,000,000. A file with more is not read at all. */
  readonly maxValues: number;
}

/** How much one file may bring in, and how much of it is read; an operator can raise it for a known manager. */
export interface FileBounds extends Partial<ReadBounds> {
  readonly maxAgents: number;
  /** Domains that are visited because of it. */
  readonly maxDomains: number;
  /** Bytes that are read of it, where that is more than the usual limit of its kind. */
  readonly maxBytes?: number;
}

const READ_BOUNDS: ReadBounds = {
  maxAgents: 500,
  maxEntries: 5_000,
  maxProperties: 20_000,
  maxTags: 100_000,
  maxNamedDomains: 200_000,
  maxValues: JSON_BOUNDS.values,
};

type Counted = keyof typeof LEFT_OUT;

/** Of so many URLs that found no room it is still told whose they are; with more, an agent may have been named any number of times. */
const MAX_REFUSED = 20_000;

/** What is counted against the bounds while one file is read. */
export interface FileState {
  readonly report: Report;
  /** The agent behind a declared URL, or the reason why it is none; each URL is parsed once. */
  agentOf(declared: string): AgentAddress;
  /** How many entries have named this agent, those that were left out included; infinite when nobody can tell. */
  timesNamed(agent: string): number;
  /** True while there is room for this agent. */
  takeAgent(agent: string, pointer: string): boolean;
  /** True, and counted, when no agent fits any more and this URL is not known: it is not parsed, unless somebody asks who was named. */
  refusesUrl(declared: string, pointer: string): boolean;
  /** True while there is room for one more entry about each of these publishers; none are named: about anybody. */
  takeEntry(publishers: readonly string[], pointer: string): boolean;
  /** True while there is room for one more. */
  take(kind: 'properties' | 'tags' | 'domains', pointer: string): boolean;
  /** Reports what found no room. */
  finish(): void;
}

type AgentAddress = { readonly agent: string } | { readonly code: FindingCode; readonly detail: string };

/** An object of the file that is being read, with its place. */
export interface FilePart {
  readonly value: JsonObject;
  readonly pointer: string;
  readonly file: FileState;
}

const LEFT_OUT = {
  agents: 'too_many_agents',
  entries: 'too_many_entries',
  properties: 'too_many_properties',
  tags: 'too_many_tags',
  domains: 'too_many_domains',
} as const;

/** What a reader may be told besides the bytes; every member has a default. */
export interface ReadOptions extends Partial<ReadBounds> {
  /** What may stand in its JSON; default JSON_BOUNDS. */
  readonly json?: JsonBounds;
  /** Nobody else reads the bytes: their memory is given back when their text is there. */
  readonly isOwn?: boolean;
}

/** A declaration, absent when the file cannot be used at all, and everything that was found on the way. */
export interface Read<D> {
  readonly declaration?: D;
  readonly findings: readonly Finding[];
}

/** Bytes to a JSON object to whatever `read` makes of it, with all findings placed in the text. */
export function readDocument<D>(
  bytes: Uint8Array,
  options: ReadOptions,
  read: (document: FilePart) => D | undefined,
): Read<D> {
  const { json: jsonBounds = JSON_BOUNDS, maxValues: values = jsonBounds.values } = options;
  const json = readJson(bytes, { ...jsonBounds, values }, options.isOwn);
  if (json.value === undefined) return { findings: json.place(json.findings) };
  if (!isObject(json.value)) return { findings: json.place([...json.findings, findingOf('not_object', '')]) };
  const file = createFileState({ ...READ_BOUNDS, ...options });
  const declaration = read({ value: json.value, pointer: '', file });
  file.finish();
  const findings = json.place([...json.findings, ...file.report.list()]);
  return declaration === undefined ? { findings } : { declaration, findings };
}

function createFileState(bounds: ReadBounds): FileState {
  const report = createReport();
  const addresses = new Map<string, AgentAddress>();
  const agents = new Map<string, number>();
  const refused: string[] = [];
  const entries = new Map<string, number>();
  const most = {
    properties: bounds.maxProperties,
    tags: bounds.maxTags,
    domains: bounds.maxNamedDomains,
  };
  const read = { agents: 0, entries: 0, properties: 0, tags: 0, domains: 0 };
  const leftOut = new Map<Counted, { readonly pointer: string; count: number }>();

  function refuse(kind: Counted, pointer: string): false {
    const known = leftOut.get(kind);
    if (known === undefined) leftOut.set(kind, { pointer, count: 1 });
    else known.count += 1;
    return false;
  }

  return {
    report,
    agentOf(declared) {
      const known = addresses.get(declared);
      if (known !== undefined) return known;
      const address = agentAddress(declared);
      addresses.set(declared, address);
      return address;
    },
    timesNamed(agent) {
      if (refused.length > MAX_REFUSED) return Infinity;
      for (const declared of refused.splice(0)) {
        const address = agentAddress(declared); // another spelling of an agent that was read
        const times = 'agent' in address ? agents.get(address.agent) : undefined;
        if ('agent' in address && times !== undefined) agents.set(address.agent, times + 1);
      }
      return agents.get(agent) ?? 0;
    },
    takeAgent(agent, pointer) {
      const times = agents.get(agent) ?? 0;
      if (times === 0 && agents.size >= bounds.maxAgents) return refuse('agents', pointer);
      if (times === 0) read.agents += 1;
      agents.set(agent, times + 1);
      return true;
    },
    refusesUrl(declared, pointer) {
      if (agents.size < bounds.maxAgents || addresses.has(declared)) return false;
      if (refused.length <= MAX_REFUSED) refused.push(declared);
      return !refuse('agents', pointer);
    },
    takeEntry(publishers, pointer) {
      const about = publishers.length === 0 ? [''] : publishers;
      if (about.some((name) => (entries.get(name) ?? 0) >= bounds.maxEntries))
        return refuse('entries', pointer);
      for (const name of about) entries.set(name, (entries.get(name) ?? 0) + 1);
      read.entries += 1;
      return true;
    },
    take(kind, pointer) {
      if (read[kind] >= most[kind]) return refuse(kind, pointer);
      read[kind] += 1;
      return true;
    },
    finish() {
      for (const [kind, { pointer, count }] of leftOut)
        report.conclude(LEFT_OUT[kind], pointer, `${read[kind]} read, ${count} left out`);
    },
  };
}

function agentAddress(declared: string): AgentAddress {
  const parsed = parseAgentUrl(declared);
  if (!parsed.ok) return { code: 'url_invalid', detail: AGENT_URL_PROBLEMS[parsed.problem] };
  return parsed.url.startsWith('https:')
    ? { agent: parsed.url }
    : { code: 'url_not_https', detail: declared };
}
