import type { DomainSettings } from '../../compose.ts';
import { parseChecked } from './checked-file.ts';

interface Entry {
  readonly gap_ms?: number;
  readonly requests_per_second?: number;
  readonly connections?: number;
  readonly probes_per_hour?: number;
  readonly max_agents?: number;
  readonly max_domains?: number;
}

/** Reads the file that REGISTRY_DOMAINS names. Throws `input_invalid` with every place that is wrong. */
export function parseDomainSettings(text: string, file: string): DomainSettings {
  const entries = parseChecked<Readonly<Record<string, Entry>>>(text, {
    file,
    what: 'domain settings file',
    schema: 'config/domains.json',
  });
  return new Map(
    Object.entries(entries).map(([domain, entry]) => [
      domain,
      {
        rate: given({
          gapMs: entry.gap_ms,
          requestsPerSecond: entry.requests_per_second,
          connections: entry.connections,
        }),
        bounds: given({ maxAgents: entry.max_agents, maxDomains: entry.max_domains }),
        ...given({ probesPerHour: entry.probes_per_hour }),
      },
    ]),
  );
}

/** Without the members that were not given. */
function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
