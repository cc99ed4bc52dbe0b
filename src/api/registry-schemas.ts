import { readFileSync } from 'node:fs';

/** The files of schemas/registry, and the names they have in the OpenAPI document. */
export const SCHEMA_NAMES = {
  'agent-list': 'AgentList',
  'agent-record': 'AgentRecord',
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
  problem: 'Problem',
} as const;

export type SchemaFile = keyof typeof SCHEMA_NAMES;
export type SchemaName = (typeof SCHEMA_NAMES)[SchemaFile];
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Reads one of the project's schemas: the source of truth for what is served. */
export function readSchema(file: SchemaFile): JsonSchema {
  const url = new URL(`../../schemas/registry/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}

/** All schemas by their OpenAPI name, with the references between files turned into references between components. */
export function schemaComponents(): Readonly<Record<string, JsonSchema>> {
  const files = Object.keys(SCHEMA_NAMES) as SchemaFile[];
  return Object.fromEntries(files.map((file) => [SCHEMA_NAMES[file], asComponent(file)]));
}

function asComponent(file: SchemaFile): JsonSchema {
  const { $schema: _dialect, $id: _id, ...schema } = readSchema(file);
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? componentRef(value) : value,
  );
  return JSON.parse(text);
}

function componentRef(ref: string): string {
  return `#/components/schemas/${SCHEMA_NAMES[ref.replace(/\.json$/, '') as SchemaFile]}`;
}
