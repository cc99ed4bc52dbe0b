import { measure } from './bounds.ts';
import { problemOf } from './issues.ts';
import { supportedVersions, validatorOfShape } from './validators.ts';

/**
 * What a webhook breaks of its schema of the newest version (core/media_buy_webhook.json for a media buy, else
 * core/webhook.json), one sentence with its place; undefined when nothing.
 */
export function webhookFault(payload: unknown): string | undefined {
  const tooLarge = measure(payload).problem;
  if (tooLarge !== undefined) return tooLarge.message;
  const validate = validatorOfShape(supportedVersions().at(-1) ?? '', shapeOf(payload));
  if (validate(payload)) return undefined;
  const { message } = problemOf(validate.errors ?? []);
  validate.errors = null; // they hold on to the payload
  return message;
}

function shapeOf(payload: unknown): string {
  const event =
    typeof payload === 'object' && payload !== null && 'event' in payload ? payload.event : undefined;
  return typeof event === 'string' && !event.startsWith('media_buy.') ? 'webhook' : 'media_buy_webhook';
}
