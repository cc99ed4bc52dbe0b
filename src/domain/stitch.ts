import { jsonBytes, withinBytes } from '../base/json-bytes.ts';
import { type AccreditationClaim, claimsOf } from './accreditation-claim.ts';
import {
  type AgentDocument,
  type BaseRecord,
  MAX_RECORD_BYTES,
  type PropertiesGroup,
  type Stitched,
} from './agent-document.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { Capabilities, Metric } from './capabilities.ts';
import { summariseCompliance } from './compliance.ts';
import { resolveIdentity } from './identity.ts';
import type { Exposed } from './observation.ts';

/** Bytes of JSON that the parts of a record have which are not measured: texts and counts, freshness, health, names. */
const OTHER_BYTES = 24 * 1024;
/** Bytes of JSON for each list of a record but the publishers, which have what is left. */
const TOOLS_BYTES = 48 * 1024;
const METRICS_BYTES = 96 * 1024;
const LABELS_BYTES = 16 * 1024;
/** Accreditations of its metrics that filters know. */
const MAX_CLAIMS = 1_000;

/** How long an agent that nobody declares any more stays in the list. */
export const DECLARATION_GRACE_MS = 24 * 3_600_000;

/**
 * Puts together everything known of one agent. Pure, and free of any clock but the grace of an agent whose last
 * declaration ended: its end is returned as `restitchAt`, so that somebody can come back for it.
 */
export function stitchAgent(facts: AgentFacts, now: number): Stitched {
  const staysUntil = listedUntil(facts);
  if (staysUntil <= now) return {};
  const document = documentOf(facts);
  return staysUntil === Number.POSITIVE_INFINITY ? { document } : { document, restitchAt: staysUntil };
}

function listedUntil(facts: AgentFacts): number {
  if (facts.registration !== undefined || facts.declared) return Number.POSITIVE_INFINITY;
  return (facts.declarationEndedAt ?? facts.firstSeenAt) + DECLARATION_GRACE_MS;
}

function documentOf(facts: AgentFacts): AgentDocument {
  const exposed = facts.lastGood?.exposed;
  const capabilities = exposed && shownCapabilities(exposed);
  const base = baseOf(facts);
  const properties = propertiesOf(facts, capabilities);
  const metrics = exposed?.capabilities.measurement_capabilities?.metrics ?? [];
  const claims = distinct(metrics.flatMap(claimsOf).map((claim) => JSON.stringify(claim)))
    .slice(0, MAX_CLAIMS)
    .map((claim): AccreditationClaim => JSON.parse(claim));
  const badges = facts.compliance.optedOut ? [] : facts.compliance.badges;
  return {
    url: facts.agent,
    type: base.type,
    metricIds: distinct(metrics.map((metric) => metric.metric_id)),
    accreditations: distinct(
      metrics.flatMap((metric) => metric.accreditations.map((item) => item.accrediting_body)),
    ),
    ...(claims.length > 0 && { claims }),
    badges,
    base,
    ...(properties && { properties }),
    ...(capabilities && { capabilities }),
    compliance: summariseCompliance(facts.compliance),
    ...(exposed?.inventory && { inventory: { specialisms: exposed.specialisms, ...exposed.inventory } }),
  };
}

function baseOf(facts: AgentFacts): BaseRecord {
  const identity = resolveIdentity(facts);
  const protocol = facts.lastGood?.protocol ?? facts.protocol ?? null;
  const endpoint = facts.lastGood?.endpoint ?? facts.endpoint;
  const member = facts.registration?.member;
  return {
    url: facts.agent,
    name: identity.name,
    ...(identity.description !== undefined && { description: identity.description }),
    type: identity.type,
    protocol,
    ...(protocol === 'mcp' && endpoint !== undefined && { mcp_endpoint: endpoint }),
    ...(identity.contact && { contact: identity.contact }),
    added_date: isoDate(facts.registration?.addedAt ?? facts.firstSeenAt),
    ...(member && { member }),
  };
}

/** Absent when there was never anything to see: no authorisation and no capabilities. */
function propertiesOf(
  facts: AgentFacts,
  capabilities: Capabilities | undefined,
): PropertiesGroup | undefined {
  const { portfolio } = facts;
  if (portfolio === undefined && capabilities === undefined) return undefined;
  const tags = withinBytes(portfolio?.tags ?? [], LABELS_BYTES);
  const countByType = withinBytes(Object.entries(portfolio?.countByType ?? {}), LABELS_BYTES);
  const room = MAX_RECORD_BYTES - OTHER_BYTES - jsonBytes({ capabilities, tags, countByType });
  const publishers = withinBytes(portfolio?.publishers ?? [], room / 2); // they stand in a record twice
  const publisherCount = portfolio?.publisherCount ?? 0;
  return {
    stats: {
      property_count: portfolio?.propertyCount ?? 0,
      publisher_count: publisherCount,
      publishers,
      creative_formats: facts.lastGood?.exposed.creativeFormatCount ?? 0,
    },
    publisher_domains: publishers,
    ...(publishers.length < publisherCount && { publisher_domains_truncated: true as const }),
    property_summary: {
      total_count: portfolio?.propertyCount ?? 0,
      count_by_type: Object.fromEntries(countByType),
      tags,
      publisher_count: publisherCount,
    },
  };
}

/** An agent decides how much it says of itself; each list ends where the record has no room for more. */
function shownCapabilities({ capabilities, supportedVersions: versions }: Exposed): Capabilities {
  const { tools, creative_capabilities: creative, signals_capabilities: signals } = capabilities;
  const declared = capabilities.measurement_capabilities?.metrics;
  const metrics = declared && withinBytes(declared.map(asClaimed), METRICS_BYTES);
  return {
    ...capabilities,
    tools: withinBytes(tools, TOOLS_BYTES),
    // a probe by an earlier version stored them only beside its capabilities
    ...(versions.length > 0 && { supported_versions: versions }),
    ...(creative && {
      creative_capabilities: {
        ...creative,
        formats_supported: withinBytes(creative.formats_supported, LABELS_BYTES),
      },
    }),
    ...(signals && {
      signals_capabilities: { ...signals, audience_types: withinBytes(signals.audience_types, LABELS_BYTES) },
    }),
    ...(metrics && {
      measurement_capabilities: {
        metrics,
        ...(metrics.length < declared.length && { metrics_truncated: true as const }),
      },
    }),
  };
}

/** What earlier versions kept of a probe has one of the two names only. */
function asClaimed(metric: Metric): Metric {
  const accreditations = metric.accreditations.map(
    (claim) => ({ ...claim, verified_by_aao: false }) as const,
  );
  return { ...metric, accreditations };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function isoDate(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
