import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { agentPath, pill, said } from '../texts.ts';
import { names, scrolling } from './file-parts.ts';

/** The claims of a simple file, as the look-up of its publisher has them. */
export interface ShownClaims {
  readonly publisher?: { readonly name?: string; readonly domain?: string; readonly agrees: boolean | null };
  readonly agents: readonly {
    readonly agent_url: string;
    readonly protocol?: string;
    readonly capabilities: readonly string[];
    readonly seen_protocol: string | null;
    readonly protocol_agrees: boolean | null;
    readonly capabilities_missing: readonly string[] | null;
  }[];
  readonly truncated?: true;
}

/** What a simple file claims of its publisher and its agents, each beside what was found. */
export function claimsTable(site: PageSite, { publisher, agents, truncated }: ShownClaims): SafeHtml {
  const rows = agents.map((claim) => {
    const { agent_url: agent, protocol, capabilities } = claim;
    return [
      html`<a href="${agentPath(site, agent)}">${said(agent, 100)}</a>`,
      protocol === undefined ? '–' : html`<code>${said(protocol, 60)}</code>${protocolFound(claim)}`,
      capabilities.length === 0 ? '–' : html`${names(capabilities, 12)}${capabilitiesFound(claim)}`,
    ];
  });
  return html`<p>This file uses the simple form. Its claims about the publisher and the agents are unverified; each claim is compared with the latest probe of the agent.</p>
${publisher === undefined ? '' : html`<p>Publisher: ${[publisher.name, publisher.domain].filter((text) => text !== undefined).map((text, at) => html`${at === 0 ? '' : ', '}${said(text, 200)}`)}${publisher.agrees === false ? html` ${pill('bad', 'another domain publishes this file')}` : ''}</p>`}
${rows.length === 0 ? '' : scrolling('Claims about agents', ['Agent', 'Protocol', 'Capabilities'], rows)}
${truncated ? html`<p class="type">Further agents are not shown.</p>` : ''}`;
}

type Claim = ShownClaims['agents'][number];

function protocolFound({ protocol_agrees: agrees, seen_protocol: seen }: Claim): SafeHtml {
  if (agrees === null) return html` ${pill('calm', 'not compared')}`;
  return agrees ? html` ${pill('good', 'confirmed')}` : html` ${pill('warn', `the agent uses ${seen}`)}`;
}

function capabilitiesFound({ capabilities_missing: missing }: Claim): SafeHtml {
  if (missing === null) return html` ${pill('calm', 'not compared')}`;
  if (missing.length === 0) return html` ${pill('good', 'confirmed')}`;
  return html`<p class="type">${pill('warn', 'not offered')} ${names(missing, 12)}</p>`;
}
