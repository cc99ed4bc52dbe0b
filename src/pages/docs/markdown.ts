import { html, type SafeHtml } from '@remix-run/html-template';
import { lexer, type Token, type Tokens } from 'marked';

/** Where the links and pictures of one text lead. */
export interface MarkdownPlaces {
  /** The address on this site; undefined for what is no page of it, which stays text. */
  link(target: string): string | undefined;
  picture(target: string): string | undefined;
}

/** A Markdown text as a page shows it. */
export interface MarkdownPage {
  /** Its first heading, as text. */
  readonly title: string;
  /** The same as a heading. */
  readonly heading: SafeHtml;
  /** The second headings, for a list of what is on the page. */
  readonly parts: readonly { readonly id: string; readonly text: string }[];
  /** What stands below it. */
  readonly content: SafeHtml;
}

/**
 * A text of the repository as a page: CommonMark with tables. The library reads it, and our templates write it, so that every
 * text is escaped. HTML is never taken over: a comment is left out, and anything else is shown as it is written.
 */
export function markdownPage(text: string, places: MarkdownPlaces): MarkdownPage {
  const tokens = lexer(text);
  const idOf = createHeadingIds();
  const ids = new Map(headingsOf(tokens).map((one) => [one, idOf(plainText(one.tokens))]));
  const first = tokens.findIndex((one) => ids.has(one as Tokens.Heading));
  const headings = [...ids].map(([{ depth, tokens: words }, id]) => ({ id, depth, text: plainText(words) }));
  let boxes = 0;
  return {
    title: headings[0]?.text ?? '',
    parts: headings.filter(({ depth }) => depth === 2),
    heading: html`${tokens.slice(first, first + 1).map(block)}`,
    content: html`${tokens.slice(first + 1).map(block)}`,
  };

  function block(token: Token): SafeHtml | string {
    const { type } = token;
    if (type === 'heading') return heading(token as Tokens.Heading);
    if (type === 'paragraph') return html`<p>${inlines(token.tokens)}</p>\n`;
    if (type === 'text') return token.tokens === undefined ? token.raw : inlines(token.tokens);
    if (type === 'list') return list(token as Tokens.List);
    if (type === 'table') return table(token as Tokens.Table);
    if (type === 'blockquote') return html`<blockquote>${(token.tokens ?? []).map(block)}</blockquote>`;
    if (type === 'code')
      return html`<pre tabindex="0" role="region" aria-label="${boxName('Example')}"><code>${(token as Tokens.Code).text}</code></pre>\n`;
    if (type === 'html') return token.raw.startsWith('<!--') ? '' : token.raw;
    return type === 'hr' ? html`<hr>` : '';
  }

  function heading(token: Tokens.Heading): SafeHtml {
    const words = inlines(token.tokens);
    const id = ids.get(token) ?? '';
    if (token.depth === 1) return html`<h1 id="${id}">${words}</h1>\n`;
    return token.depth === 2 ? html`<h2 id="${id}">${words}</h2>\n` : html`<h3 id="${id}">${words}</h3>\n`;
  }

  function list({ ordered, start, items }: Tokens.List): SafeHtml {
    const inside = items.map(({ tokens: parts }) => html`<li>${parts.map(block)}</li>\n`);
    return ordered
      ? html`<ol start="${start === '' ? 1 : start}">${inside}</ol>\n`
      : html`<ul>${inside}</ul>\n`;
  }

  function table({ header, rows }: Tokens.Table): SafeHtml {
    const labels = header.map(({ tokens: words }) => plainText(words));
    return html`<div class="scrolls" tabindex="0" role="region" aria-label="${boxName('Table')}"><table class="stacks"><thead><tr>${header.map(
      ({ tokens: words }) => html`<th scope="col">${inlines(words)}</th>`,
    )}</tr></thead><tbody>${rows.map(
      (cells) =>
        html`<tr>${cells.map(({ tokens: words }, at) => html`<td data-label="${labels[at] ?? ''}">${inlines(words)}</td>`)}</tr>\n`,
    )}</tbody></table></div>\n`;
  }

  function inlines(parts: readonly Token[] = []): SafeHtml {
    return html`${parts.map(inline)}`;
  }

  function inline(token: Token): SafeHtml | string {
    const { type } = token;
    if (type === 'codespan') return html`<code>${(token as Tokens.Codespan).text}</code>`;
    if (type === 'strong') return html`<strong>${inlines(token.tokens)}</strong>`;
    if (type === 'em') return html`<em>${inlines(token.tokens)}</em>`;
    if (type === 'br') return html`<br>`;
    if (type === 'link') {
      const to = places.link((token as Tokens.Link).href);
      return to === undefined ? inlines(token.tokens) : html`<a href="${to}">${inlines(token.tokens)}</a>`;
    }
    if (type === 'image') {
      const { href, text: says } = token as Tokens.Image;
      const from = places.picture(href);
      return from === undefined
        ? says
        : html`<img class="picture" src="${from}" alt="${says}" loading="lazy">`;
    }
    return type === 'text' || type === 'escape' ? (token as Tokens.Text).text : token.raw;
  }

  /** A box that scrolls has a name of its own on the page. */
  function boxName(what: string): string {
    boxes += 1;
    return `${what} ${boxes}`;
  }
}

/** The ids of the headings of one text, in their order: those that code forges give, so that one link works in both. */
export function createHeadingIds(): (title: string) => string {
  const given = new Set<string>();
  return (title) => {
    const base = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let id = base;
    for (let count = 1; given.has(id); count += 1) id = `${base}-${count}`;
    given.add(id);
    return id;
  };
}

function headingsOf(tokens: readonly Token[]): readonly Tokens.Heading[] {
  return tokens.filter((one): one is Tokens.Heading => one.type === 'heading');
}

/** The words alone. */
function plainText(tokens: readonly Tokens.Generic[] = []): string {
  return tokens
    .map(({ tokens: parts, text }) => (parts === undefined ? (text ?? '') : plainText(parts)))
    .join('');
}
