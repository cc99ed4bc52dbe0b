import { type FlagValues, integerFlag, listFlag, PORTS, textFlag, toggle } from './flags.ts';

/** Where the records are; see config.ts for the variable behind it. */
export const STORE_FLAGS = {
  store: textFlag(
    '--store <address>',
    'the records, sqlite:PATH or postgres://… (REGISTRY_STORE; default sqlite:.registry/registry.sqlite)',
  ),
};
export type StoreFlags = FlagValues<typeof STORE_FLAGS>;

/** How to reach hosts that are not where DNS says. */
export const NETWORK_FLAGS = {
  connectTo: listFlag(
    '--connect-to <host=origin>',
    'reach a host at another origin, as in news.example=http://127.0.0.1:4000; *.example= and *= too (repeatable)',
    'none',
  ),
  connectToFile: textFlag('--connect-to-file <file>', 'a file with such mappings, one on each line'),
  ca: textFlag('--ca <file>', 'PEM certificates to trust in addition to the usual ones'),
};
export type NetworkFlags = FlagValues<typeof NETWORK_FLAGS>;

export const JSON_FLAG = { json: toggle('--json', 'print JSON, as in schemas/cli') };
export type JsonFlag = FlagValues<typeof JSON_FLAG>;

/** Where a bearer token for an agent comes from. */
export const CREDENTIAL_FLAGS = {
  authEnv: textFlag('--auth-env <name>', 'environment variable with a bearer token for the agent'),
  auth: textFlag(
    '--auth <@file>',
    'the same from a file, as @path; a bare token works too, but is visible in the process list',
  ),
};
export type CredentialFlags = FlagValues<typeof CREDENTIAL_FLAGS>;

export const LOG_FLAGS = {
  logLevel: textFlag('--log-level <level>', 'trace, debug, info, warn, error or silent (REGISTRY_LOG_LEVEL)'),
};
export type LogFlags = FlagValues<typeof LOG_FLAGS>;

/** Where a process that serves no registry shows its metrics and its health; no port, nowhere. */
export const PROCESS_HTTP_FLAGS = {
  port: integerFlag(
    '--port <n>',
    'answer GET /metrics and GET /health there; 0 takes a free one and prints it',
    PORTS,
  ),
  host: textFlag('--host <address>', 'address for --port', '127.0.0.1'),
};

/** Where a process that serves others shows its metrics: never on the port that they reach. */
export const METRICS_FLAGS = {
  metricsPort: integerFlag(
    '--metrics-port <n>',
    'answer GET /metrics and GET /health there; 0 takes a free one and prints it; default: nowhere',
    PORTS,
  ),
  metricsHost: textFlag('--metrics-host <address>', 'address for --metrics-port', '127.0.0.1'),
};

export const DEFAULT_STATE = 'sqlite:.registry/sandbox.sqlite';

/** Where the state of the sandbox's agents is. */
export const AGENT_STATE_FLAG = {
  state: textFlag('--state <address>', "the state of the sandbox's agents, sqlite:PATH", DEFAULT_STATE),
};
export type AgentStateFlag = FlagValues<typeof AGENT_STATE_FLAG>;

/** Where keys are, unless another folder is named. */
export const KEY_FOLDER_FLAG = {
  keys: textFlag('--keys <folder>', 'the folder of the key files', '.registry/keys'),
};
