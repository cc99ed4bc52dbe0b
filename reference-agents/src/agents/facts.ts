import type { VocabularyName } from '@agent-registry/surface/agent-kit';
import { BAD_METRICS, metricsOf, ODD_METRICS, type SandboxMetric } from '../metrics.ts';
import type { Random } from '../random.ts';
import { type AgentProfile, type AgentSpec, hostOf } from './agent.ts';
import { BOASTFUL_VENDOR, CARELESS_VENDOR, MEASUREMENT_AGENTS } from './roster-measurement.ts';

/** How many domains an agent names in its portfolio at most. */
const MAX_PORTFOLIO = 1_000;

export interface FactOptions {
  readonly random: Random;
  /** Absent: a mix of both, by turns. */
  readonly vocabulary?: VocabularyName | undefined;
  /** The agent's place in the roster. */
  readonly index: number;
  /** Domains that authorise the agent. */
  readonly publishers: readonly string[];
  /** Domains that it claims without right. */
  readonly deniedClaims: readonly string[];
}

/** What one agent says of itself. */
export function factsOf(spec: AgentSpec, options: FactOptions): AgentProfile {
  const { random, vocabulary, index, publishers, deniedClaims } = options;
  const sells = spec.type === 'sales';
  return {
    vocabulary: spec.vocabulary === 'none' ? 'none' : (vocabulary ?? (index % 2 === 0 ? 'proto' : 'adcp')),
    publisherDomains: sells ? [...publishers.slice(0, MAX_PORTFOLIO), ...deniedClaims] : [],
    metrics: spec.type === 'measurement' ? vendorMetrics(spec, random) : [],
  };
}

function vendorMetrics(spec: AgentSpec, random: Random): readonly SandboxMetric[] {
  const host = hostOf(spec);
  const good = metricsOf(random.fork(host), host, MEASUREMENT_AGENTS.indexOf(spec));
  if (host === BOASTFUL_VENDOR) return [...good, ...ODD_METRICS];
  return host === CARELESS_VENDOR
    ? good.flatMap((metric, at) => [metric, ...BAD_METRICS.slice(at, at + 1)])
    : good;
}

/** Metrics that may be listed. */
export function goodMetrics(metrics: readonly SandboxMetric[]): readonly SandboxMetric[] {
  return metrics.filter((metric) => !BAD_METRICS.includes(metric));
}
