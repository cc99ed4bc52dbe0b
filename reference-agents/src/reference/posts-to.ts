import { isIP } from 'node:net';
import { type PushNotificationConfig, webhookUrlFault } from '@agent-registry/surface/agent-kit';
import { type ReferenceAgent, refuse, type TaskCall } from './handler.ts';

/**
 * Where webhooks go, asked for at a place of the request. Refuses with VALIDATION_ERROR what the way out would refuse on every attempt: what is not https
 * on port 443, carries credentials, or names an address in the place of a host. Where a name leads
 * is judged when a webhook is sent.
 *
 * `authentication` is a switch: whoever sends it gets the shared secret and no signature, as the public protocol says,
 * and in our own vocabulary a refusal, since webhooks are signed there (specification, 5). It is never ignored: the
 * receiver would refuse every webhook.
 */
export function postsTo(
  config: PushNotificationConfig,
  { facts }: Pick<ReferenceAgent, 'facts'>,
  at = '/push_notification_config',
): PushNotificationConfig {
  const fault = webhookUrlFault(config.url);
  if (fault !== undefined) refuseUrl(`invalid webhook URL: ${fault}`, at);
  if (isIP(new URL(config.url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')) !== 0)
    refuseUrl('use a host name instead of an IP address', at);
  const { url: address, token, operation_id: operation, authentication } = config;
  if (authentication !== undefined && facts.vocabulary !== 'adcp')
    refuse(
      'UNSUPPORTED_FEATURE',
      'webhooks are signed; shared secrets are not supported',
      `${at}/authentication`,
      'omit authentication, and verify the signature',
    );
  if (authentication?.schemes[0] === 'Bearer' && !/^[\w.~+/-]+=*$/.test(authentication.credentials))
    refuse(
      'VALIDATION_ERROR',
      'the token contains characters that are not allowed in a header (RFC 6750)',
      `${at}/authentication/credentials`,
    );
  return {
    url: address,
    ...(token !== undefined && { token }),
    ...(operation !== undefined && { operation_id: operation }),
    ...(authentication !== undefined && { authentication }),
  };
}

export interface KnownTarget {
  readonly config: PushNotificationConfig;
  /** What names it. */
  readonly from: 'order' | 'account' | 'registration';
}

/**
 * Where to post webhooks for an order: the address in the request, else the paying account's, else the one the caller
 * registered with this agent. Undefined if there is none. Throws as `postsTo` does.
 */
export function knownTarget(
  asked: PushNotificationConfig | undefined,
  account: { readonly webhook?: PushNotificationConfig } | undefined,
  { agent, caller }: Pick<TaskCall, 'agent' | 'caller'>,
): KnownTarget | undefined {
  if (asked !== undefined) return { config: postsTo(asked, agent), from: 'order' };
  if (account?.webhook !== undefined) return { config: postsTo(account.webhook, agent), from: 'account' };
  const { webhookUrl: url } = caller;
  return url === undefined ? undefined : { config: postsTo({ url }, agent), from: 'registration' };
}

function refuseUrl(reason: string, at: string): never {
  return refuse('VALIDATION_ERROR', reason, `${at}/url`);
}
