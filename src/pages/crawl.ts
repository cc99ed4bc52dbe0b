import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from './layout.ts';
import { moment, pill, plain, said, sentence } from './texts.ts';

/** What a crawl request is for; `agent` beside `domain` is the agent whose page the visitor came from. */
export interface CrawlTarget {
  readonly domain?: string;
  readonly agent?: string;
  /** The kind of page that the visitor came from. */
  readonly page?: string;
}

/** A form that requests a crawl of this domain, or a probe of this agent. */
export function crawlForm(site: PageSite, target: CrawlTarget, label: string): SafeHtml {
  const fields = (['domain', 'agent', 'page'] as const).filter((name) => target[name] !== undefined);
  return html`<form class="crawl" method="post" action="${site.root}/crawl">${fields.map((name) => html`<input type="hidden" name="${name}" value="${plain(target[name] ?? '', 2_000)}">`)}<button>${label}</button></form>`;
}

/** *Check again*, or from when it is possible. `from` is RFC 3339; absent: now. */
export function checkAgain(site: PageSite, target: CrawlTarget, from: string | undefined): SafeHtml {
  if (from !== undefined)
    return html`<p>Checked less than 10 minutes ago. You can check again from ${moment(from)}.</p>`;
  return html`${crawlForm(site, target, 'Check again')}<p class="type">Queued at once. The result is usually here within a minute.</p>`;
}

/** A crawl request, as far as its page shows it; times are RFC 3339. */
export interface CrawlView {
  readonly id: string;
  /** The domain or the agent that is visited. */
  readonly name: string;
  readonly status: string;
  readonly askedAt: string;
  /** Seconds for which the oldest visit in the queue has been due. */
  readonly behindSeconds: number;
  readonly visits: readonly {
    readonly what: string;
    readonly outcome: string | null;
    readonly why?: string;
  }[];
  /** The address of this page with its parameters, and of the record. */
  readonly path: string;
  readonly recordPath: string;
}

const WHAT: Readonly<Record<string, string>> = {
  adagents: 'adagents.json',
  brand: 'brand.json',
  ard: 'ard.json',
  agent: 'Agent',
};
const OUTCOMES: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string]>> = {
  indexed: ['good', 'Read'],
  unchanged: ['good', 'Unchanged'],
  invalid: ['bad', 'Invalid'],
  absent: ['calm', 'Not found'],
  unreachable: ['bad', 'No answer'],
  refused: ['bad', 'Access refused'],
  throttled: ['warn', 'Asked us to wait'],
  failed: ['bad', 'Failed'],
};
/** A queue that is behind by more than this is reported with the delay. */
const USUAL_SECONDS = 60;

/** `/crawl/{id}`: a crawl request that is queued, running or done. */
export function crawlPage(site: PageSite, view: CrawlView): HtmlPage {
  const { name, status, recordPath } = view;
  const isOver = !['queued', 'running'].includes(status);
  const title = isOver ? 'Crawl done' : status === 'running' ? 'Crawling' : 'Crawl queued';
  return {
    title,
    description: 'The progress of a crawl request.',
    trail: [{ text: 'Agents', path: '/' }, { text: title }],
    content: html`<h1>${title}</h1>
<p class="place"><code dir="ltr">${said(name, 200)}</code></p>
${isOver ? html`<p role="status">${outcomes(view)}</p><p><a class="button" href="${site.root}${recordPath}">Open the record</a></p><p class="type">This page continues to the record in a few seconds.</p>` : waiting(site, view)}`,
  };
}

function waiting(site: PageSite, { status, askedAt, behindSeconds, path }: CrawlView): SafeHtml {
  const behind = Math.round(behindSeconds / 60);
  const when =
    status === 'running'
      ? html`The crawler is reading it now. This usually takes less than 30 seconds.`
      : behindSeconds <= USUAL_SECONDS
        ? html`Queued at ${moment(askedAt)}. The result is usually here within a minute.`
        : html`Queued at ${moment(askedAt)}. The queue is ${behind === 1 ? '1 minute' : `${behind} minutes`} behind, so this can take as long. You can close this page: the request stays in the queue.`;
  return html`<p class="notice" role="status">${when}</p>
<p>This page refreshes itself. <a href="${site.root}${path}">Refresh now</a></p>`;
}

function outcomes({ visits }: CrawlView): SafeHtml {
  return html`${visits.map(({ what, outcome, why }) => {
    const [tone, text] = OUTCOMES[outcome ?? ''] ?? (['calm', 'Not checked'] as const);
    const reason = why === undefined || outcome === 'absent' ? '' : html` ${sentence(why, 200)}`;
    return html`${WHAT[what] ?? said(what, 20)}: ${pill(tone, text)}${reason}<br>`;
  })}`;
}

/** Why no crawl was requested. */
export interface RefusedCrawl {
  /** The domain or the agent. */
  readonly name: string;
  /** One sentence, lower case. */
  readonly detail: string;
  /** When the request can be repeated, RFC 3339; absent: repeating it does not help. */
  readonly from?: string;
  /** The page that the visitor came from; absent: unknown. */
  readonly recordPath?: string;
}

export function crawlRefusedPage(site: PageSite, { name, detail, from, recordPath }: RefusedCrawl): HtmlPage {
  const title = 'Crawl not queued';
  return {
    title,
    description: 'The crawl request was refused.',
    trail: [{ text: 'Agents', path: '/' }, { text: title }],
    content: html`<h1>${title}</h1>
${name === '' ? '' : html`<p class="place"><code dir="ltr">${said(name, 200)}</code></p>`}
<p class="notice" role="alert">${sentence(detail, 400)}</p>
${from === undefined ? '' : html`<p>You can request it again from ${moment(from)}.</p>`}
<p>${recordPath === undefined ? html`<a href="${site.root}/">All agents</a>` : html`<a href="${site.root}${recordPath}">Back to the record</a>`}</p>`,
  };
}
