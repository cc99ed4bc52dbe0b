import { claimsOf } from '../../../src/domain/accreditation-claim.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import type { AgentType } from '../../../src/domain/agent-type.ts';
import type { Metric } from '../../../src/domain/capabilities.ts';
import type { ComplianceSummary } from '../../../src/domain/compliance.ts';

/** The summary of an agent that was never tested. */
export const NEVER_TESTED_SUMMARY = {
  status: 'unknown',
  lifecycle_stage: 'production',
  tracks: {},
  streak_days: 0,
  last_checked_at: null,
  headline: null,
  requested_compliance_target: null,
  proto_version: null,
  track_details: [],
  monitoring_paused: false,
  check_interval_hours: 12,
  verified: false,
  verified_roles: [],
} as const satisfies ComplianceSummary;

/** A document of which only the base record and compliance are known. */
export function bareDocument(url: string, type: AgentType = 'sales'): AgentDocument {
  return {
    url,
    type,
    metricIds: [],
    accreditations: [],
    badges: [],
    base: { url, name: new URL(url).hostname, type, protocol: null, added_date: '2026-01-05' },
    compliance: NEVER_TESTED_SUMMARY,
  };
}

/** A vendor by its metrics, each with bodies and the last days of their accreditations. */
export function vendorDocument(
  host: string,
  declared: Readonly<Record<string, Readonly<Record<string, string>>>>,
): AgentDocument {
  const metrics = Object.entries(declared).map(([metric_id, bodies]): Metric => {
    const flags = { verified_by_operator: false, verified_by_aao: false } as const;
    const accreditations = Object.entries(bodies).map(([accrediting_body, until]) => ({
      accrediting_body,
      ...(until !== '' && { valid_until: until }),
      ...flags,
    }));
    return { metric_id, accreditations };
  });
  return {
    ...bareDocument(`https://${host}.example/`, 'measurement'),
    metricIds: metrics.map(({ metric_id }) => metric_id),
    accreditations: metrics.flatMap(({ accreditations }) =>
      accreditations.map((one) => one.accrediting_body),
    ),
    claims: metrics.flatMap(claimsOf),
    capabilities: { tools_count: 0, tools: [], measurement_capabilities: { metrics } },
  };
}

const METRIC: Metric = {
  metric_id: 'Attention_Seconds',
  standard_reference: 'https://standards.example/attention/1',
  accreditations: [
    {
      accrediting_body: 'MRC',
      certification_id: 'MRC-0042',
      valid_until: '2030-06-30',
      evidence_url: 'https://meter.example/mrc.pdf',
      verified_by_operator: false,
      verified_by_aao: false,
    },
  ],
  unit: 'seconds',
  description: 'Seconds in view, "eyes on"',
  methodology_url: 'https://meter.example/method',
  methodology_version: '2.1',
};

/** A document with every group and every member of them. */
export function fullDocument(url = 'https://meter.example/mcp'): AgentDocument {
  return {
    url,
    type: 'measurement',
    metricIds: [METRIC.metric_id],
    accreditations: ['MRC'],
    claims: claimsOf(METRIC),
    badges: [],
    base: {
      url,
      name: 'Meter ”é”',
      description: 'Measures, ","publisher_domains":" and all',
      type: 'measurement',
      protocol: 'mcp',
      mcp_endpoint: url,
      contact: { name: 'Ops', email: 'ops@meter.example', website: 'https://meter.example' },
      added_date: '2026-01-05',
      member: {
        slug: 'meter',
        display_name: 'Meter Ltd',
        membership_tier: 'builder',
        membership_tier_label: 'Builder',
        is_founding_member: true,
      },
    },
    properties: {
      stats: {
        property_count: 3,
        publisher_count: 2,
        publishers: ['a.example', '","publisher_domains":'],
        creative_formats: 1,
      },
      publisher_domains: ['a.example', 'b.example'],
      property_summary: {
        total_count: 3,
        count_by_type: { website: 2, mobile_app: 1 },
        tags: ['news'],
        publisher_count: 2,
      },
    },
    capabilities: {
      tools_count: 1,
      tools: [{ name: 'get_products', description: 'Finds inventory' }],
      supported_versions: ['3.1-beta', '3.0.0-rc.2'],
      standard_operations: {
        can_search_inventory: true,
        can_get_availability: false,
        can_reserve_inventory: false,
        can_get_pricing: true,
        can_create_order: false,
        can_list_properties: false,
      },
      standard_operations_basis: {
        can_search_inventory: { basis: 'tool', from: 'get_products' },
        can_get_availability: { basis: 'none' },
        can_reserve_inventory: { basis: 'none' },
        can_get_pricing: { basis: 'implied', from: 'get_products' },
        can_create_order: { basis: 'none' },
        can_list_properties: { basis: 'none' },
      },
      creative_capabilities: {
        formats_supported: ['video_30s'],
        can_generate: true,
        can_validate: false,
        can_preview: true,
      },
      signals_capabilities: {
        audience_types: ['contextual'],
        can_match: true,
        can_activate: false,
        can_get_signals: true,
      },
      measurement_capabilities: { metrics: [METRIC] },
    },
    compliance: NEVER_TESTED_SUMMARY,
  };
}
