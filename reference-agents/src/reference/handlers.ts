import type { AgentType } from '@agent-registry/surface/agent-kit';
import { listAccounts } from './accounts/list-accounts.ts';
import { syncAccounts } from './accounts/sync-accounts.ts';
import { syncAudiences } from './audiences/sync.ts';
import { getBrandIdentity } from './brand/identity.ts';
import { capabilityHandlers } from './capabilities.ts';
import { syncCatalogs } from './catalogs/sync-catalogs.ts';
import { buildCreative } from './creatives/build.ts';
import { listCreativeFormats } from './creatives/list-formats.ts';
import { previewCreative } from './creatives/preview.ts';
import { syncCreatives, syncCreativesOnly } from './creatives/sync.ts';
import { validateCreative } from './creatives/validate.ts';
import { logEvent } from './events/log-event.ts';
import { checkGovernance } from './governance/check-governance.ts';
import { getPlanAuditLogs } from './governance/get-plan-audit-logs.ts';
import { syncPlans } from './governance/sync-plans.ts';
import type { Handlers } from './handler.ts';
import { createMediaBuy } from './media-buys/create-media-buy.ts';
import { providePerformanceFeedback } from './media-buys/feedback.ts';
import { getMediaBuyDelivery } from './media-buys/get-delivery.ts';
import { updateMediaBuy } from './media-buys/update-media-buy.ts';
import { getProducts } from './products/get-products.ts';
import { listAuthorizedProperties } from './products/list-authorized-properties.ts';
import { acquireRights } from './rights/acquire-rights.ts';
import { getRights } from './rights/get-rights.ts';
import { activateSignal } from './signals/activate-signal.ts';
import { getSignals } from './signals/get-signals.ts';
import { controllerHandlers } from './test-controller/comply-test-controller.ts';

/** The task with audiences, of sellers and of signals agents. */
export const audienceHandlers: Handlers = { sync_audiences: syncAudiences };

/** The task of a brand agent. */
export const brandHandlers: Handlers = { get_brand_identity: getBrandIdentity };

/** The tasks of a creative agent. */
export const creativeHandlers: Handlers = {
  list_creative_formats: listCreativeFormats,
  build_creative: buildCreative,
  sync_creatives: syncCreativesOnly,
  preview_creative: previewCreative,
  validate_creative: validateCreative,
};

/** The tasks with creatives that a seller has. */
export const creativeLibraryHandlers: Handlers = {
  list_creative_formats: listCreativeFormats,
  sync_creatives: syncCreatives,
};

/** The tasks of a governance agent. */
export const governanceHandlers: Handlers = {
  sync_plans: syncPlans,
  check_governance: checkGovernance,
  get_plan_audit_logs: getPlanAuditLogs,
};

/** What is done with media buys, and with what they run on and bring back. */
export const mediaBuyHandlers: Handlers = {
  create_media_buy: createMediaBuy,
  update_media_buy: updateMediaBuy,
  get_media_buy_delivery: getMediaBuyDelivery,
  provide_performance_feedback: providePerformanceFeedback,
  log_event: logEvent,
  sync_catalogs: syncCatalogs,
};

/** The tasks that find inventory, for sales agents. */
export const productHandlers: Handlers = {
  get_products: getProducts,
  list_authorized_properties: listAuthorizedProperties,
};

/** The tasks of a rights agent. */
export const rightsHandlers: Handlers = {
  ...brandHandlers,
  get_rights: getRights,
  acquire_rights: acquireRights,
};

/** The tasks of a signals agent; sync_audiences is in ../audiences. */
export const signalsHandlers: Handlers = { get_signals: getSignals, activate_signal: activateSignal };

/** The tasks of accounts, for agents that sell. */
export const accountHandlers: Handlers = { sync_accounts: syncAccounts, list_accounts: listAccounts };

/**
 * The tasks of each type of agent, offered over MCP and A2A alike. A measurement agent is described by its
 * capabilities, and a buying agent calls others: neither has tasks of its own in the protocol.
 */
export const HANDLERS: Readonly<Record<AgentType, Handlers>> = {
  sales: {
    ...capabilityHandlers,
    ...productHandlers,
    ...accountHandlers,
    ...creativeLibraryHandlers,
    ...mediaBuyHandlers,
    ...audienceHandlers,
    ...controllerHandlers,
  },
  creative: { ...capabilityHandlers, ...creativeHandlers },
  signals: { ...capabilityHandlers, ...accountHandlers, ...signalsHandlers, ...audienceHandlers },
  governance: { ...capabilityHandlers, ...governanceHandlers },
  brand: { ...capabilityHandlers, ...brandHandlers },
  rights: { ...capabilityHandlers, ...rightsHandlers },
  measurement: capabilityHandlers,
  buying: capabilityHandlers,
  unknown: {},
};
