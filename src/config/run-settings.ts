import { domain, httpUrl, httpUrls, integer, setting, text, webOrigin } from './setting.ts';

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
    'file with the keys that encrypt the test credentials of owners, made by `agent-registry keys generate --kind credential`, or `command:PROGRAM ARGUMENTS` that prints them. Without it, no credential can be stored',
    '',
    text,
  ),
  runConcurrency: setting(
    'REGISTRY_RUN_CONCURRENCY',
    'maximum number of agents tested at the same time',
    16,
    integer(1, 200),
  ),
  runDeadlineMs: setting(
    'REGISTRY_RUN_DEADLINE_MS',
    'deadline of one test run of an agent, in milliseconds',
    600_000,
    integer(1_000, 1_800_000),
  ),
  complianceTarget: setting(
    'REGISTRY_COMPLIANCE_TARGET',
    'bundle for agents that declare no version with a bundle: a version, a line such as 3.0, latest, or an alias',
    '3.0',
    text,
  ),
  bundles: setting(
    'REGISTRY_BUNDLES',
    'folder of the bundles that `agent-registry bundles add` installs. All processes that test agents need the same bundles: on every machine, or in a shared folder',
    '.registry/bundles',
    text,
  ),
  controlUrls: setting(
    'REGISTRY_CONTROL_URLS',
    'comma-separated URLs of unrelated sites to request when an agent or a domain does not answer. If none of them answers either, the registry blames its own network. `none` disables this check',
    CONTROL_URLS,
    httpUrls,
  ),
  testAgent: setting(
    'REGISTRY_TEST_AGENT',
    'URL of the buyer agent that tests act as',
    'https://desk.example/agent',
    httpUrl,
  ),
  testOperator: setting(
    'REGISTRY_TEST_OPERATOR',
    'domain of the operator of the buyer agent. Without it, the host of REGISTRY_TEST_AGENT',
    '',
    domain,
  ),
  testBrand: setting(
    'REGISTRY_TEST_BRAND',
    'domain of the brand that tests buy for',
    'tidewater-kayaks.example',
    text,
  ),
  testKey: setting(
    'REGISTRY_TEST_KEY',
    'file with the private key that signs the requests of tests, made by `agent-registry keys generate --kind request`. Without it, requests are not signed',
    '',
    text,
  ),
  testWebhooks: setting(
    'REGISTRY_TEST_WEBHOOKS',
    'public origin, such as https://hooks.registry.example, at which tested agents reach the webhook receiver of the heartbeat. Your proxy forwards it to REGISTRY_TEST_WEBHOOK_PORT. Each process that runs tests needs its own origin. Without it, steps about webhooks are coverage gaps',
    '',
    webOrigin,
  ),
  testWebhookPort: setting(
    'REGISTRY_TEST_WEBHOOK_PORT',
    'port on which `agent-registry heartbeat` and `agent-registry work` receive the webhooks of tests, on the address of --host. Used only with REGISTRY_TEST_WEBHOOKS',
    9120,
    integer(1, 65_535),
  ),
};
