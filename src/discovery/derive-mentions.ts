import { defined } from '../base/present.ts';
import type { AuthorisationEntry, BrandAgent, Declaration } from '../domain/declaration.ts';
import type { Mention } from '../domain/declared-facts.ts';

/** Every agent that a file names, once for each entry. What a brand says of an agent goes with it as a claim. */
export function deriveMentions(declaration: Declaration, declarer: string): readonly Mention[] {
  if (declaration.kind === 'adagents')
    return declaration.entries.map((entry) => mentionOfEntry(entry, declarer));
  const { contact } = declaration;
  return declaration.agents.map((agent) => ({ ...mentionOfAgent(agent, declarer), ...defined({ contact }) }));
}

function mentionOfEntry(entry: AuthorisationEntry, declarer: string): Mention {
  const { agent, url: declaredUrl, pointer, claimedProtocol, claimedCapabilities } = entry;
  const claims = defined({ claimedProtocol, claimedCapabilities });
  return { agent, declaredUrl, declarer, file: 'adagents', entry: pointer, ...claims };
}

function mentionOfAgent(named: BrandAgent, declarer: string): Mention {
  const { agent, url: declaredUrl, pointer, name, description, jwksUri } = named;
  const type = named.type === 'unknown' ? undefined : named.type;
  const said = defined({ type, name, description, jwksUri });
  return { agent, declaredUrl, declarer, file: 'brand', entry: pointer, ...said };
}
