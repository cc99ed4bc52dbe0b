import type { AgentType } from 'agent-registry/agent-kit';
import { accountHandlers } from './accounts/handlers.ts';
import { audienceHandlers } from './audiences/handlers.ts';
import { brandHandlers } from './brand/handlers.ts';
import { capabilityHandlers } from './capabilities.ts';
import { creativeHandlers, creativeLibraryHandlers } from './creatives/handlers.ts';
import { governanceHandlers } from './governance/handlers.ts';
import type { Handlers } from './handler.ts';
import { mediaBuyHandlers } from './media-buys/handlers.ts';
import { productHandlers } from './products/handlers.ts';
import { rightsHandlers } from './rights/handlers.ts';
import { signalsHandlers } from './signals/handlers.ts';
import { controllerHandlers } from './test-controller/comply-test-controller.ts';

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
