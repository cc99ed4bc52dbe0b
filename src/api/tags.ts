interface Tag {
  readonly name: string;
  readonly description: string;
  /** The ids of its operations, in the order of readers. */
  readonly operations: readonly string[];
}

/** The groups of the API, in the order in which people meet them. Each operation stands in one. */
export const TAGS: readonly Tag[] = [
  {
    name: 'Agents',
    description: 'Which agents there are, and what is known of each.',
    operations: [
      ...['searchAgents', 'listAgents', 'getAgent', 'discoverAgent', 'getAgentFormats', 'getAgentProducts'],
      'getAgentHealthHistory',
    ],
  },
  {
    name: 'Compliance',
    description: 'How agents fare in tests, step by step.',
    operations: [
      ...[
        'getAgentCompliance',
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
    description: 'What an agent is verified for: pictures, tokens, and what verifies them offline.',
    operations: [
      ...['getAgentVerification', 'getAgentBadge', 'getAgentBadgeOfLine', 'getAgentBadgeEmbed'],
      ...['getAgentBadgeOfLineEmbed', 'getAgentBadgeToken', 'listBadgeEvents', 'getBadgeKeys'],
      ...['getBadgeKeysOfApi', 'getBadgeRevocations'],
    ],
  },
  {
    name: 'Publishers and brands',
    description: 'Who authorises whom, in both directions, and what a domain says of itself.',
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
    description: 'May this agent sell this? The answer says why.',
    operations: [
      ...['validatePropertyAuthorization', 'validateProductAuthorization', 'expandProductIdentifiers'],
      ...['lookupPublisherAuthorization', 'getAgentAuthorizations', 'getAuthorizationsSnapshot'],
    ],
  },
  {
    name: 'Validation',
    description: 'What is wrong with a file, and how to mend it.',
    operations: [
      ...['validateAdagents', 'validateBrand', 'createAdagents', 'validatePublisher', 'validateProperty'],
    ],
  },
  {
    name: 'Lab',
    description: 'How an agent looks to a client that meets it for the first time, without any proof.',
    operations: ['examineAgent', 'getLabReport'],
  },
  {
    name: 'Visits',
    description: 'Ask for a visit now, and see what becomes of it.',
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
    description: 'For the API key of the proven owner: tests, settings and the test credential.',
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
    description: 'The agents as entries of ARD v0.91, for whoever searches many registries in one way.',
    operations: ['ardSearch', 'ardExplore', 'ardListAgents', 'ardGetAgent', 'getArdManifest'],
  },
  {
    name: 'Service',
    description: 'The registry itself: figures, schemas of the protocol, this document.',
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
