/** What sends an operation among the methods of the field's clients, and what to do where it is not built. */
export interface ClientMethods {
  /** Of `RegistryClient` in `adcp` from PyPI, 9.2.0. */
  readonly python: readonly string[];
  /** Of `RegistryClient` in `@adcp/sdk` from npm, 6.11.0. */
  readonly javascript: readonly string[];
  readonly instead: string;
}

const INSTEAD: Readonly<Record<string, string>> = {
  policies: 'this registry does not store policies',
  mirrors: 'this registry does not host copies of files; publish adagents.json on your own domain',
  saves: 'this registry does not accept uploads; publish the file on your own domain',
  hosted:
    'this registry does not host files; GET /api/public/validate-publisher follows the pointer of a site to its file',
  brands: 'use GET /api/brands/resolve or GET /api/brands/find',
  operators:
    'the operator of this registry uses `agent-registry members` and `agent-registry agents` instead',
  step: 'a step depends on the steps before it; use POST /api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/run',
  compare:
    'agents are not compared with each other; use GET /api/registry/agents/{encodedUrl}/compliance/diagnostics',
};

// operation | Python | JavaScript | what to do instead. Which of them are built is known from the routes.
const TABLE = `
GET /api | api_discovery | |
GET /api/registry/agents | list_agents | listAgents |
GET /api/registry/agents/search | search_agents | searchAgents |
GET /api/search | search | search |
GET /api/registry/publishers | list_publishers | listPublishers |
GET /api/registry/stats | get_registry_stats | getRegistryStats |
GET /api/registry/publisher | lookup_publisher | lookupPublisher |
GET /api/registry/publisher/authorization | lookup_publisher_agent_authorization |  |
GET /api/registry/operator | lookup_operator | lookupOperator |
GET /api/registry/lookup/domain/{domain} | lookup_domain | lookupDomain lookupDomains |
GET /api/registry/lookup/property | lookup_property_identifier | lookupPropertyByIdentifier lookupPropertyIdentifiers |
GET /api/registry/lookup/agent/{agentUrl}/domains | get_agent_domains | getAgentDomains |
GET /v1/agents/{encodedUrl}/publishers | get_publishers_for_agent |  |
GET /api/v1/agents/{encodedUrl}/publishers | get_publishers_for_agent |  |
GET /api/registry/authorizations | get_agent_authorizations | |
GET /api/registry/authorizations/snapshot | get_agent_authorizations_snapshot | |
GET /api/registry/validate/property-authorization | validate_property_authorization | validatePropertyAuthorization |
POST /api/registry/validate/product-authorization | validate_product_authorization | validateProductAuthorization |
POST /api/registry/expand/product-identifiers | expand_product_identifiers | expandProductIdentifiers |
POST /api/registry/resolve | resolve_identifiers | |
GET /api/registry/feed | get_feed | getFeed |
POST /api/registry/crawl-request | request_crawl | requestCrawl |
POST /api/registry/brand-crawl-request | request_brand_crawl | |
POST /api/registry/manager-revalidation-request | request_manager_revalidation | |
POST /api/adagents/validate | validate_adagents | validateAdagents |
POST /api/adagents/create | create_adagents | createAdagents |
GET /api/public/validate-publisher | validate_publisher | validatePublisher |
GET /api/public/discover-agent | discover_agent | discoverAgent |
GET /api/public/agent-formats | get_agent_formats | getAgentFormats |
GET /api/public/agent-products | get_agent_products | getAgentProducts |
GET /api/properties/validate | validate_property | validateProperty |
GET /api/properties/resolve | lookup_property | lookupProperty |
POST /api/properties/resolve/bulk | lookup_properties | lookupProperties lookupPropertiesAll domainsExist |
GET /api/properties/registry | list_properties | listProperties |
GET /api/properties/history | property_history | getPropertyHistory |
POST /api/properties/save | save_property | saveProperty saveProperties | saves
POST /api/properties/hosted/{domain}/verify-origin | verify_hosted_property_origin | | hosted
POST /api/properties/check | check_property_list | checkPropertyList |
GET /api/properties/check/{reportId} | get_property_check_report | getPropertyCheckReport |
POST /api/properties/check/bulk | bulk_property_check | |
GET /api/properties/check/bulk/{reportId} | get_bulk_property_check_report | |
GET /api/brands/resolve | lookup_brand | lookupBrand |
POST /api/brands/resolve/bulk | lookup_brands | lookupBrands |
GET /api/brands/brand-json | get_brand_json | getBrandJson |
GET /api/brands/registry | list_brands | listBrands |
GET /api/brands/find | find_brand | findCompany |
GET /api/brands/history | brand_history | getBrandHistory |
GET /api/brands/enrich | enrich_brand | enrichBrand | brands
POST /api/brands/save | save_brand | saveBrand | saves
POST /api/brands/setup-my-brand | setup_my_brand | | saves
GET /api/manifest-refs/lookup | lookup_manifest_ref | lookupManifestRef |
GET /api/registry/agents/{encodedUrl}/compliance | get_agent_compliance | getAgentCompliance |
GET /api/registry/agents/{encodedUrl}/compliance/history | get_agent_compliance_history |  |
GET /api/registry/agents/{encodedUrl}/compliance/diagnostics | get_agent_compliance_step_diagnostics | |
PUT /api/registry/agents/{encodedUrl}/compliance/opt-out | update_agent_compliance_opt_out | |
GET /api/registry/agents/{encodedUrl}/verification | get_agent_verification | |
GET /api/.well-known/jwks.json | get_jwks | |
GET /api/registry/agents/{encodedUrl}/badge/{role}.svg | get_agent_badge_svg |  |
GET /api/registry/agents/{encodedUrl}/badge/{role}/embed | get_agent_badge_embed | |
GET /api/registry/agents/{encodedUrl}/badge/{role}/{version}.svg | get_agent_badge_versioned_svg | |
GET /api/registry/agents/{encodedUrl}/badge/{role}/{version}/embed | get_agent_badge_versioned_embed | |
GET /api/registry/agents/{encodedUrl}/storyboard-status | get_agent_storyboard_status | getAgentStoryboardStatus |
POST /api/registry/agents/storyboard-status | bulk_agent_storyboard_status | getAgentStoryboardStatusBulk |
PUT /api/registry/agents/{encodedUrl}/lifecycle | update_agent_lifecycle | |
GET /api/registry/agents/{encodedUrl}/monitoring/settings | get_agent_monitoring_settings | |
PUT /api/registry/agents/{encodedUrl}/monitoring/pause | update_agent_monitoring_pause | |
PUT /api/registry/agents/{encodedUrl}/monitoring/interval | update_agent_monitoring_interval | |
POST /api/registry/agents/{encodedUrl}/monitoring/requeue | requeue_agent_for_heartbeat | |
GET /api/registry/agents/{encodedUrl}/monitoring/requests | get_agent_monitoring_requests | |
POST /api/registry/agents/{encodedUrl}/refresh | refresh_agent | |
GET /api/registry/agents/{encodedUrl}/auth-status | get_agent_auth_status | |
PUT /api/registry/agents/{encodedUrl}/connect | connect_agent | |
PUT /api/registry/agents/{encodedUrl}/oauth-client-credentials | save_agent_oauth_client_credentials | |
POST /api/registry/agents/{encodedUrl}/oauth-client-credentials/test | test_agent_oauth_client_credentials | |
GET /api/registry/agents/{encodedUrl}/applicable-storyboards | get_applicable_storyboards | |
POST /api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/run | run_storyboard | |
POST /api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/compare | compare_storyboard | | compare
POST /api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/step/{stepId} | run_storyboard_step | | step
GET /api/storyboards | list_storyboards | |
GET /api/storyboards/{id} | get_storyboard | |
GET /api/storyboards/{id}/first-step | get_storyboard_first_step | |
GET /api/me/agents | list_member_agents | |
POST /api/me/agents | register_member_agent | | operators
PATCH /api/me/agents/{url} | update_member_agent | | operators
DELETE /api/me/agents/{url} | remove_member_agent | | operators
POST /api/organizations | create_organization | | operators
GET /api/members | list_members | |
GET /api/members/{slug} | get_member | |
GET /api/policies/registry | list_policies | listPolicies | policies
GET /api/policies/resolve | resolve_policy | resolvePolicy | policies
POST /api/policies/resolve/bulk | resolve_policies | resolvePoliciesBulk | policies
GET /api/policies/history | policy_history | getPolicyHistory | policies
POST /api/policies/save | save_policy | savePolicy | policies
GET /api/registry/mirrors | list_community_mirror_adagents | | mirrors
GET /api/registry/mirrors/{platform} | get_community_mirror_adagents | | mirrors
PUT /api/registry/mirrors/{platform} | publish_community_mirror_adagents upsert_community_mirror_adagents | | mirrors
DELETE /api/registry/mirrors/{platform} | delete_community_mirror_adagents | | mirrors
`;

/** Every operation that a method of the field's clients sends: `GET /api/search`. */
export const CLIENT_METHODS: ReadonlyMap<string, ClientMethods> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const [operation = '', python = '', javascript = '', instead = ''] = line
        .split('|')
        .map((cell) => cell.trim());
      return [
        operation,
        {
          python: words(python),
          javascript: words(javascript),
          instead: INSTEAD[instead] ?? 'planned for a later release',
        },
      ];
    }),
);

function words(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}
