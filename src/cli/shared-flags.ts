import { type FlagValues, integerFlag, listFlag, PORTS, textFlag, toggle } from './flags.ts';

/** Where the records are; see config.ts for the variable behind it. */
export const STORE_FLAGS = {
  store: textFlag(
    '--store <address>',
    'address of the records, sqlite:PATH or postgres://… (REGISTRY_STORE; default sqlite:.registry/registry.sqlite)',
  ),
};
export type StoreFlags = FlagValues<typeof STORE_FLAGS>;

/** How to reach hosts that are not where DNS says. */
export const NETWORK_FLAGS = {
  connectTo: listFlag(
    '--connect-to <host=origin>',
    'send requests for a host to another origin, as in news.example=http://127.0.0.1:4000; also *.example= and *= (repeatable)',
    'none',
  ),
  connectToFile: textFlag('--connect-to-file <file>', 'read such mappings from a file, one per line'),
  ca: textFlag('--ca <file>', 'PEM file with additional certificate authorities to trust'),
};
export type NetworkFlags = FlagValues<typeof NETWORK_FLAGS>;

export const JSON_FLAG = { json: toggle('--json', 'print JSON; see schemas/cli for its format') };
export type JsonFlag = FlagValues<typeof JSON_FLAG>;

/** Where a bearer token for an agent comes from. */
export const CREDENTIAL_FLAGS = {
  authEnv: textFlag('--auth-env <name>', 'environment variable with a bearer token for the agent'),
  auth: textFlag(
    '--auth <@file>',
    'bearer token from a file, as @path; a token typed here is visible in the process list',
  ),
};
export type CredentialFlags = FlagValues<typeof CREDENTIAL_FLAGS>;

export const LOG_FLAGS = {
  logLevel: textFlag(
    '--log-level <level>',
    'minimum level of log messages: trace, debug, info, warn, error or silent (REGISTRY_LOG_LEVEL)',
  ),
};
export type LogFlags = FlagValues<typeof LOG_FLAGS>;

/** Where a process that serves no registry shows its metrics and its health; no port, nowhere. */
export const PROCESS_HTTP_FLAGS = {
  port: integerFlag(
    '--port <n>',
    'port for GET /metrics and GET /health; 0 picks a free port and prints it',
    PORTS,
  ),
  host: textFlag('--host <address>', 'address for --port', '127.0.0.1'),
};

/** The same of a process that tests agents. */
export const TESTING_HTTP_FLAGS = {
  ...PROCESS_HTTP_FLAGS,
  host: textFlag('--host <address>', 'address for --port and for REGISTRY_TEST_WEBHOOK_PORT', '127.0.0.1'),
};

/** Where a process that serves others shows its metrics: never on the port that they reach. */
export const METRICS_FLAGS = {
  metricsPort: integerFlag(
    '--metrics-port <n>',
    'port for GET /metrics and GET /health; 0 picks a free port and prints it (default: none)',
    PORTS,
  ),
  metricsHost: textFlag('--metrics-host <address>', 'address for --metrics-port', '127.0.0.1'),
};

export const DEFAULT_STATE = 'sqlite:.registry/sandbox.sqlite';

/** Where the state of the sandbox's agents is. */
export const AGENT_STATE_FLAG = {
  state: textFlag('--state <address>', 'state of the sandbox agents, sqlite:PATH', DEFAULT_STATE),
};
export type AgentStateFlag = FlagValues<typeof AGENT_STATE_FLAG>;

/** Where keys are, unless another folder is named. */
export const KEY_FOLDER_FLAG = {
  keys: textFlag('--keys <folder>', 'folder of the key files', '.registry/keys'),
};
