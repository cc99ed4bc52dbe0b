import { vendorDomain } from './agents/agent.ts';
import { ROSTER } from './agents/roster.ts';
import { BRANDS } from './brands/houses.ts';
import { NETWORK } from './publishers/indirect.ts';
import { LONG_TAIL_MANAGER, longTail } from './trouble/long-tail.ts';
import { TROUBLE } from './trouble/trouble.ts';

export interface SandboxDomains {
  readonly publishers: readonly string[];
  readonly brands: readonly string[];
  /** Registrable domains of the agents. */
  readonly vendors: readonly string[];
  readonly trouble: readonly string[];
  /** Networks whose files speak for others. */
  readonly managers: readonly string[];
  /** The small sites; a crawl need not name them, the manager's file does. */
  readonly longTail: readonly string[];
  /** All of the above but the long tail. */
  readonly all: readonly string[];
}

/** The domains of a web with these publishers and `managed` small sites. */
export function domainsOf(publishers: readonly string[], managed: number): SandboxDomains {
  const brands = BRANDS.map(({ domain }) => domain);
  const trouble = TROUBLE.map(({ domain }) => domain);
  const managers = [NETWORK, LONG_TAIL_MANAGER];
  const vendors = [...new Set(ROSTER.map(vendorDomain))];
  const all = [...new Set([...publishers, ...brands, ...vendors, ...managers, ...trouble])];
  return { publishers, brands, vendors, trouble, managers, longTail: longTail(managed), all };
}
