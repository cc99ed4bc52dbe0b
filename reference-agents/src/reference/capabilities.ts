import {
  type AgentType,
  type GetProtoCapabilitiesResponse,
  VOCABULARY_NAMES,
} from '@agent-registry/surface/agent-kit';
import { type AgentProfile, type AgentSpec, brandJsonOf } from '../agents/agent.ts';
import { BILLING } from './accounts/account-rules.ts';
import { FORMATS } from './creatives/formats.ts';
import { SPENDING_TASKS } from './governance/payload-money.ts';
import { APPROVAL_MS } from './governance/record-decision.ts';
import { type Handlers, handler } from './handler.ts';
import { REPLAY_TTL_SECONDS } from './idempotency.ts';
import { mediaBuyCapabilities, salesSpecialisms } from './products/capabilities.ts';
import { AUDIENCE_TYPES, PLATFORMS } from './signals/segment-table.ts';
import { CONTROLLER_SCENARIOS } from './test-controller/scenarios.ts';

type CreativeSection = NonNullable<GetProtoCapabilitiesResponse['creative']>;

type Section = object;

/** The bundle whose schemas the agents follow, and its line. */
const BUNDLE = '3.0.0';

const LINE = '3.0';

/** The sections that an agent of a type has, under the names of the protocols that it supports. */
const SECTIONS: Readonly<
  Record<AgentType, Readonly<Record<string, (spec: AgentSpec, facts: AgentProfile) => Section>>>
> = {
  sales: { media_buy: mediaBuyCapabilities },
  creative: { creative: capabilitiesOfCreative },
  signals: { signals: capabilitiesOfSignals },
  governance: { governance: capabilitiesOfGovernance },
  brand: { brand: capabilitiesOfBrand },
  rights: { brand: capabilitiesOfBrand },
  measurement: { measurement: (_spec, facts) => capabilitiesOfMeasurement(facts) },
  buying: {},
  unknown: {},
};

/** What they are good at, beside what follows from their goods. */
const SPECIALISMS: Partial<Record<AgentType, readonly string[]>> = {
  sales: ['governance-aware-seller', 'audience-sync', 'sales-catalog-driven'],
  signals: ['signal-marketplace', 'signal-owned'],
  governance: ['governance-spend-authority'],
  rights: ['brand-rights'],
};

/** The capabilities task, which every agent has that speaks the protocol. Listed under its vocabulary's name. */
export const capabilityHandlers: Handlers = {
  get_proto_capabilities: handler('get_proto_capabilities', {
    description: 'Returns the capabilities of this agent',
    callers: 'anybody',
    run: ({ protocols }, { agent }) => capabilitiesOf(agent.spec, agent.facts, protocols),
  }),
};

/** What an agent says of itself in the words of its vocabulary; of its sections those that were asked for. */
function capabilitiesOf(
  spec: AgentSpec,
  facts: AgentProfile,
  asked: readonly string[] | undefined,
): GetProtoCapabilitiesResponse {
  const names = VOCABULARY_NAMES[facts.vocabulary === 'adcp' ? 'adcp' : 'proto'];
  const sections = Object.entries(SECTIONS[spec.type]);
  const wanted = sections.filter(([protocol]) => asked === undefined || asked.includes(protocol));
  return {
    [names.versionKey]: BUNDLE,
    [names.section]: {
      supported_versions: [LINE],
      major_versions: [Number.parseInt(LINE, 10)],
      idempotency: { supported: true, replay_ttl_seconds: REPLAY_TTL_SECONDS },
    },
    supported_protocols: sections.map(([protocol]) => protocol),
    specialisms: specialismsOf(spec, facts),
    ...Object.fromEntries(wanted.map(([protocol, section]) => [protocol, section(spec, facts)])),
    ...tradeOf(spec),
    request_signing: {
      supported: true,
      required_for: spec.signed ?? [],
      covers_content_digest: 'required',
      profiles: facts.vocabulary === 'adcp' ? ['3.0', '3.1', '3.2'] : ['3.2'],
    },
    identity: { brand_json_url: brandJsonOf(spec) },
  };
}

function specialismsOf(spec: AgentSpec, facts: AgentProfile): readonly string[] {
  const own = SPECIALISMS[spec.type] ?? [];
  if (spec.type === 'sales')
    return [...salesSpecialisms(spec, facts), ...own, ...(spec.signed ? ['signed-requests'] : [])];
  if (spec.type === 'creative') return [generates(spec) ? 'creative-generative' : 'creative-template'];
  return own;
}

function generates({ without }: AgentSpec): boolean {
  return without?.includes('build_creative') !== true;
}

/** Whoever changes something says that nothing here is real; those that sell have accounts, webhooks and a test controller too. */
function tradeOf({ type }: AgentSpec): Partial<GetProtoCapabilitiesResponse> {
  const webhooks = { supported: true, algorithms: ['ed25519'], profile: '3.2' };
  if (type === 'sales')
    return {
      account: accountCapabilities(['create_media_buy', 'sync_creatives', 'sync_audiences', 'sync_catalogs']),
      webhook_signing: webhooks,
      compliance_testing: { scenarios: CONTROLLER_SCENARIOS },
    };
  if (type === 'signals')
    return { account: accountCapabilities(['activate_signal', 'sync_audiences']), webhook_signing: webhooks };
  const sandbox = { account: { sandbox: true } };
  if (type === 'rights') return { ...sandbox, webhook_signing: webhooks };
  return type === 'creative' || type === 'governance' ? sandbox : {};
}

/** What a creative agent says of itself; one that wants its formats listed leaves them out. */
function capabilitiesOfCreative(spec: Pick<AgentSpec, 'without' | 'formatsListedOnly'>): CreativeSection {
  const generates = spec.without?.includes('build_creative') !== true;
  if (spec.formatsListedOnly === true) return { generates };
  return { supported_formats: FORMATS.map(({ id }) => id), generates };
}

/** What a brand agent or a rights agent says of itself: both speak the brand protocol. */
function capabilitiesOfBrand({
  type,
}: Pick<AgentSpec, 'type'>): NonNullable<GetProtoCapabilitiesResponse['brand']> {
  return { supported: type === 'brand', rights: type === 'rights' };
}

/** What a governance agent says of itself. It answers for any task, and holds those that spend against the plan. */
function capabilitiesOfGovernance(): NonNullable<GetProtoCapabilitiesResponse['governance']> {
  return { supported: true, checked_tasks: SPENDING_TASKS, approval_ttl_seconds: APPROVAL_MS / 1_000 };
}

/**
 * What a measurement agent says of itself: it has no tasks of its own (specification, 4.3), its metrics are all that
 * it tells. Among them are bad ones on purpose, so the section need not follow its schema.
 */
function capabilitiesOfMeasurement({ metrics }: Pick<AgentProfile, 'metrics'>): {
  readonly metrics: AgentProfile['metrics'];
} {
  return { metrics };
}

/** What a signals agent says of itself. */
function capabilitiesOfSignals(): NonNullable<GetProtoCapabilitiesResponse['signals']> {
  return { audience_types: AUDIENCE_TYPES, destinations: PLATFORMS };
}

/** The `account` section of the capabilities task. */
export function accountCapabilities(requiredFor: readonly string[]) {
  return { supported_billing: BILLING, required_for: requiredFor, sandbox: true };
}
