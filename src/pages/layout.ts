import { html, type SafeHtml } from '@remix-run/html-template';

/** Paths of the site, as a browser requests them. */
export interface PageSite {
  /** Prefix of every path: the path of the public address; '' for none. */
  readonly root: string;
  /** Of the program. */
  readonly version: string;
  /** The path of an asset, with a hash of its content in the name. */
  asset(name: string): string;
}

/** With the origin that the caller used, for pages that show absolute URLs: their content depends on the origin. */
export interface PlacedSite extends PageSite {
  /** Scheme, host and port, such as `https://registry.example`. */
  readonly origin: string;
}

export interface HtmlPage {
  readonly title: string;
  /** One sentence, for search engines and links. */
  readonly description: string;
  /** Breadcrumbs: the last one is this page, and has a path if a section of the site begins here. */
  readonly trail: readonly { readonly text: string; readonly path?: string }[];
  readonly content: SafeHtml;
  /** A list of related pages beside the content. */
  readonly aside?: SafeHtml;
  /** Label of that list. */
  readonly asideLabel?: string;
  /** The name of its script. */
  readonly script?: string;
  /** Path of the Atom feed of this page. */
  readonly atom?: string;
  /** Seconds after which a browser without script reloads the page. */
  readonly refresh?: number;
  /** For a member who is signed in. */
  readonly isOwners?: true;
}

/** The sections of the site; `covers` is the path of another list of the same section. */
const PARTS: readonly { readonly text: string; readonly path: string; readonly covers?: string }[] = [
  { text: 'Agents', path: '/' },
  { text: 'Publishers', path: '/publishers', covers: '/brands' },
  { text: 'Validate', path: '/validate' },
  { text: 'Lab', path: '/lab' },
  { text: 'Storyboards', path: '/storyboards' },
  { text: 'Changes', path: '/changes' },
  { text: 'Status', path: '/status' },
  { text: 'Docs', path: '/docs' },
];

/** The Atom feed of the directory; with a parameter, of one agent or publisher. */
export const ATOM = '/api/registry/feed.atom';

/** A whole page. Interpolations are escaped; attributes are always quoted, and no interpolation begins a URL of a stranger's. */
export function pageHtml(
  site: PageSite,
  {
    title,
    description,
    trail,
    content,
    aside,
    asideLabel = 'In this group',
    script,
    atom,
    refresh,
    isOwners,
  }: HtmlPage,
): string {
  const { root, version } = site;
  const here = isOwners === true ? undefined : partOf(trail);
  const made = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Agent Registry</title>
<meta name="description" content="${description}">
<link rel="stylesheet" href="${site.asset('site.css')}">
<link rel="icon" href="${site.asset('icon.svg')}" type="image/svg+xml">
<link rel="ard" href="${root}/.well-known/ard.json">
${atom === undefined ? '' : html`<link rel="alternate" type="application/atom+xml" title="Changes" href="${root}${atom}">`}
${script === undefined ? '' : html`<script type="module" src="${site.asset(script)}"></script>`}
${refresh === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<div class="bar">
<a class="name" href="${root}/"><span class="mark" aria-hidden="true"></span>Agent Registry</a>
<nav aria-label="Site">${PARTS.map((part) => html`<a href="${root}${part.path}"${part === here ? html` aria-current="true"` : ''}>${part.text}</a> `)}</nav>
<a class="mine" href="${root}/my"${isOwners === true ? html` aria-current="true"` : ''}>Your agents</a>
</div>
</header>
<div class="${aside === undefined ? 'frame' : 'frame with-aside'}">
${aside === undefined ? '' : html`<nav class="aside" aria-label="${asideLabel}">${aside}</nav>`}
<main id="content">
${trail.length < 2 ? '' : html`<nav class="trail" aria-label="Breadcrumb"><ol>${trail.map(step)}</ol></nav>`}
${content}
</main>
</div>
<footer class="bottom"><div class="bar"><form class="lookup" action="${root}/look-up" method="get"><label for="lookup">Look up a name, domain or URL</label> <input id="lookup" name="q" maxlength="1000" required autocomplete="off" placeholder="news.example"> <button>Look up</button></form> <span>agent-registry ${version}</span></div></footer>
</body>
</html>
`;
  return String(made);

  function step({ text, path }: HtmlPage['trail'][number], at: number): SafeHtml {
    return path === undefined || at === trail.length - 1
      ? html`<li aria-current="page">${text}</li>`
      : html`<li><a href="${root}${path}">${text}</a></li>`;
  }
}

/** The section of a page: the last of its breadcrumbs that is one. */
function partOf(trail: HtmlPage['trail']): (typeof PARTS)[number] | undefined {
  return trail
    .map(({ path }) => PARTS.find((part) => path !== undefined && [part.path, part.covers].includes(path)))
    .findLast((part) => part !== undefined);
}

/** Text with everything between backticks as code. */
export function prose(text: string): SafeHtml {
  const parts = text.split('`');
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** The same, ending with a full stop. */
export function sentenceOf(text: string): SafeHtml {
  return prose(/[.!?]$/.test(text) || text === '' ? text : `${text}.`);
}
