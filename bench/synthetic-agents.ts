import type { AgentDocument, SavedDocument } from '../src/domain/agent-document.ts';
import { AGENT_TYPES, type AgentType } from '../src/domain/agent-type.ts';
import type { Accreditation, Metric } from '../src/domain/capabilities.ts';
import type { ActiveBadge, ComplianceSummary } from '../src/domain/compliance.ts';

export const METRIC_COUNT = 2_000;
export const BODIES = [
  'MRC',
  'ABC',
  'BPA',
  'JICWEBS',
  'TAG',
  'IAB Tech Lab',
  'CESP',
  'agof',
  'JICMAIL',
  'OJD',
  'Auditel',
  'rare body',
];
const OTHER_TYPES = AGENT_TYPES.filter((type) => type !== 'measurement');
const WORDS = [
  'viewability',
  'reach',
  'attention',
  'brand_lift',
  'completion',
  'incrementality',
  'ivt',
  'footfall',
];

/** The metric id of a rank; lower ranks are held by more agents. */
export function metricId(rank: number): string {
  return `${WORDS[rank % WORDS.length]}.v${rank}`;
}

/**
 * Synthetic agents in the order of their URLs, the same for the same count: one in twelve a measurement vendor
 * with 1 to 20 metrics, documents of about 2 KB, one in twenty with a badge.
 */
export function* syntheticAgents(count: number): Generator<SavedDocument> {
  const random = randomNumbers(12_345);
  for (let at = 0; at < count; at += 1) {
    const url = `https://agent-${String(at).padStart(8, '0')}.vendor${at % 97}.example/mcp`;
    yield { agent: url, version: at + 1, document: syntheticDocument(url, random) };
  }
}

function syntheticDocument(url: string, random: () => number): AgentDocument {
  const type: AgentType = random() < 1 / 12 ? 'measurement' : pick(OTHER_TYPES, random);
  const metrics = type === 'measurement' ? syntheticMetrics(random) : [];
  const bodies = metrics.flatMap((metric) => metric.accreditations.map((claim) => claim.accrediting_body));
  const badges = syntheticBadges(type, random);
  return {
    url,
    type,
    metricIds: [...new Set(metrics.map((metric) => metric.metric_id))],
    accreditations: [...new Set(bodies)],
    badges,
    base: {
      url,
      name: `Agent of ${new URL(url).hostname}`,
      description: 'Sells, measures or describes advertising for the publishers that it works with. '.repeat(
        3,
      ),
      type,
      protocol: 'mcp',
      mcp_endpoint: url,
      added_date: '2026-03-01',
      contact: { name: 'Operations', email: 'ops@vendor.example', website: 'https://vendor.example' },
    },
    properties: syntheticProperties(),
    capabilities: {
      tools_count: 6,
      tools: [
        'get_products',
        'create_media_buy',
        'update_media_buy',
        'sync_creatives',
        'get_media_buy_delivery',
        'list_creative_formats',
      ].map((name) => ({ name, description: `Runs the task ${name} for an authenticated buyer.` })),
      ...(metrics.length > 0 && { measurement_capabilities: { metrics } }),
    },
    compliance: syntheticCompliance(badges),
  };
}

function syntheticMetrics(random: () => number): Metric[] {
  const count = 1 + Math.floor(random() * 20);
  const metrics = Array.from({ length: count }, () => ({
    metric_id: metricId(zipfRank(random)),
    unit: 'percent',
    accreditations: random() < 0.2 ? [syntheticAccreditation(random)] : [],
  }));
  return [...metrics, ...oneSide(random())];
}

/** Three in ten hold the metric and the body `left`, three in ten `right`, none both: common, and disjoint. */
function oneSide(chance: number): Metric[] {
  if (chance > 0.6) return [];
  const side = chance > 0.3 ? 'left' : 'right';
  const accreditations = [
    { accrediting_body: `${side} body`, verified_by_operator: false, verified_by_aao: false },
  ] as const;
  return [{ metric_id: `${side} side`, accreditations }];
}

function syntheticAccreditation(random: () => number): Accreditation {
  const accrediting_body = random() < 0.0005 ? 'rare body' : pick(BODIES.slice(0, -1), random);
  return {
    accrediting_body,
    certification_id: `C-${Math.floor(random() * 1e6)}`,
    verified_by_operator: false,
    verified_by_aao: false,
  };
}

function syntheticBadges(type: AgentType, random: () => number): ActiveBadge[] {
  const chance = random();
  if (chance > 0.05) return [];
  return [{ role: type, axes: chance < 0.001 ? ['spec', 'live'] : chance < 0.03 ? ['spec'] : ['live'] }];
}

function syntheticProperties() {
  const domains = ['news.example', 'sports.example', 'weather.example', 'cooking.example'];
  return {
    stats: { property_count: 8, publisher_count: 4, publishers: domains, creative_formats: 3 },
    publisher_domains: domains,
    property_summary: {
      total_count: 8,
      count_by_type: { website: 6, mobile_app: 2 },
      tags: ['premium', 'news'],
      publisher_count: 4,
    },
  };
}

function syntheticCompliance(badges: readonly ActiveBadge[]): ComplianceSummary {
  return {
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
    verified: badges.length > 0,
    verified_roles: badges.map((badge) => badge.role),
  };
}

/** Rank 0 to METRIC_COUNT - 1, each about half as frequent as the one of half its rank. */
function zipfRank(random: () => number): number {
  return Math.floor((METRIC_COUNT + 1) ** random()) - 1;
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** A linear congruential generator (Numerical Recipes): the same numbers everywhere. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
