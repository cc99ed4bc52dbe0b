import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite } from '../layout.ts';
import { ABOUT_DOCUMENTS } from './about-documents.ts';
import { type GuideFile, type GuideFiles, linkedPlace } from './guide-files.ts';
import { markdownPage } from './markdown.ts';

/** The parts of the documentation, and the folders of each. */
const GROUPS: readonly (readonly [name: string, folder: RegExp, about: string])[] = [
  ['Guides', /^guides\//, 'Start here: one guide for each task.'],
  ['Reference', /^(?:reference\/|[^/]+$)/, 'Rules, formats, codes and commands.'],
  ['Operating', /^operating\/[^/]+$/, 'For operators of a registry.'],
  ['Runbooks', /^operating\/runbooks\//, 'Symptom, check and fix for each problem.'],
];
/** A page with at least this many sections starts with a list of them. */
const MANY_PARTS = 4;
const MOST_PARTS = 40;

/** `/docs`: all documents with their purpose. */
export function docsFrontPage(site: PageSite, guides: readonly GuideFile[]): HtmlPage {
  return {
    title: 'Documentation',
    description: 'Guides, the reference and the API of this registry.',
    trail: [{ text: 'Documentation', path: '/docs' }],
    content: html`<h1>Documentation</h1>
<p class="lead">Find agents, publish a file, build an agent, own an agent, or run a registry.</p>
<ul class="groups">${GROUPS.map(([name]) => html`<li><a href="#${name.toLowerCase()}">${name}</a></li>`)}<li><a href="${site.root}/docs/api">API reference</a></li></ul>
${groupsOf(guides).map(
  ({ name, about, files }) => html`<section aria-labelledby="${name.toLowerCase()}">
<h2 id="${name.toLowerCase()}">${name}</h2>
<p>${about}</p>
<ul class="operations">${files.map(
    ({ file, path, text }) =>
      html`<li><a href="${site.root}${path}">${titleOf(text)}</a> <span class="route">${ABOUT_DOCUMENTS[file] ?? ''}</span></li>\n`,
  )}</ul></section>`,
)}
<section aria-labelledby="api"><h2 id="api"><a href="${site.root}/docs/api">API reference</a></h2>
<p>Every operation, with a form to try it.</p></section>`,
  };
}

/** `/docs/guides/…` and the others: one document with links to the other documents. */
export function guidePage(site: PageSite, files: GuideFiles, guide: GuideFile): HtmlPage {
  const { guides } = files;
  const { title, heading, parts, content } = markdownPage(guide.text, {
    link(target) {
      const place = linkedPlace(guide.file, target, files);
      return place === undefined || place.startsWith('#') ? place : `${site.root}${place}`;
    },
    picture(target) {
      const place = linkedPlace(guide.file, target, files);
      return place === undefined ? undefined : `${site.root}${place}`;
    },
  });
  const groups = groupsOf(guides);
  const own = groups.find(({ files }) => files.includes(guide));
  return {
    title,
    description: ABOUT_DOCUMENTS[guide.file] ?? title,
    trail: [
      { text: 'Documentation', path: '/docs' },
      { text: own?.name ?? '', path: `/docs#${own?.name.toLowerCase() ?? ''}` },
      { text: title },
    ],
    asideLabel: 'Documents',
    aside: html`${groups
      .filter(({ name }) => name !== 'Runbooks' || own?.name === name)
      .map(
        ({ name, files }) =>
          html`<h2>${name}</h2><ul class="operations">${files.map((one) => entry(site, one, guide))}</ul>`,
      )}<h2><a href="${site.root}/docs/api">API reference</a></h2>`,
    content: html`<article class="guide">${heading}${onThisPage(parts)}${content}</article>`,
  };
}

function onThisPage(parts: readonly { readonly id: string; readonly text: string }[]): SafeHtml | string {
  if (parts.length < MANY_PARTS || parts.length > MOST_PARTS) return '';
  return html`<nav class="parts" aria-label="On this page"><h2>On this page</h2><ul>${parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;
}

function entry({ root }: PageSite, { path, text }: GuideFile, current: GuideFile): SafeHtml {
  return html`<li><a href="${root}${path}"${path === current.path ? html` aria-current="page"` : ''}>${titleOf(text)}</a></li>`;
}

function groupsOf(guides: readonly GuideFile[]) {
  return GROUPS.map(([name, folder, about]) => ({
    ...{ name, about },
    files: guides.filter(({ file }) => folder.test(file)),
  }));
}

/** The first heading, without code marks. */
function titleOf(text: string): string {
  return (/^# +(.*)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');
}
