/**
 * The two vocabularies of one protocol: the neutral names of the specification, which are the ones the registry
 * emits, and the names that agents of the public protocol use. Both are understood; this module knows
 * the names of tasks and sections, and field-names.ts those of all other members.
 */
export const VOCABULARIES = ['proto', 'adcp'] as const;
export type VocabularyName = (typeof VOCABULARIES)[number];

export interface VocabularyNames {
  /** The task that says what an agent can do. */
  readonly capabilitiesTask: string;
  /** The member of its answer that holds versions and idempotency. */
  readonly section: string;
  /** The member that carries a protocol version. */
  readonly versionKey: string;
  /** The member of a request that carries nothing but the major version. */
  readonly majorVersionKey: string;
}

export const VOCABULARY_NAMES: Readonly<Record<VocabularyName, VocabularyNames>> = {
  proto: {
    capabilitiesTask: 'get_proto_capabilities',
    section: 'proto',
    versionKey: 'proto_version',
    majorVersionKey: 'proto_major_version',
  },
  adcp: {
    capabilitiesTask: 'get_adcp_capabilities',
    section: 'adcp',
    versionKey: 'adcp_version',
    majorVersionKey: 'adcp_major_version',
  },
};

/** The names under which an agent may offer its capabilities, ours first. */
export const CAPABILITIES_TASKS: readonly string[] = VOCABULARIES.map(
  (name) => VOCABULARY_NAMES[name].capabilitiesTask,
);
