import type { ErrorClass, Health, ProbeStep } from '../../domain/observation.ts';

/** The health of an agent at one probe, in the wire's names (specification, 2.1) and with its error class. */
export function healthJson(health: Health, at: number) {
  return {
    online: health.online,
    checked_at: new Date(at).toISOString(),
    ...(health.responseTimeMs !== undefined && { response_time_ms: health.responseTimeMs }),
    ...(health.toolsCount !== undefined && { tools_count: health.toolsCount }),
    ...(health.resourcesCount !== undefined && { resources_count: health.resourcesCount }),
    ...(health.error !== undefined && { error: health.error }),
    ...(health.words !== undefined && { words: health.words }),
    ...(health.status !== undefined && { http_status: health.status }),
    ...(health.errorClass !== undefined && { error_class: health.errorClass }),
  };
}

/** One step of a probe, in whole milliseconds. */
export function stepJson({ step, url, ok, durationMs, detail }: ProbeStep) {
  return { step, url, ok, duration_ms: Math.round(durationMs), ...(detail !== undefined && { detail }) };
}

/** What the author of the agent may try next. */
const FAILURE_HINTS: Partial<Readonly<Record<ErrorClass, string>>> = {
  auth_required: 'pass a token with --auth-env NAME; if you did, the agent rejected it',
  wrong_path: 'use the full URL of the endpoint, for example https://agent.example/mcp',
  not_protocol: 'the endpoint must answer MCP (a POST of "initialize") or have an A2A agent card',
  refused: 'check that the agent is running, and on this port',
  dns: 'check the spelling of the host name, and that it has a DNS record',
  tls: 'the certificate must be valid for this host name; for your own CA, see --ca',
  timeout: 'the agent must answer each call within 10 s',
  other_origin: 'requests are sent only to the origin of the given URL; use the URL that answers',
  blocked:
    'only public addresses are contacted; pass a loopback URL as the argument, or map other hosts with --connect-to',
};

/**
 * What to try next when an agent could not be reached; undefined where there is nothing to say. Where the agent gave a reason
 * in its own words, only a 401 and a wrong path are explained: the rest would be a guess beside what it said.
 */
export function failureHint(
  errorClass: string,
  url: string,
  { words, status }: { readonly words?: string; readonly status?: number } = {},
): string | undefined {
  if (errorClass === 'dns' && URL.parse(url)?.hostname.endsWith('.example')) return SANDBOX_HINT;
  if (words !== undefined && status !== 401 && errorClass !== 'wrong_path') return undefined;
  return FAILURE_HINTS[errorClass as ErrorClass];
}

const SANDBOX_HINT =
  "*.example names belong to the sandbox: start `agent-registry sandbox`, and add --connect-to '*.example=http://127.0.0.1:4000'";
