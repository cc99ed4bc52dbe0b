import { integer, list, oneOf, publicUrl, setting } from './setting.ts';

/** Who can join as a member: with an invitation of the operator, or also by proving a domain. */
export type JoinWay = 'invitation' | 'domain';

/** How the API is offered, and to whom. */
export const SERVE_SETTINGS = {
  baseUrl: setting(
    'REGISTRY_BASE_URL',
    'public base URL of the registry, such as https://registry.example, used in links, terminal commands and badge tokens. Without it, links are relative and commands use the host of the request',
    '',
    publicUrl,
  ),
  join: setting(
    'REGISTRY_JOIN',
    'who can join as a member: `invitation` requires an invitation of `agent-registry members invite`; `domain` also accepts anyone who proves control of a domain',
    'invitation' as JoinWay,
    oneOf<JoinWay>('invitation', 'domain'),
  ),
  rateLimit: setting(
    'REGISTRY_RATE_LIMIT',
    'requests per minute for one caller: a member with all its API keys, an IPv4 address, or an IPv6 /48',
    3_000,
    integer(1, 10_000_000),
  ),
  trustedProxies: setting(
    'REGISTRY_TRUSTED_PROXIES',
    'comma-separated addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted',
    [] as readonly string[],
    list,
  ),
};
