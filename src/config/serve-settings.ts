import { integer, list, oneOf, publicUrl, setting } from './setting.ts';

/** Who may become a member: whoever has an invitation of the operator, or whoever proves a domain, too. */
export type JoinWay = 'invitation' | 'domain';

/** How the API is offered, and to whom. */
export const SERVE_SETTINGS = {
  baseUrl: setting(
    'REGISTRY_BASE_URL',
    'the public address of the API, such as https://registry.example. Links, lines for a terminal and badge tokens contain it; without it links are relative, and the lines name the host that was asked',
    '',
    publicUrl,
  ),
  join: setting(
    'REGISTRY_JOIN',
    'who may become a member: `invitation` for whoever has one of `agent-registry members invite`; `domain` for whoever proves a domain, too',
    'invitation' as JoinWay,
    oneOf<JoinWay>('invitation', 'domain'),
  ),
  rateLimit: setting(
    'REGISTRY_RATE_LIMIT',
    'HTTP requests a minute for one member with all its keys, or for one address without a key',
    3_000,
    integer(1, 10_000_000),
  ),
  trustedProxies: setting(
    'REGISTRY_TRUSTED_PROXIES',
    'addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto count, comma-separated',
    [] as readonly string[],
    list,
  ),
};
