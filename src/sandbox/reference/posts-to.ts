import type { PushNotificationConfig } from '../../protocol/generated/types.ts';
import { refuse } from './handler.ts';

/** Where webhooks go. Refuses what is not https or carries credentials: VALIDATION_ERROR. */
export function postsTo(config: PushNotificationConfig): PushNotificationConfig {
  const url = URL.parse(config.url);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    refuse(
      'VALIDATION_ERROR',
      'webhooks are posted to https addresses without credentials only',
      '/push_notification_config/url',
    );
  }
  return { url: config.url, ...(config.token !== undefined && { token: config.token }) };
}
