interface Tag {
  readonly name: string;
  readonly description: string;
  /** The ids of its operations, in the order of readers. */
  readonly operations: readonly string[];
}

/** The groups of the API in the order of the reference. Each operation belongs to one. */
export const TAGS: readonly Tag[] = [
  {
    name: 'Agents',
    description: 'Find agents, and read what is known about each.',
    operations: [
      ...['searchAgents', 'listAgents', 'getAgent', 'discoverAgent', 'getAgentFormats', 'getAgentProducts'],
      'getAgentHealthHistory',
    ],
  },
  {
    name: 'Compliance',
    description: 'Test results of agents, step by step.',
    operations: [
      ...[
        'getAgentCompliance',
        'listComplianceLines',
        'listComplianceRuns',
        'getComplianceRun',
        'getAgentComplianceStepDiagnostics',
      ],
      ...['getAgentStoryboardStatus', 'bulkAgentStoryboardStatus', 'getApplicableStoryboards'],
      ...['listStoryboards', 'getStoryboard', 'getStoryboardFirstStep'],
    ],
  },
  {
    name: 'Badges',
    description:
      'What an agent is verified for: badge images, signed tokens, and the keys to verify them offline.',
    operations: [
      ...['getAgentVerification', 'getAgentBadge', 'getAgentBadgeOfLine', 'getAgentBadgeEmbed'],
      ...['getAgentBadgeOfLineEmbed', 'getAgentBadgeToken', 'listBadgeEvents', 'getBadgeKeys'],
      ...['getBadgeKeysOfApi', 'getBadgeRevocations'],
    ],
  },
  {
    name: 'Publishers and brands',
    description: 'Which publisher authorises which agent, in both directions, and what each domain declares.',
    operations: [
      ...[
        'listMembers',
        'getMember',
        'listPublishers',
        'lookupPublisher',
        'lookupDomain',
        'lookupOperator',
        'lookupProperty',
      ],
      ...['getAgentDomains', 'listAgentPublishers', 'listAgentPublishersLegacy', 'listProperties'],
      ...[
        'resolveProperties',
        'resolvePropertiesInBulk',
        'listBrands',
        'resolveBrand',
        'resolveBrandsInBulk',
      ],
      ...['getBrandJson', 'findBrand', 'lookupManifestRef', 'search'],
      ...['checkPropertyList', 'getPropertyCheckReport'],
      ...['bulkPropertyCheck', 'getBulkPropertyCheckReport'],
      ...['getPropertyHistory', 'getBrandHistory', 'getFileDiff', 'getFileFindings', 'getNetwork'],
      ...['listPublisherEntries', 'resolveIdentifiers'],
    ],
  },
  {
    name: 'Authorisation',
    description: 'Check whether an agent may sell a property, with the reason.',
    operations: [
      ...['validatePropertyAuthorization', 'validateProductAuthorization', 'expandProductIdentifiers'],
      ...['lookupPublisherAuthorization', 'getAgentAuthorizations', 'getAuthorizationsSnapshot'],
    ],
  },
  {
    name: 'Validation',
    description: 'Find and fix errors in a file.',
    operations: [
      ...['validateAdagents', 'validateBrand', 'createAdagents', 'validatePublisher', 'validateProperty'],
    ],
  },
  {
    name: 'Lab',
    description: 'Check an agent as an unknown client sees it. No proof of ownership is needed.',
    operations: ['examineAgent', 'getLabReport'],
  },
  {
    name: 'Visits',
    description: 'Request a crawl, and follow its progress.',
    operations: [
      ...[
        'requestCrawl',
        'requestBrandCrawl',
        'requestManagerRevalidation',
        'refreshAgent',
        'getCrawlRequest',
      ],
    ],
  },
  {
    name: 'Own an agent',
    description:
      'Tests, settings and the test credential of your agents. Requires the API key of the proven owner.',
    operations: [
      ...[
        'startComplianceRun',
        'runStoryboard',
        'getAgentSettings',
        'changeAgentSettings',
        'getAgentMonitoringSettings',
      ],
      ...['updateAgentMonitoringPause', 'updateAgentMonitoringInterval', 'updateAgentComplianceOptOut'],
      ...['updateAgentLifecycle', 'requeueAgentForHeartbeat', 'listAgentAudit'],
      ...['listMyAgents', 'askForAgent', 'challengeAgent', 'proveAgent'],
      ...[
        'describeOwnAgent',
        'giveUpAgent',
        'getAgentMonitoringRequests',
        'getAgentAuthStatus',
        'connectAgent',
      ],
      ...['saveAgentOAuthClientCredentials', 'testAgentOAuthClientCredentials'],
      ...['getTestCredential', 'storeTestCredential', 'forgetTestCredential'],
      ...['getOwnerStatement', 'keepOwnerStatement', 'takeBackOwnerStatement'],
      ...['listApiKeys', 'createApiKey', 'revokeApiKey', 'inviteDomain', 'joinRegistry'],
      ...['getMemberSettings', 'changeMemberSettings'],
      ...['listSubscriptions', 'createSubscription', 'removeSubscription', 'reviveSubscription'],
      'testSubscription',
      'getWebhookKeys',
    ],
  },
  {
    name: 'Agentic Resource Discovery',
    description: 'The agents as entries of ARD v0.91, a common interface of many registries.',
    operations: ['ardSearch', 'ardExplore', 'ardListAgents', 'ardGetAgent', 'getArdManifest'],
  },
  {
    name: 'Service',
    description: 'Statistics, feed, exports, protocol schemas and this document.',
    operations: [
      ...[
        'getRegistryStats',
        'listChanges',
        'getFeed',
        'getExport',
        'getExportedPublisher',
        'streamFeed',
        'getAtomFeed',
        'listSchemaVersions',
        'listSchemas',
        'getSchema',
        'getOpenApi',
        'listOperations',
      ],
      ...['getApi', 'getHealth', 'getReadiness'],
    ],
  },
];

const TAG_OF = new Map(TAGS.flatMap(({ name, operations }) => operations.map((id) => [id, name] as const)));

/** The tag of an operation; undefined for one that no group has. */
export function groupOf(operationId: string): string | undefined {
  return TAG_OF.get(operationId);
}
