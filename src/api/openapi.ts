import type { FastifyInstance } from 'fastify';
import { readSchema } from '../base/ajv.ts';
import type { JsonObject } from '../base/json.ts';
import { groupOf, TAGS } from './tags.ts';

/** The files of schemas/registry, and the names they have in the OpenAPI document. */
export const SCHEMA_NAMES = {
  'agent-list': 'AgentList',
  'agent-record': 'AgentRecord',
  'agent-in-full': 'AgentInFull',
  'agent-search': 'AgentSearch',
  'agent-health-history': 'AgentHealthHistory',
  capabilities: 'Capabilities',
  metric: 'Metric',
  'compliance-summary': 'ComplianceSummary',
  'compliance-detail': 'ComplianceDetail',
  'track-detail': 'TrackDetail',
  'storyboard-status': 'StoryboardStatus',
  'verified-badge': 'VerifiedBadge',
  'compliance-history': 'ComplianceHistory',
  'compliance-run': 'ComplianceRun',
  'run-summary': 'RunSummary',
  'badge-timeline': 'BadgeTimeline',
  'badge-event': 'BadgeEvent',
  'asked-run': 'AskedRun',
  'run-request': 'RunRequest',
  'agent-settings': 'AgentSettings',
  'agent-settings-change': 'AgentSettingsChange',
  'test-credential': 'TestCredential',
  'test-credential-change': 'TestCredentialChange',
  'publisher-list': 'PublisherList',
  'domain-lookup': 'DomainLookup',
  'agent-domains': 'AgentDomains',
  'agent-publishers': 'AgentPublishers',
  'authorization-rows': 'AuthorizationRows',
  'property-authorization': 'PropertyAuthorization',
  'product-question': 'ProductQuestion',
  'product-authorization': 'ProductAuthorization',
  'product-identifiers': 'ProductIdentifiers',
  'property-lookup': 'PropertyLookup',
  'operator-lookup': 'OperatorLookup',
  'publisher-lookup': 'PublisherLookup',
  'publisher-authorization': 'PublisherAuthorization',
  'domain-list': 'DomainList',
  'resolved-property': 'ResolvedProperty',
  'resolved-properties': 'ResolvedProperties',
  'property-list': 'PropertyList',
  'resolved-brand': 'ResolvedBrand',
  'resolved-brands': 'ResolvedBrands',
  'brand-json': 'BrandJson',
  'brand-list': 'BrandList',
  'agent-verification': 'AgentVerification',
  'badge-embed': 'BadgeEmbed',
  'storyboard-report': 'StoryboardReport',
  'agent-storyboards': 'AgentStoryboards',
  'agent-urls': 'AgentUrls',
  'agents-storyboards': 'AgentsStoryboards',
  'storyboard-list': 'StoryboardList',
  'storyboard-detail': 'StoryboardDetail',
  'storyboard-first-step': 'StoryboardFirstStep',
  'applicable-storyboards': 'ApplicableStoryboards',
  'step-diagnostics': 'StepDiagnostics',
  'monitoring-settings': 'MonitoringSettings',
  'monitoring-requests': 'MonitoringRequests',
  'agent-auth-status': 'AgentAuthStatus',
  'agent-connection': 'AgentConnection',
  'agent-connected': 'AgentConnected',
  'agent-lifecycle': 'AgentLifecycle',
  requeued: 'Requeued',
  'adagents-question': 'AdagentsQuestion',
  'brand-question': 'BrandQuestion',
  'file-validation': 'FileValidation',
  'adagents-parts': 'AdagentsParts',
  'created-adagents': 'CreatedAdagents',
  'publisher-validation': 'PublisherValidation',
  'property-validation': 'PropertyValidation',
  'visit-state': 'VisitState',
  'crawl-request-accepted': 'CrawlRequestAccepted',
  'crawl-request-state': 'CrawlRequestState',
  'registry-stats': 'RegistryStats',
  problem: 'Problem',
} as const;

export type SchemaFile = keyof typeof SCHEMA_NAMES;
export type SchemaName = (typeof SCHEMA_NAMES)[SchemaFile];

export interface OpenApiInfo {
  readonly version: string;
  /** The public address; absent: relative to where the document was read. */
  readonly baseUrl?: string;
}

/** An operation object of the OpenAPI document (3.1.0, section 4.8.10). */
export interface Operation extends JsonObject {
  /** Where src/api/tags.ts names it, and what clients and pages call it. */
  readonly operationId: string;
  readonly summary: string;
  readonly responses: JsonObject;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the document says of a route: its operation, or the operation of each path that it answers. */
    readonly openapi?: Operation | { readonly paths: Readonly<Record<string, Operation>> };
  }
}

/** The operations by path and method, in the order of their registration. */
export type OpenApiPaths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/**
 * The paths of the OpenAPI document, filled by the routes that are registered in `server` from now on. Each of them has to
 * say what it is (`describedBy`): a route without an operation is refused, and there is no other way to add one.
 */
export function collectPaths(server: FastifyInstance): OpenApiPaths {
  const paths: Record<string, Record<string, Operation>> = {};
  server.addHook('onRoute', ({ url, method, config }) => {
    if (method === 'HEAD') return; // fastify adds it beside each GET
    const openapi = config?.openapi;
    if (openapi === undefined) throw new Error(`no OpenAPI operation describes the route ${method} ${url}`);
    const described = isOperation(openapi) ? { [documentPath(url)]: openapi } : openapi.paths;
    for (const [path, operation] of Object.entries(described)) {
      paths[path] = { ...paths[path], [String(method).toLowerCase()]: tagged(operation) };
    }
  });
  return paths;
}

function tagged(operation: Operation): Operation {
  const tag = groupOf(operation.operationId);
  return tag === undefined ? operation : { ...operation, tags: [tag] };
}

function isOperation(openapi: object): openapi is Operation {
  return 'responses' in openapi;
}

/** `/agents/:encodedUrl` is `/agents/{encodedUrl}` in the document. */
function documentPath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}');
}

/** The OpenAPI 3.1 document, assembled from the operations that are registered and the schemas that are served. */
export function openapiDocument(info: OpenApiInfo, paths: OpenApiPaths): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Registry',
      version: info.version,
      description:
        'The agents of an open advertising protocol: which there are, what they can do, and how they fare in compliance tests.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.baseUrl ?? '/' }],
    // Most operations work without a key; one that is sent must be valid.
    security: [{}, { apiKey: [] }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: schemaComponents(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of a member organisation.' },
      },
    },
  };
}

/** All schemas by their names in the document, with the references between files turned into references between components. */
function schemaComponents(): JsonObject {
  const files = Object.keys(SCHEMA_NAMES) as SchemaFile[];
  components ??= Object.fromEntries(files.map((file) => [SCHEMA_NAMES[file], asComponent(file)]));
  return components;
}

let components: JsonObject | undefined;

function asComponent(file: SchemaFile): JsonObject {
  const { $schema: _dialect, $id: _id, ...schema } = readSchema(`registry/${file}.json`) as JsonObject;
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? componentRef(value) : value,
  );
  return JSON.parse(text);
}

function componentRef(ref: string): string {
  const [file = '', inside = ''] = ref.split('.json');
  return `#/components/schemas/${SCHEMA_NAMES[file as SchemaFile]}${inside.replace('#', '')}`;
}

/** One line for each operation, for people who open the bare address. */
export function operationIndex(paths: OpenApiPaths): readonly JsonObject[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  );
}
