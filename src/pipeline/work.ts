import { registrableDomain } from '../domain/domain-name.ts';

/** Something to do with a site, under a lease: visit a domain, probe an agent, test one. */
export interface Work {
  /** A domain, or an agent's canonical URL. */
  readonly key: string;
  /** Names the work in the logs of every process that has to do with it. */
  readonly trace?: string;
}

/** Whose turn the work waits for. */
export function turnOf({ key }: Pick<Work, 'key'>): string {
  return registrableDomain(key.includes('://') ? new URL(key).hostname : key);
}
