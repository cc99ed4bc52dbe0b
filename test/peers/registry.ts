import { CLIENT_METHODS } from '../../src/api/client-methods.ts';
import type { Peer, Row } from './peer.ts';
import { AGENT, AGENTS, DOMAIN, SECOND, serveRegistry } from './serve-registry.ts';
import { TOKEN_PATH } from './strangers.ts';

/** A method of a client's `RegistryClient`, called with what it needs of the values; its parameters are its own. */
interface RegistryOrder {
  readonly registry: {
    readonly url: string;
    readonly method: string;
    readonly key: string;
    /** By the name of a parameter in lower case, without underscores. */
    readonly values: Readonly<Record<string, unknown>>;
  };
}

interface RegistryReply {
  readonly ok: boolean;
  readonly error?: string;
}

/** An agent that is pending for the member of the key, between two of its methods. */
const ASKED_FOR = 'https://asked-for.example/mcp';

const PROPERTY = { publisher_domain: DOMAIN, authorized_agents: [{ url: AGENT }] };
const VALUES = {
  ...{ agent: AGENT, agenturl: AGENT, agenturls: [AGENT], url: AGENT },
  ...{ domain: DOMAIN, domains: [DOMAIN], publisherdomain: DOMAIN, manager: DOMAIN, managerdomain: DOMAIN },
  ...{ type: 'domain', value: DOMAIN, identifiertype: 'domain', identifiervalue: DOMAIN },
  identifiers: [{ type: 'domain', value: DOMAIN }],
  publisherproperties: [{ publisher_domain: DOMAIN }],
  slug: 'm',
  ...{ role: 'media-buy', version: '3.0', storyboardid: 'capability_discovery' },
  ...{ query: 'news', q: 'news', policyids: ['policy'] },
  ...{ params: { domain: DOMAIN, policy_id: 'policy' }, brand: { domain: DOMAIN, brand_name: 'News' } },
  body: {
    ...{ policy_ids: ['policy'], policy_id: 'policy', version: '1', name: 'Policy' },
    ...{ category: 'standard', enforcement: 'must', policy: 'text' },
  },
  property: PROPERTY,
  config: { platform: 'news', catalog_etag: 'one', formats: [{ format_kind: 'image' }] },
  authorizedagents: AGENTS,
  // of methods that take any members of a body
  bodies: {
    bulk_agent_storyboard_status: { agent_urls: [AGENT] },
    update_agent_monitoring_pause: { paused: true },
    update_agent_monitoring_interval: { interval_hours: 12 },
    update_agent_compliance_opt_out: { opt_out: false },
    request_brand_crawl: { domain: 'brand.example' },
    request_manager_revalidation: { manager_domain: 'manager.example' },
    update_agent_lifecycle: { lifecycle_stage: 'production' },
    bulk_property_check: { identifiers: [DOMAIN] },
    connect_agent: { token: 'a-token-of-a-test' },
    register_member_agent: { url: ASKED_FOR, name: 'Asked for' },
    update_member_agent: { name: 'Asked for again' },
    save_agent_oauth_client_credentials: {
      ...{ token_endpoint: `https://auth.example${TOKEN_PATH}`, client_id: 'tests' },
      ...{ client_secret: 'a-secret-of-a-test', scope: 'adcp', auth_method: 'body' },
    },
  },
  // an owner's, of methods that take no key: it is their client's
  keyed: ['get_agent_monitoring_settings', 'get_agent_monitoring_requests', 'get_agent_auth_status'],
  provenance: { type: 'deal_history' },
  properties: [PROPERTY],
};

/** The configuration is a mirror's in one client, and a file's parts in the other. */
const VALUES_OF = {
  python: VALUES,
  javascript: { ...VALUES, config: { authorized_agents: AGENTS, catalog_etag: 'one' } },
};

/** What a method means by a name that others use too. */
const OF_METHOD: Readonly<Record<string, object>> = {
  lookupManifestRef: { type: 'url' },
  run_storyboard: { agenturl: SECOND },
  update_member_agent: { url: ASKED_FOR },
  remove_member_agent: { url: ASKED_FOR },
};

/** Every method of a client's `RegistryClient` against a registry: what is built is parsed, what is not says so. */
export async function runRegistry(client: 'python' | 'javascript', peer: Peer): Promise<readonly Row[]> {
  const registry = await serveRegistry();
  const asked = peer as unknown as Peer<RegistryOrder, RegistryReply>;
  const rows: Row[] = [];
  for (const [method, isBuilt] of methodsOf(client, registry.served)) {
    const { url, key, reportid, bulkreportid } = registry;
    const ofMethod =
      method === 'get_bulk_property_check_report' ? { reportid: bulkreportid } : OF_METHOD[method];
    const reply = await asked.call({
      registry: { url, method, key, values: { ...VALUES_OF[client], reportid, ...ofMethod } },
    });
    rows.push({ client, transport: 'registry', task: method, ...judged(reply, isBuilt) });
  }
  await registry.close();
  return rows;
}

/** Each once, and whether one of its operations is served. */
function methodsOf(
  client: 'python' | 'javascript',
  served: ReadonlySet<string>,
): ReadonlyMap<string, boolean> {
  const methods = new Map<string, boolean>();
  for (const [operation, line] of CLIENT_METHODS)
    for (const method of line[client])
      methods.set(method, methods.get(method) === true || served.has(operation));
  return methods;
}

function judged({ ok, error = '' }: RegistryReply, isBuilt: boolean): Pick<Row, 'verdict' | 'right'> {
  if (ok) return { verdict: isBuilt ? 'works' : 'answers what is not built', right: isBuilt };
  const isNotBuilt = error.includes('501') && error.includes('not_built');
  if (isNotBuilt) return { verdict: '501 not_built', right: !isBuilt };
  return { verdict: error.replaceAll(/\s+/g, ' ').slice(0, 500), right: false };
}
