import { visitState } from '../../../api/render/visit-state.ts';
import type { SourceState } from '../../../domain/source.ts';
import type { StoredCapture } from '../../../records/sources/journey.ts';
import { counted, paint } from '../../output/print.ts';
import { visitLines } from '../../output/visit-lines.ts';

/** An explanation as lines and as JSON (schemas/cli/explain-domain.json and schemas/cli/explain-agent.json). */
export interface Story {
  readonly lines: readonly string[];
  readonly json: unknown;
}

/** RFC 3339, UTC, milliseconds; null for undefined. */
export function instant(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}

export function heading(text: string): string {
  return paint('bold', text);
}

/** Lines under a title; empty without lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines];
}

/** The number of omitted lines; empty if the list is complete. */
export function more(total: number, shown: number): readonly string[] {
  return total > shown ? [`    … and ${total - shown} more (--limit shows more)`] : [];
}

/** The source, the state, why the last result is still in use, and the next visit. */
export function scheduleLines(source: SourceState, now: number): string[] {
  const { kind, lastError, failures, foundVia, firstSeenAt } = source;
  const [state, next] = visitLines(visitState(kind, source, now), lastError?.detail);
  const lines = [`  known since ${instant(firstSeenAt)}, found via ${foundVia}`, `  ${state}`];
  if (failures > 0)
    lines.push(`  the last ${failures === 1 ? 'visit' : `${failures} visits`} failed${stands(source)}`);
  return [...lines, `  ${next}`];
}

function stands({ kind, lastSuccessAt, contentHash }: SourceState): string {
  if (lastSuccessAt === undefined) return '';
  const last = `the result of ${instant(lastSuccessAt)}`;
  if (kind !== 'agent' && contentHash === undefined)
    return `; ${last} is no longer used because the file is gone`;
  return `; ${last} stays in use until the file or entry is removed`;
}

export function captureLine(capture: StoredCapture): string {
  const hops = capture.trail.map(({ status, location }) => ` → ${status} ${location ?? ''}`).join('');
  const answer = capture.error
    ? `${capture.error.code}: ${capture.error.detail}`
    : `${capture.status}, ${capture.bytes ?? 0} bytes`;
  const again =
    capture.times === 1
      ? ''
      : `, unchanged since ${instant(capture.at)} in ${counted(capture.times, 'visit')}`;
  const took = `${Math.round(capture.durationMs)} ms`;
  return `    ${instant(capture.lastSeenAt)}  ${capture.requestedUrl}${hops}  ${answer}, ${took}${again}`;
}

export function sourceJson(source: SourceState, now: number) {
  return {
    kind: source.kind,
    key: source.key,
    found_via: source.foundVia,
    first_seen_at: instant(source.firstSeenAt),
    last_visit_at: instant(source.lastVisitAt),
    last_success_at: instant(source.lastSuccessAt),
    last_outcome: source.lastOutcome ?? null,
    last_error: source.lastError ?? null,
    failures: source.failures,
    next_visit_at: instant(source.nextVisitAt),
    visit: visitState(source.kind, source, now),
  };
}

export function captureJson({
  at,
  lastSeenAt,
  times,
  requestedUrl,
  finalUrl,
  trail,
  status,
  bytes,
  bodyHash,
  durationMs,
  error,
}: StoredCapture) {
  return {
    at: instant(at),
    last_seen_at: instant(lastSeenAt),
    times,
    requested_url: requestedUrl,
    final_url: finalUrl,
    trail,
    status: status ?? null,
    bytes: bytes ?? null,
    body_sha256: bodyHash ?? null,
    duration_ms: Math.round(durationMs),
    error: error ?? null,
  };
}
