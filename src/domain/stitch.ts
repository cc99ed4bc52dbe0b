import {
  type AgentDocument,
  type BaseRecord,
  MAX_RECORD_ARRAY,
  type PropertiesGroup,
  type Stitched,
} from './agent-document.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { Capabilities } from './capabilities.ts';
import { summariseCompliance } from './compliance.ts';
import { resolveIdentity } from './identity.ts';

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
  const capabilities = facts.lastGood?.exposed.capabilities;
  const base = baseOf(facts);
  const properties = propertiesOf(facts, capabilities);
  const metrics = capabilities?.measurement_capabilities?.metrics ?? [];
  const badges = facts.compliance.optedOut ? [] : facts.compliance.badges;
  return {
    url: facts.agent,
    type: base.type,
    metricIds: distinct(metrics.map((metric) => metric.metric_id)),
    accreditations: distinct(
      metrics.flatMap((metric) => metric.accreditations.map((item) => item.accrediting_body)),
    ),
    badges,
    base,
    ...(properties && { properties }),
    ...(capabilities && { capabilities }),
    compliance: summariseCompliance(facts.compliance),
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
  const publishers = (portfolio?.publishers ?? []).slice(0, MAX_RECORD_ARRAY);
  const publisherCount = portfolio?.publisherCount ?? 0;
  return {
    stats: {
      property_count: portfolio?.propertyCount ?? 0,
      publisher_count: publisherCount,
      publishers,
      creative_formats: facts.lastGood?.exposed.creativeFormatCount ?? 0,
    },
    publisher_domains: publishers,
    property_summary: {
      total_count: portfolio?.propertyCount ?? 0,
      count_by_type: portfolio?.countByType ?? {},
      tags: (portfolio?.tags ?? []).slice(0, MAX_RECORD_ARRAY),
      publisher_count: publisherCount,
    },
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function isoDate(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
