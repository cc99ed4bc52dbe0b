import type { Tick } from './doctor.ts';

export interface StoredCredentials {
  readonly stored: number;
  /** Agents whose credential none of the keys opens. */
  readonly unreadable: readonly string[];
}

const MAX_NAMED = 3;

/** Whether every stored test credential opens; nothing where none is stored. */
export function credentialTicks(found: StoredCredentials | undefined): readonly Tick[] {
  if (found === undefined || found.stored === 0) return [];
  const { stored, unreadable } = found;
  const name = 'test credentials';
  if (unreadable.length === 0) return [{ name, ok: true, detail: `${stored} stored, and each opens` }];
  return [
    {
      name,
      ok: false,
      detail: `${stored} stored, and no key opens that of ${named(unreadable)}: what is tested with it is inconclusive`,
      hint: 'put the missing keys back into the file of REGISTRY_CREDENTIAL_KEYS, or let the owners store their credentials again',
    },
  ];
}

function named(agents: readonly string[]): string {
  const more = agents.length > MAX_NAMED ? ` and ${agents.length - MAX_NAMED} more` : '';
  return `${agents.slice(0, MAX_NAMED).join(', ')}${more}`;
}
