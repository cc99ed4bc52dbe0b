import { isObject, type JsonObject, type TaskName } from '@agent-registry/surface/agent-kit';
import { type Talk, type TaskDialect, without } from './wire.ts';

/** What the test controller is asked for there; it lists all that it does itself. */
const SCENARIOS = [
  'force_creative_status',
  'force_account_status',
  'force_media_buy_status',
  'simulate_delivery',
];

export const capabilityDialect: Readonly<Record<string, TaskDialect>> = {
  comply_test_controller: { answer: publicControl },
  get_proto_capabilities: { answer: publicCapabilities },
};

/** Specialisms of which the public protocol demands tasks that these agents do not have. */
const WANTS: Readonly<Record<string, TaskName | 'sync_governance'>> = {
  'governance-aware-seller': 'sync_governance',
  'creative-template': 'build_creative',
};

/** A simulation has no states there. */
function publicControl(answer: JsonObject): JsonObject {
  if (answer.scenarios !== undefined) return { ...answer, scenarios: scenariosOf(answer) };
  return answer.simulated === undefined ? answer : without(answer, 'previous_state', 'current_state');
}

function publicCapabilities(answer: JsonObject, _request: JsonObject, talk: Talk): JsonObject {
  const {
    account,
    media_buy: mediaBuy,
    creative,
    webhook_signing: webhooks,
    compliance_testing: testing,
  } = answer;
  return {
    ...answer,
    ...(Array.isArray(answer.specialisms) && { specialisms: publicSpecialisms(answer.specialisms, talk) }),
    ...(isObject(account) && { account: publicAccounts(account) }),
    ...(isObject(mediaBuy) && { media_buy: publicMediaBuy(mediaBuy) }),
    ...(isObject(creative) && { creative: publicCreative(creative, talk) }),
    ...(isObject(webhooks) && { webhook_signing: { ...webhooks, profile: 'adcp/webhook-signing/v1' } }),
    ...(isObject(testing) && { compliance_testing: { ...testing, scenarios: scenariosOf(testing) } }),
  };
}

function publicSpecialisms(names: readonly unknown[], { agent }: Talk): readonly unknown[] {
  return names.filter((name) => {
    const wanted = WANTS[String(name)];
    if (wanted === undefined) return true;
    return wanted !== 'sync_governance' && agent.spec.without?.includes(wanted) !== true;
  });
}

function publicAccounts(account: JsonObject): JsonObject {
  return { supported_billing: ['operator'], require_operator_auth: false, ...account };
}

function publicMediaBuy(section: JsonObject): JsonObject {
  const { portfolio } = section;
  const domains = isObject(portfolio) ? portfolio.publisher_domains : undefined;
  const shown = Array.isArray(domains) && domains.length > 0;
  return {
    ...without(section, 'portfolio'),
    ...(shown && { portfolio }),
    features: {
      audience_targeting: true,
      conversion_tracking: true, // by log_event; the section of that name would promise sync_event_sources too
      inline_creative_management: true,
      property_list_filtering: false,
      catalog_management: true,
    },
    reporting_delivery_methods: ['webhook'],
    supported_pricing_models: ['cpm', 'cpc', 'cpcv', 'flat_rate'],
    audience_targeting: {
      supported_identifier_types: ['hashed_email', 'hashed_phone'],
      minimum_audience_size: 1,
    },
  };
}

/** Formats are listed by their own task there. */
function publicCreative(section: JsonObject, { agent }: Talk): JsonObject {
  return {
    ...without(section, 'supported_formats', 'formats_supported'),
    supports_generation: section.generates === true,
    supports_transformation: agent.spec.without?.includes('build_creative') !== true,
    has_creative_library: false, // there is no list_creatives
  };
}

function scenariosOf({ scenarios }: JsonObject): readonly unknown[] {
  return Array.isArray(scenarios) ? scenarios.filter((name) => SCENARIOS.includes(String(name))) : [];
}
