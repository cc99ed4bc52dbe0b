import type { AgentType } from '../../domain/agent-type.ts';
import type { AgentFacts, AgentSpec, Vocabulary } from './agent.ts';
import { FORMATS } from './tasks/creative.ts';
import { AUDIENCE_TYPES } from './tasks/signals.ts';
import { reads, request, type TaskTable } from './tasks/task.ts';

type Section = Readonly<Record<string, unknown>>;

/** The capabilities task under the name of the agent's vocabulary; empty for an agent without it. */
export function capabilitiesTask(vocabulary: Vocabulary | 'none'): TaskTable {
  if (vocabulary === 'none') return {};
  const task = reads('Says what this agent can do', request(), (_input, { spec, facts }) =>
    capabilitiesOf(spec, facts, vocabulary),
  );
  return { [`get_${vocabulary}_capabilities`]: task };
}

/** The answer of the capabilities task. */
export function capabilitiesOf(spec: AgentSpec, facts: AgentFacts, vocabulary: Vocabulary): Section {
  const protocols = PROTOCOLS[spec.type];
  const section = {
    supported_versions: ['3.0'],
    major_versions: [3],
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  };
  return {
    [`${vocabulary}_version`]: '3.0.0',
    [vocabulary]: section,
    supported_protocols: protocols,
    specialisms: SPECIALISMS[spec.type] ?? [],
    ...Object.fromEntries(protocols.map((protocol) => [protocol, sectionOf(protocol, spec, facts)])),
    request_signing: { supported: false },
    identity: {
      brand_json_url: `https://${new URL(spec.url).host.split('.').slice(-2).join('.')}/.well-known/brand.json`,
    },
  };
}

const PROTOCOLS: Readonly<Record<AgentType, readonly string[]>> = {
  sales: ['media_buy'],
  creative: ['creative'],
  signals: ['signals'],
  governance: ['governance'],
  brand: ['brand'],
  rights: ['brand'],
  measurement: ['measurement'],
  buying: [],
  unknown: [],
};

const SPECIALISMS: Partial<Record<AgentType, readonly string[]>> = {
  sales: ['sales-non-guaranteed'],
  creative: ['creative-template'],
  signals: ['signal-marketplace'],
  governance: ['governance-spend-authority'],
  rights: ['brand-rights'],
};

function sectionOf(protocol: string, spec: AgentSpec, facts: AgentFacts): Section {
  if (protocol === 'media_buy') {
    return {
      portfolio: { publisher_domains: facts.publisherDomains, primary_channels: ['display', 'audio'] },
    };
  }
  if (protocol === 'creative') {
    return spec.formatsListedOnly === true ? {} : { supported_formats: FORMATS.map(({ id }) => id) };
  }
  if (protocol === 'signals') return { audience_types: AUDIENCE_TYPES };
  if (protocol === 'measurement') return { metrics: facts.metrics };
  return { supported: true };
}
