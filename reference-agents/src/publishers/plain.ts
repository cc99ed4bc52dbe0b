import { file, jsonFile } from '../web/file.ts';
import { redirect } from '../web/redirect.ts';
import { ADAGENTS, inlineFile, mainEntry, ownFile, type PublisherDraft, type Variant } from './plan.ts';

/** The specification's simple shape (section 4.3). */
const simple: Variant = (draft) =>
  ownFile(
    draft,
    jsonFile({
      version: '1.0',
      publisher: { name: draft.name, domain: draft.domain },
      agents: draft.sales.map((url) => ({ url, protocol: protocolOf(url), capabilities: ['get_products'] })),
    }),
    draft.sales,
  );

function protocolOf(url: string): string {
  return url.includes('/a2a') ? 'a2a' : 'mcp';
}

const legacyEntries: Variant = (draft) =>
  ownFile(
    draft,
    jsonFile({ authorized_agents: draft.sales.map((url) => ({ url, authorized_for: 'our inventory' })) }),
    draft.sales,
  );

const legacyProperties: Variant = (draft) =>
  ownFile(
    draft,
    jsonFile({
      properties: [
        {
          domain: draft.domain,
          agents: draft.sales.map((url) => ({ agent_url: url, relationship: 'direct' })),
        },
      ],
    }),
    draft.sales,
  );

/** An ordinary file, as text. */
function ordinary(draft: PublisherDraft): string {
  return JSON.stringify(
    inlineFile(
      draft,
      draft.sales.map((url) => mainEntry(url)),
    ),
  );
}

const wrongContentType: Variant = (draft) =>
  ownFile(draft, file(ordinary(draft), { contentType: 'text/plain; charset=utf-8' }), draft.sales);

const byteOrderMark: Variant = (draft) => ownFile(draft, file(`\uFEFF${ordinary(draft)}`), draft.sales);

/** The same harmless member twice. */
const duplicateKey: Variant = (draft) =>
  ownFile(
    draft,
    file(ordinary(draft).replace(/\}$/, ',"last_updated":"2026-01-06T00:00:00Z"}')),
    draft.sales,
  );

/** The apex sends its visitors to www, which is the same registrable domain. */
const redirectToWww: Variant = (draft) => {
  const { domain, sales } = draft;
  return {
    pages: [
      { host: domain, path: ADAGENTS, page: redirect(`https://www.${domain}${ADAGENTS}`) },
      { host: `www.${domain}`, path: ADAGENTS, page: file(ordinary(draft)) },
    ],
    authorises: sales,
  };
};

/** A robots.txt that forbids everything to everybody does not hide a file published for machines. */
const blanketRobots: Variant = (draft) => {
  const plan = ownFile(draft, file(ordinary(draft), { cacheControl: 'max-age=21600' }), draft.sales);
  const robots = file('User-agent: *\nDisallow: /\n', { contentType: 'text/plain' });
  return { ...plan, pages: [...plan.pages, { host: draft.domain, path: '/robots.txt', page: robots }] };
};

/** Variants without `authorization_type`, and files that are odd only in how they are served. */
export const PLAIN_VARIANTS = {
  simple,
  legacy_entries: legacyEntries,
  legacy_properties: legacyProperties,
  wrong_content_type: wrongContentType,
  byte_order_mark: byteOrderMark,
  duplicate_key: duplicateKey,
  redirect_to_www: redirectToWww,
  blanket_robots: blanketRobots,
} as const satisfies Record<string, Variant>;
