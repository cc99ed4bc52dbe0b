import type { Health, ProbeStep } from '../../domain/observation.ts';

/** The health of an agent at one probe, in the wire's names (specification, 2.1) and with its error class. */
export function healthJson(health: Health, at: number) {
  return {
    online: health.online,
    checked_at: new Date(at).toISOString(),
    ...(health.responseTimeMs !== undefined && { response_time_ms: health.responseTimeMs }),
    ...(health.toolsCount !== undefined && { tools_count: health.toolsCount }),
    ...(health.resourcesCount !== undefined && { resources_count: health.resourcesCount }),
    ...(health.error !== undefined && { error: health.error }),
    ...(health.errorClass !== undefined && { error_class: health.errorClass }),
  };
}

/** One step of a probe, in whole milliseconds. */
export function stepJson({ step, url, ok, durationMs, detail }: ProbeStep) {
  return { step, url, ok, duration_ms: Math.round(durationMs), ...(detail !== undefined && { detail }) };
}
