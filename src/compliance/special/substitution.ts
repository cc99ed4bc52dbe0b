import { Parser } from 'htmlparser2';
import { elements, isObject, type JsonObject, member, stepsOf } from '../../base/json.ts';
import type { CheckResult, Skip } from '../step-result.ts';
import type { Step } from '../storyboard.ts';

/** What is looked at of a preview, characters; and URLs of it. */
const MAX_HTML = 1_048_576;
const MAX_URLS = 2_000;

/** Where a preview may name a tracker (the field's contract substitution_observer_runner); anything else is no URL of one. */
const ATTRIBUTES: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['img', ['src', 'srcset']],
  ['iframe', ['src']],
  ['source', ['src', 'srcset']],
  ['link', ['href']],
  ['meta', ['content']],
]);
const ON_ANY = ['data-impression-url', 'data-click-url', 'data-tracker-url', 'data-vast-url'];

/** What a macro has to have become. */
interface Binding {
  readonly macro: string;
  readonly item: string;
  readonly wanted: string;
}

/**
 * Holds the preview of a creative against the template of its trackers: where a macro stood, the value of the catalogue's
 * item stands percent-encoded, with only unreserved characters (RFC 3986, section 2.3) left as they are.
 *
 * @param preview the answer of the step before
 * @param requests what the storyboard has sent so far: the items stand in them
 */
export function judgeSubstitution(
  { more }: Step,
  preview: JsonObject | undefined,
  requests: readonly JsonObject[],
): readonly CheckResult[] | Skip {
  if (more.source === 'url_fetch')
    return gap('no preview on the origin of the agent; other origins are not contacted');
  const path = String(more.source_path ?? '/preview_html');
  const html = stepsOf(path).reduce<unknown>(inside, preview);
  if (typeof html !== 'string' || html === '') {
    if (preview === undefined) return gap('no earlier step returned a preview');
    const told = 'no preview to check';
    return [{ check: 'preview', result: 'fail', pointer: path, message: told, expected: 'html' }];
  }
  const template = URL.parse(
    String(more.macro_template).replaceAll(/[{}]/g, (mark) => encodeURIComponent(mark)),
  );
  const named = elements(more.catalog_bindings);
  const bindings = named.flatMap((one) => bindingOf(one, requests));
  // what one of them stands for is not known, so nobody can say that it was encoded
  if (template === null || bindings.length === 0 || bindings.length < named.length)
    return gap('the step has no template, or uses an item that no step has synced');
  const seen = urlsIn(html.slice(0, MAX_HTML)).flatMap((url) => valuesAt(url, template));
  const wanted = bindings.map((one) => plain(one.wanted));
  const strange = seen.filter((value) => !wanted.includes(plain(value)));
  const missing = bindings.filter((one) => !seen.some((value) => plain(value) === plain(one.wanted)));
  const every = more.require_every_binding_observed !== false;
  return [
    { check: 'preview', result: 'pass', message: `${seen.length} values found in the URLs of the preview` },
    strange.length === 0
      ? { check: 'substitution_encoded', result: 'pass', message: 'all values percent-encoded' }
      : {
          check: 'substitution_encoded',
          result: 'fail',
          pointer: path,
          message: 'a catalogue value in a URL is not percent-encoded',
          expected: bindings.map((one) => one.wanted),
          actual: strange.slice(0, 5),
        },
    missing.length === 0 || !every
      ? { check: 'substitution_observed', result: 'pass', message: 'the catalogue items were found' }
      : {
          check: 'substitution_observed',
          result: 'fail',
          pointer: path,
          message: 'catalogue items are missing from all URLs',
          expected: missing.map(({ item }) => item),
          actual: seen.slice(0, 5),
        },
  ];
}

function inside(at: unknown, step: string): unknown {
  return Array.isArray(at) ? at[Number(step)] : member(at, step);
}

/** The value of the item that was synced, under the name of the macro. */
function bindingOf(binding: unknown, requests: readonly JsonObject[]): readonly Binding[] {
  const macro = String(member(binding, 'macro'));
  const id = String(member(binding, 'catalog_item_id'));
  const items = requests.flatMap(({ catalogs }) =>
    elements(catalogs).flatMap((one) => elements(member(one, 'items'))),
  );
  const item = items.find((one) => isObject(one) && one.item_id === id);
  const raw = member(binding, 'raw_value') ?? member(item, macro.replaceAll(/[{}]/g, '').toLowerCase());
  const wanted = member(binding, 'expected_encoded');
  if (typeof wanted === 'string') return [{ macro, item: id, wanted }];
  return typeof raw === 'string' ? [{ macro, item: id, wanted: encoded(raw) }] : [];
}

/** Normal form C first, so that two writings of one text are one. */
function encoded(raw: string): string {
  return encodeURIComponent(raw.normalize('NFC').toWellFormed()).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The two digits after a percent sign are the same in both cases; nothing else is. */
function plain(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase());
}

/** What stands in a URL where the template of the same place has a macro. */
function valuesAt(text: string, template: URL): readonly string[] {
  const url = URL.parse(text, 'https://observer.test/');
  if (url === null || url.host !== template.host) return [];
  const isMacro = (part: string) => /^%7B[^%]+%7D$/i.test(part);
  const path = template.pathname.split('/');
  const found = rawPath(text).split('/');
  if (!path.every((part, at) => isMacro(part) || part === found[at])) return [];
  const inPath = path.flatMap((part, at) => (isMacro(part) ? [found[at] ?? ''] : []));
  const pairs = pairsOf(rawQuery(text));
  const inQuery = pairsOf(template.search.slice(1)).flatMap(({ key, value }) =>
    isMacro(value) ? pairs.filter((one) => one.key === key).map((one) => one.value) : [],
  );
  return [...inPath, ...inQuery];
}

// as it was written: a parser of URLs would encode what the agent did not
function rawPath(text: string): string {
  return text.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

function rawQuery(text: string): string {
  return /\?([^#]*)/s.exec(text)?.[1] ?? '';
}

function pairsOf(query: string): readonly { readonly key: string; readonly value: string }[] {
  return query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? { key: pair, value: '' } : { key: pair.slice(0, at), value: pair.slice(at + 1) };
  });
}

/** Of the attributes that may have them; comments and scripts have none. */
function urlsIn(html: string): readonly string[] {
  const urls: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      for (const attribute of [...(ATTRIBUTES.get(name) ?? []), ...ON_ANY]) {
        const value = attributes[attribute];
        if (value === undefined || urls.length >= MAX_URLS) continue;
        if (attribute === 'srcset')
          urls.push(...value.split(',').map((one) => one.trim().split(/\s/)[0] ?? ''));
        else urls.push(value.replace(/^\s*\d+\s*;\s*url=/i, '').trim());
      }
    },
  });
  parser.end(html);
  return urls.slice(0, MAX_URLS);
}

function gap(detail: string): Skip {
  return { reason: 'requirement_unmet', detail, coverage_gap: true };
}
