import { parseDomain, registrableDomainOf } from '../domain/domain-name.ts';
import { brandHostsOf } from '../domain/identity.ts';
import type { ErrorClass, Exposed, Observation } from '../domain/observation.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { NewVisit, VisitError } from '../domain/source.ts';

/** What follows from a probe for the work list; the observation itself is kept as it is. */
export interface DeclaredProbe {
  readonly outcome: Outcome;
  readonly error?: VisitError;
  /** The agent's own domain, and the publishers that it claims: their own files must agree before they count. */
  readonly found: readonly NewVisit[];
}

/** Why nothing is said of an agent: its domain has had its probes for this hour, or our own network did not work. */
export type Unseen = 'probe_budget' | 'own_network';

/** Domains that one agent's portfolio may bring in. */
const MAX_CLAIMED_DOMAINS = 10_000;

const OUTCOME_OF: Readonly<Record<ErrorClass, Outcome>> = {
  dns: 'unreachable',
  refused: 'unreachable',
  tls: 'unreachable',
  timeout: 'unreachable',
  auth_required: 'refused',
  wrong_path: 'invalid',
  not_protocol: 'invalid',
  http_error: 'failed',
  blocked: 'refused',
  other_origin: 'refused',
  too_large: 'invalid',
  input_required: 'refused',
};

/** Judges what was seen of an agent, or why nothing was. */
export function declareProbe(seen: Observation | Unseen): DeclaredProbe {
  if (typeof seen === 'string') return UNSEEN[seen];
  const { health, exposed, agent } = seen;
  return {
    outcome: outcomeOf(seen),
    ...(health.errorClass && {
      error: { code: health.errorClass, detail: health.error ?? health.errorClass },
    }),
    found:
      exposed === undefined
        ? []
        : [...ownDomain(agent), ...houses(agent, exposed), ...claims(agent, exposed)],
  };
}

/** Where the brand.json would be that may say what this agent is. */
function ownDomain(agent: string): NewVisit[] {
  const parsed = parseDomain(registrableDomainOf(agent));
  return parsed.ok ? [{ kind: 'domain', key: parsed.domain, foundVia: `agent_domain ${agent}` }] : [];
}

/** Where a house would speak for it. */
function houses(agent: string, exposed: Exposed): NewVisit[] {
  const names = brandHostsOf(exposed).filter((name) => parseDomain(name).ok);
  return names.map((key) => ({ kind: 'domain', key, foundVia: `agent_claim ${agent}` }));
}

function claims(agent: string, { claimedPublisherDomains }: Exposed): NewVisit[] {
  const claimed = claimedPublisherDomains.slice(0, MAX_CLAIMED_DOMAINS);
  return claimed.map((key) => ({ kind: 'domain', key, foundVia: `agent_claim ${agent}` }));
}

const UNSEEN: Readonly<Record<Unseen, DeclaredProbe>> = {
  probe_budget: {
    outcome: 'throttled',
    error: {
      code: 'probe_budget',
      detail: 'probe postponed: the domain of this agent has reached its limit of probes per hour',
    },
    found: [],
  },
  own_network: {
    outcome: 'failed',
    error: {
      code: 'own_network',
      detail: 'the network of the registry failed, so this probe says nothing about the agent',
    },
    found: [],
  },
};

function outcomeOf({ health, retryAt }: Observation): Outcome {
  if (retryAt !== undefined) return 'throttled';
  return health.errorClass === undefined ? 'indexed' : OUTCOME_OF[health.errorClass];
}
