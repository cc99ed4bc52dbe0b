import { html, type SafeHtml } from '@remix-run/html-template';
import { plain } from '../texts.ts';
import type { ShownStep } from './view.ts';

/** `HTTP 500 text/html`, or the kind of failure without a response. */
export function cameInstead(none: NonNullable<ShownStep['no_answer']>): SafeHtml {
  const { http_status: status, content_type: type, error_class: error } = none;
  const kind = type === undefined ? '' : html` <code>${plain(type, 80)}</code>`;
  return status === undefined ? html`<code>${plain(error, 40)}</code>${kind}` : html`HTTP ${status}${kind}`;
}
