import { html, type SafeHtml } from '@remix-run/html-template';
import type { PageSite } from '../layout.ts';
import { agentPath, pill, said } from '../texts.ts';
import { names, scrolling } from './file-parts.ts';

/** The claims of a file in the simple form. */
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

/** Each claim of a file in the simple form, compared with the latest probe. */
export function claimsTable(site: PageSite, { publisher, agents, truncated }: ShownClaims): SafeHtml {
  const rows = agents.map((claim) => {
    const { agent_url: agent, protocol, capabilities } = claim;
    return [
      html`<a href="${agentPath(site, agent)}">${said(agent, 100)}</a>`,
      protocol === undefined ? '–' : html`<code>${said(protocol, 60)}</code>${protocolFound(claim)}`,
      capabilities.length === 0 ? '–' : html`${names(capabilities, 12)}${capabilitiesFound(claim)}`,
    ];
  });
  return html`<p>This file uses the simple form. Its claims about the publisher and the agents are not verified; the table compares each with the latest probe of the agent.</p>
${publisher === undefined ? '' : html`<p>Publisher: ${[publisher.name, publisher.domain].filter((text) => text !== undefined).map((text, at) => html`${at === 0 ? '' : ', '}${said(text, 200)}`)}${publisher.agrees === false ? html` ${pill('bad', 'Another domain publishes this file')}` : ''}</p>`}
${rows.length === 0 ? '' : scrolling('Claims about agents', ['Agent', 'Protocol', 'Capabilities'], rows)}
${truncated ? html`<p class="type">The file lists more agents.</p>` : ''}`;
}

type Claim = ShownClaims['agents'][number];

function protocolFound({ protocol_agrees: agrees, seen_protocol: seen }: Claim): SafeHtml {
  if (agrees === null) return html` ${pill('calm', 'Not compared')}`;
  return agrees ? html` ${pill('good', 'Confirmed')}` : html` ${pill('warn', `The agent uses ${seen}`)}`;
}

function capabilitiesFound({ capabilities_missing: missing }: Claim): SafeHtml {
  if (missing === null) return html` ${pill('calm', 'Not compared')}`;
  if (missing.length === 0) return html` ${pill('good', 'Confirmed')}`;
  return html`<p class="type">${pill('warn', 'Not offered')} ${names(missing, 12)}</p>`;
}
