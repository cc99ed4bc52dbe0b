import { isIP } from 'node:net';
import { isWebPort, type PushNotificationConfig } from '@agent-registry/surface/agent-kit';
import { refuse } from './handler.ts';

/**
 * Where webhooks go. Refuses with VALIDATION_ERROR what the way out would refuse on every attempt: what is not https,
 * carries credentials, names an address in the place of a host, or a port that is none of the web. Where a name leads
 * is judged when a webhook is sent.
 */
export function postsTo(config: PushNotificationConfig): PushNotificationConfig {
  const url = URL.parse(config.url);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    refuseUrl('webhooks are posted to https addresses without credentials only');
  if (isIP(url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')) !== 0)
    refuseUrl('webhooks are posted to hosts by their names only');
  if (!isWebPort(url.port)) refuseUrl(`webhooks are not posted to port ${url.port}`);
  const { url: address, token, operation_id: operation } = config;
  return {
    url: address,
    ...(token !== undefined && { token }),
    ...(operation !== undefined && { operation_id: operation }),
  };
}

function refuseUrl(reason: string): never {
  return refuse('VALIDATION_ERROR', reason, '/push_notification_config/url');
}
