import { present } from '../base/json.ts';
import type { AgentType, Protocol } from './agent-type.ts';
import type { Capabilities } from './capabilities.ts';
import type { Finding } from './finding.ts';

/** Why an agent is not (fully) there. */
export const ERROR_CLASSES = [
  'dns',
  'refused',
  'tls',
  'timeout',
  'auth_required', // it answered and wants credentials: online
  'wrong_path', // HTTP answers, but no protocol lives at this URL (404, 405, 410)
  'not_protocol', // something answers that speaks neither MCP nor A2A
  'http_error', // another HTTP status, 5xx and 429 among them
  'blocked', // our own guard refused the address
  'other_origin', // it leads out of the proven origin, where nobody has agreed to be tested
  'too_large',
  'input_required', // its task waits for input that only a person can give
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** Each error in words. They reveal nothing about our own network. */
export const ERROR_TEXTS: Readonly<Record<ErrorClass, string>> = {
  dns: 'the host name does not resolve',
  refused: 'the connection was refused',
  tls: 'the TLS connection failed',
  timeout: 'no response within the time limit',
  auth_required: 'it requires credentials',
  wrong_path: 'no MCP or A2A endpoint at this URL',
  not_protocol: 'the response is neither MCP nor A2A',
  http_error: 'the response is an HTTP error',
  blocked: 'the address is not public',
  other_origin: 'it leads to another origin, which is not verified',
  too_large: 'the response is too large',
  input_required: 'the task waits for input',
};

/** What the network may have done, ours or theirs, and not the agent. */
export const OF_THE_NETWORK: readonly ErrorClass[] = ['dns', 'refused', 'tls', 'timeout'];

/** The agent's health at one probe. */
export interface Health {
  /** The protocol answered; a demand for credentials counts. */
  readonly online: boolean;
  /** Of the protocol handshake, whole milliseconds. */
  readonly responseTimeMs?: number;
  readonly toolsCount?: number;
  readonly resourcesCount?: number;
  readonly errorClass?: ErrorClass;
  /** One sentence, for everybody: it holds none of the agent's words. */
  readonly error?: string;
  /** The agent's own words about it, at most 300 characters: for the CLI, the lab and the owner only. */
  readonly words?: string;
  /** The HTTP status, where it is the reason. */
  readonly status?: number;
}

/** The wire's `health` (specification, 2.1): the result of the last probe, as everyone sees it. */
export interface HealthGroup {
  readonly online: boolean;
  readonly checked_at: string;
  readonly response_time_ms?: number;
  readonly tools_count?: number;
  readonly resources_count?: number;
  readonly error?: string;
  /** When the capabilities that are shown were read. Absent if this probe read them, and if none were ever read. */
  readonly capabilities_read_at?: string;
}

/**
 * The health to show after a probe. Times are epoch milliseconds. `capabilitiesReadAt` is when an earlier probe read the
 * capabilities that are still shown; null if this probe read them, or none ever did.
 */
export function healthGroup(
  health: Health,
  checkedAt: number,
  capabilitiesReadAt: number | null,
): HealthGroup {
  const { online, responseTimeMs, toolsCount, resourcesCount, error } = health;
  return {
    online,
    checked_at: new Date(checkedAt).toISOString(),
    ...present({
      response_time_ms: responseTimeMs,
      tools_count: toolsCount,
      resources_count: resourcesCount,
      error,
      capabilities_read_at:
        capabilitiesReadAt === null ? undefined : new Date(capabilitiesReadAt).toISOString(),
    }),
  };
}

export interface ProbeStep {
  /** For example `initialize`, `tools/list`, `agent card`, `get_proto_capabilities`. */
  readonly step: string;
  readonly url: string;
  readonly durationMs: number;
  readonly ok: boolean;
  readonly detail?: string;
}

/** What an agent exposes of itself; the last good one is kept when a later probe fails. */
export interface Exposed {
  readonly capabilities: Capabilities;
  /** All that it names; the list in the capabilities holds at most 1,000. */
  readonly creativeFormatCount: number;
  /** From the tools and sections alone. */
  readonly inferredType: AgentType;
  /** From the agent card or the MCP server info. */
  readonly name?: string;
  readonly description?: string;
  /** Protocols of the advertising vocabulary: media_buy, signals, governance, creative, brand, measurement. */
  readonly supportedProtocols: readonly string[];
  readonly specialisms: readonly string[];
  /** Absent in what earlier versions kept. */
  readonly inventory?: Omit<Inventory, 'specialisms'>;
  /** Versions of the protocol, as the agent writes them: `3.0`, `3.1-beta`. */
  readonly supportedVersions: readonly string[];
  /** Domains whose inventory the agent says it sells: a claim until their own files agree. */
  readonly claimedPublisherDomains: readonly string[];
  /** `identity.brand_json_url`. */
  readonly brandJsonUrl?: string;
  /** Which name of the capabilities task answered; absent when there is no such task. */
  readonly vocabulary?: 'proto' | 'adcp';
}

/** What we saw of one agent at one moment. */
export interface Observation {
  /** Canonical agent URL. */
  readonly agent: string;
  readonly dialledUrl: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly health: Health;
  /** Only when the handshake succeeded. */
  readonly protocol?: Protocol;
  /** The URL that answered the protocol. */
  readonly endpoint?: string;
  /** Absent when nothing could be read: the last good one stays. */
  readonly exposed?: Exposed;
  readonly steps: readonly ProbeStep[];
  readonly findings: readonly Finding[];
  /** Retry-After of a 429 or 503, epoch milliseconds. */
  readonly retryAt?: number;
}

/** What an agent says of the inventory that it trades, beside what publishers say: lists of distinct texts, as declared. */
export interface Inventory {
  readonly specialisms: readonly string[];
  readonly channels: readonly string[];
  /** Countries. */
  readonly markets: readonly string[];
  /** `guaranteed`, `non_guaranteed`. */
  readonly deliveryTypes: readonly string[];
  /** Kinds of creative formats: display, video, audio. */
  readonly formatKinds: readonly string[];
  /** It takes part in trusted match. */
  readonly hasTmp: boolean;
}
