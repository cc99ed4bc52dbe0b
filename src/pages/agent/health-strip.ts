import { html, type SafeHtml } from '@remix-run/html-template';
import { amountText, moment, said } from '../texts.ts';
import type { HealthDays } from './view.ts';

const STEP = 10;
const HEIGHT = 40;
const MOST_INCIDENTS = 5;

/** The last days as bars: their colour and their height say how much of the day the agent answered. */
export function healthBars(history: HealthDays | undefined): SafeHtml {
  if (history === undefined || history.probes === 0)
    return html`<p>No probe of the last days counts yet.</p>`;
  const { days, uptime, latency_ms: latency, probes, incidents } = history;
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
  const words = `Answered ${shareText(uptime)} of the time from ${first} to ${last}`;
  return html`<p>${words}, in ${amountText(probes, 'probe')}${latency === null ? '' : `, half of them within ${latency.p50} ms, 95 % within ${latency.p95} ms`}.</p>
<svg class="strip" role="img" aria-label="${words}" viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none">${days.map(
    ({ date, uptime: share, probes: count }, at) => {
      const { tone, height } = barOf(share);
      return html`<rect class="${tone}" x="${at * STEP}" y="${HEIGHT - height}" width="${STEP - 2}" height="${height}"><title>${date}: ${share === null ? 'nothing known' : `${shareText(share)}, ${amountText(count, 'probe')}`}</title></rect>`;
    },
  )}</svg>
<p class="ends"><span>${first}</span><span>${last}</span></p>
${incidents.length === 0 ? html`<p>No incident.</p>` : html`<h3>Incidents</h3><ul class="places">${incidents.slice(0, MOST_INCIDENTS).map(({ from, until, message }) => html`<li>${moment(from)} to ${until === null ? 'now' : moment(until)}${message === null ? '' : html`: ${said(message, 200)}`}</li>`)}</ul>`}`;
}

function barOf(share: number | null): { readonly tone: string; readonly height: number } {
  if (share === null) return { tone: 'calm', height: 2 };
  if (share >= 0.995) return { tone: 'good', height: HEIGHT };
  return { tone: share >= 0.9 ? 'warn' : 'bad', height: Math.max(4, Math.round(share * 0.7 * HEIGHT)) };
}

function shareText(share: number | null): string {
  return share === null ? 'an unknown share' : `${(share * 100).toFixed(share === 1 ? 0 : 2)} %`;
}
