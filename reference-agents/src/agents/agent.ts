import type { AgentType, TaskName, VocabularyName } from '@agent-registry/surface/agent-kit';
import type { SandboxMetric } from '../metrics.ts';

/** `json` and `stream` are stateless and differ in the form of the answer; `sse` is the transport before Streamable HTTP. */
export type McpStyle = 'json' | 'stream' | 'session' | 'sse';

export interface McpTransport {
  readonly protocol: 'mcp';
  readonly style: McpStyle;
  /** Tools on a page of `tools/list`; default: all on one. */
  readonly pageSize?: number;
  /** How many resources it lists; default: it has no such capability. */
  readonly resources?: number;
  /** The bearer token without which it answers 401. */
  readonly token?: string;
}

export interface A2aTransport {
  readonly protocol: 'a2a';
  readonly versions: readonly ('0.3' | '1.0')[];
  /** Paths of the card on the agent's host. */
  readonly cards: readonly string[];
  /** Old agents want `parameters` where newer ones want `input`. */
  readonly inputKey?: 'input' | 'parameters';
  /** Skills that work but that the card leaves out. */
  readonly hidden?: readonly string[];
}

/** One agent of the sandbox, as data. */
export interface AgentSpec {
  readonly name: string;
  readonly description: string;
  /** As it is declared in the files. */
  readonly url: string;
  /** Where it lives on its host; default: the path of `url`. */
  readonly path?: string;
  /** What it is, and which table of tasks it answers with. */
  readonly type: AgentType;
  readonly transport: McpTransport | A2aTransport;
  /** Default: the sandbox mixes both. `none`: it has no capabilities task. */
  readonly vocabulary?: VocabularyName | 'none';
  /** The domain of the house that declares it; default: its own domain does. */
  readonly house?: string;
  /** Tasks of its type that it does not have. */
  readonly without?: readonly string[];
  /** A second way to speak to it, at a path of its own. */
  readonly also?: A2aTransport & { readonly path: string };
  /** Tasks for which a bearer token is not enough: the request has to be signed. */
  readonly signed?: readonly TaskName[];
  /** Leaves the formats out of its capabilities, so that they must be listed. */
  readonly formatsListedOnly?: boolean;
}

/** What an agent says of itself beyond its spec. */
export interface AgentProfile {
  readonly vocabulary: VocabularyName | 'none';
  readonly publisherDomains: readonly string[];
  readonly metrics: readonly SandboxMetric[];
}

/** The host in an agent's address. */
export function hostOf(spec: AgentSpec): string {
  return new URL(spec.url).host;
}

/** The path on which the agent answers its protocol, without trailing slash. */
export function pathOf(spec: AgentSpec): string {
  const path = spec.path ?? new URL(spec.url).pathname;
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** The agent's identity: its address without a trailing slash (the roster's addresses are normal otherwise). */
export function identityOf(url: string): string {
  return new URL(url).pathname === '/' ? url : url.replace(/\/$/, '');
}

/** Every address at which an agent is spoken to: the declared one first, where it lives, and its second way. */
export function addressesOf(spec: AgentSpec): readonly string[] {
  const { origin } = new URL(spec.url);
  const also = spec.also === undefined ? [] : [`${origin}${spec.also.path}`];
  return [...new Set([spec.url, `${origin}${pathOf(spec)}`, ...also])];
}

/** The registrable domain of an agent's host: all hosts of the sandbox end in `name.example`. */
export function vendorDomain(spec: AgentSpec): string {
  return hostOf(spec).split('.').slice(-2).join('.');
}

/** The brand.json that speaks for the agent and leads to its keys: its house's, or the one on its own domain. */
export function brandJsonOf(spec: AgentSpec): string {
  return `https://${spec.house ?? vendorDomain(spec)}/.well-known/brand.json`;
}
