import { html, type SafeHtml } from '@remix-run/html-template';
import type { DayHealth } from '../domain/health-history.ts';
import type { HealthDays } from './agent/view.ts';
import { amountText, moment, sentence } from './texts.ts';

const STEP = 10;
const HEIGHT = 40;
/** Of a day without an answer; a day without data is a line. */
const LEAST = HEIGHT * 0.3;
const UNKNOWN = 2;
const MOST_INCIDENTS = 5;
/** Below this number of probes, percentiles are meaningless. */
const FEW = 20;

/** The last days as bars: colour and height show the uptime of the day. */
export function healthBars(history: HealthDays | undefined): SafeHtml {
  if (history === undefined || history.probes === 0) return html`<p>No probes in the last 30 days.</p>`;
  const { days, uptime, latency_ms: latency, probes, incidents } = history;
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
  const known = days.filter((day) => day.probes > 0).length;
  const words = `Uptime ${shareText(uptime)} (${amountText(probes, 'check')} on ${known} of ${amountText(days.length, 'day')})`;
  return html`<p>${words}${latency === null ? '' : latencyText(latency, probes)}</p>
<svg class="strip" role="img" aria-label="${words}" viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none">${days.map(
    ({ date, uptime: share, probes: count }, at) => {
      const { tone, height } = barOf(share);
      return html`<rect class="${tone}" x="${at * STEP}" y="${HEIGHT - height}" width="${STEP - 2}" height="${height}"><title>${date}: ${share === null ? 'no data' : `${shareText(share)}, ${amountText(count, 'check')}`}</title></rect>`;
    },
  )}</svg>
<p class="ends"><span>${first}</span><span>${last}</span></p>
<p class="type">Full bar: 100% uptime. Line: no data.</p>
${incidents.length === 0 ? html`<p>No incidents.</p>` : html`<h3>Incidents</h3><ul class="places">${incidents.slice(0, MOST_INCIDENTS).map(({ from, until, message }) => html`<li>${moment(from)} to ${until === null ? 'now' : moment(until)}${message === null ? '' : html`: ${sentence(message, 200)}`}</li>`)}</ul>`}`;
}

/** For few probes, only the slowest. */
function latencyText({ p50, p95 }: NonNullable<HealthDays['latency_ms']>, probes: number): string {
  return probes < FEW
    ? `. Slowest response: ${p95} ms`
    : `. Response time: median ${p50} ms, 95th percentile ${p95} ms`;
}

function barOf(share: number | null): { readonly tone: string; readonly height: number } {
  if (share === null) return { tone: 'calm', height: UNKNOWN };
  if (share >= 0.995) return { tone: 'good', height: HEIGHT };
  return { tone: share >= 0.9 ? 'warn' : 'bad', height: Math.max(LEAST, Math.round(share * 0.7 * HEIGHT)) };
}

function shareText(share: number | null): string {
  return share === null ? 'unknown' : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 2)}%`;
}

const LOOKS: Readonly<Record<DayHealth, { readonly tone: string; readonly height: number }>> = {
  always: { tone: 'good', height: HEIGHT },
  sometimes: { tone: 'warn', height: HEIGHT * 0.6 },
  never: { tone: 'bad', height: LEAST },
  unknown: { tone: 'calm', height: UNKNOWN },
};

/** The same for a list: a bar for each day, and the number of days of each kind in words. */
export function dayStrip(days: readonly DayHealth[]): SafeHtml {
  const bars: SafeHtml[] = [];
  for (let at = 0; at < days.length; ) {
    const day = days[at] ?? 'unknown';
    let end = at + 1;
    while (days[end] === day) end += 1;
    const { tone, height } = LOOKS[day];
    // equal days share one path: a page has twenty strips
    const path = Array.from(
      { length: end - at },
      (_, n) => `M${(at + n) * STEP} ${HEIGHT}v-${height}h${STEP - 2}V${HEIGHT}`,
    );
    bars.push(html`<path class="${tone}" d="${path.join('')}"></path>`);
    at = end;
  }
  return html`<svg class="strip small" aria-hidden="true" viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none">${bars}</svg>
<p class="type">${dayWords(days)}</p>`;
}

/** Days without data are in the picture, and in words for screen readers. */
function dayWords(days: readonly DayHealth[]): SafeHtml | string {
  const known = days.filter((day) => day !== 'unknown').length;
  if (known === 0) return `Not probed in the last ${days.length} days`;
  const count = (wanted: DayHealth) => days.filter((day) => day === wanted).length;
  const [some, none] = [count('sometimes'), count('never')];
  const gaps = [some > 0 ? `partly on ${some}` : '', none > 0 ? `offline on ${none}` : ''].filter(
    (one) => one !== '',
  );
  const always =
    known === count('always')
      ? `Online on ${amountText(known, 'day')}`
      : `Online on ${known - none} of ${amountText(known, 'day')}`;
  const unknown = days.length - known;
  return html`${[always, ...gaps].join(', ')}${unknown === 0 ? '' : html`<span class="unseen">, no data for ${unknown}</span>`}`;
}
