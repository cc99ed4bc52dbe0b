import { createControlProbe } from '../adapters/fetch/control-probe.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';
import type { ControlProbe, Fetcher } from '../ports/fetcher.ts';

export interface ControlParts {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The one of the process, where it has one already. */
  readonly control?: ControlProbe;
}

/** The control probe that was given, else one of the configured sites; nothing when there are none. */
export function composeControl(parts: ControlParts): { readonly control?: ControlProbe } {
  const { config, fetcher, clock, signal, control } = parts;
  if (control !== undefined) return { control };
  const { controlUrls: urls } = config;
  return urls.length === 0 ? {} : { control: createControlProbe({ fetcher, clock, urls, signal }) };
}
