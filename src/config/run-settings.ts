import { httpUrl, httpUrls, integer, setting, text } from './setting.ts';

/**
 * Made by their owners to be asked just this, of three owners, so that one's outage is not taken for ours. Each is asked at
 * most once in 10 s, and only while somebody does not answer.
 */
const CONTROL_URLS: readonly string[] = [
  'https://www.gstatic.com/generate_204',
  'https://cp.cloudflare.com/generate_204',
  'https://detectportal.firefox.com/success.txt',
];

/** How agents are tested, and as whom. */
export const RUN_SETTINGS = {
  credentialKeys: setting(
    'REGISTRY_CREDENTIAL_KEYS',
    'a file with the keys that seal test credentials of owners, made by `agent-registry keys generate --kind credential`; or `command:PROGRAM ARGUMENTS` that prints them. Without it none can be stored',
    '',
    text,
  ),
  runConcurrency: setting('REGISTRY_RUN_CONCURRENCY', 'agents tested at the same time', 16, integer(1, 200)),
  runDeadlineMs: setting(
    'REGISTRY_RUN_DEADLINE_MS',
    'the time for one test of an agent, in milliseconds',
    600_000,
    integer(1_000, 1_800_000),
  ),
  complianceTarget: setting(
    'REGISTRY_COMPLIANCE_TARGET',
    'the version of the protocol that agents are tested for: 3.0, 3, latest or 3.0.0',
    '3.0',
    text,
  ),
  controlUrls: setting(
    'REGISTRY_CONTROL_URLS',
    'sites of others, comma-separated, to ask when an agent or a domain does not answer. When none of them answers either, our own network counts as broken. `none` asks nobody',
    CONTROL_URLS,
    httpUrls,
  ),
  testAgent: setting(
    'REGISTRY_TEST_AGENT',
    'the agent that tests buy as; its host is the operator',
    'https://desk.example/agent',
    httpUrl,
  ),
  testBrand: setting(
    'REGISTRY_TEST_BRAND',
    'the domain of the brand that tests buy for',
    'tidewater-kayaks.example',
    text,
  ),
  testKey: setting(
    'REGISTRY_TEST_KEY',
    'a file with the private key that signs the requests of tests, made by `agent-registry keys generate --kind request`. Without it nothing is signed',
    '',
    text,
  ),
};
