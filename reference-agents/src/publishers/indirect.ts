import { file, jsonFile } from '../web/file.ts';
import {
  ADAGENTS,
  inlineFile,
  mainEntry,
  type PublishedPage,
  type PublisherPlan,
  type Variant,
} from './plan.ts';

/** Keeps files for publishers who do not keep their own. */
const FILE_HOST = 'pigeonhole.example';

/** A network that some publishers refer to, by reference or as their manager in ads.txt. */
export const NETWORK = 'oakline-network.example';
const NETWORK_FILE = `https://${NETWORK}${ADAGENTS}`;

/** What the network's own file says of a publisher. */
export type NetworkStanding = 'named' | 'revoked' | 'unnamed';

/** The agent that sells for the network. */
export const NETWORK_AGENT = 'https://sales-1.agents.example/mcp';

/** A reference to a file of the publisher's own on a stranger's domain. */
const referenceToOwn: Variant = (draft) => {
  const path = `/${draft.domain}/adagents.json`;
  const target = jsonFile(
    inlineFile(
      draft,
      draft.sales.map((url) => mainEntry(url)),
    ),
  );
  return {
    pages: [{ host: FILE_HOST, path, page: target }, reference(draft.domain, `https://${FILE_HOST}${path}`)],
    authorises: draft.sales,
  };
};

function reference(host: string, target: string): PublishedPage {
  return { host, path: ADAGENTS, page: jsonFile({ authoritative_location: target }) };
}

/** A reference to the network's file, which names its publishers in selectors. */
function referenceToNetwork(standing: NetworkStanding): Variant {
  return ({ domain }) => ({ pages: [reference(domain, NETWORK_FILE)], authorises: sellsFor(standing) });
}

/** No adagents.json; ads.txt names the network as manager. */
function managed(standing: NetworkStanding): Variant {
  return ({ domain }) => ({ pages: [adsTxt(domain, NETWORK)], authorises: sellsFor(standing) });
}

function sellsFor(standing: NetworkStanding): readonly string[] {
  return standing === 'named' ? [NETWORK_AGENT] : [];
}

/** An object store answers 403 for a file that is not there. */
const objectStore: Variant = ({ domain }) => {
  const xml =
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
  const denied = file(xml, { status: 403, contentType: 'application/xml' });
  return {
    pages: [{ host: domain, path: ADAGENTS, page: denied }, adsTxt(domain, NETWORK)],
    authorises: [NETWORK_AGENT],
  };
};

/** ads.txt with a manager; the last MANAGERDOMAIN wins. */
function adsTxt(host: string, manager: string): PublishedPage {
  return { host, path: '/ads.txt', page: file(adsTxtOf(manager), { contentType: 'text/plain' }) };
}

/** The text of an ads.txt that names its manager. */
export function adsTxtOf(manager: string): string {
  return `# who sells here\nexchange.example, 1234, DIRECT\nMANAGERDOMAIN=former-manager.example\nMANAGERDOMAIN=${manager}\n`;
}

/** Variants whose content stands in somebody else's file. */
export const INDIRECT_VARIANTS = {
  reference_to_own: referenceToOwn,
  reference_to_network: referenceToNetwork('named'),
  reference_revoked: referenceToNetwork('revoked'),
  reference_unnamed: referenceToNetwork('unnamed'),
  manager: managed('named'),
  manager_revoked: managed('revoked'),
  manager_unnamed: managed('unnamed'),
  object_store: objectStore,
} as const satisfies Record<string, Variant>;

/** How the network stands to a publisher of this variant; undefined: it does not know it. */
export function networkStandingOf(variant: string): NetworkStanding | undefined {
  if (variant.endsWith('_revoked')) return 'revoked';
  return variant === 'reference_to_network' || variant === 'manager' || variant === 'object_store'
    ? 'named'
    : undefined;
}

/** The network's own file. A domain that was revoked is still in the selector: the revocation beats it. */
export function networkPlan(named: readonly string[], revoked: readonly string[]): PublisherPlan {
  const content = {
    contact: { name: 'Oakline Network', email: `ads@${NETWORK}`, domain: NETWORK },
    authorized_agents: [selectorEntry(NETWORK_AGENT, [[...named, ...revoked]])],
    revoked_publisher_domains: revoked.map((publisher_domain) => ({
      publisher_domain,
      revoked_at: '2025-11-01T00:00:00Z',
      reason: 'relationship_ended',
    })),
  };
  return {
    pages: [{ host: NETWORK, path: ADAGENTS, page: jsonFile(content, { gzip: true }) }],
    authorises: [],
  };
}

/** One entry that speaks for many publishers: a selector for each group of domains. */
export function selectorEntry(url: string, groups: readonly (readonly string[])[]): object {
  return {
    url,
    authorized_for: 'all properties of our publishers',
    authorization_type: 'publisher_properties',
    publisher_properties: groups.map((publisher_domains) => ({ publisher_domains, selection_type: 'all' })),
  };
}
