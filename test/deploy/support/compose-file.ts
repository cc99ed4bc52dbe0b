import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** What these tests look at of a service, with aliases and merges resolved. */
export interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly args: Readonly<Record<string, string>> };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks?: readonly string[];
  readonly restart: string;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly ports?: readonly string[];
  readonly deploy: {
    readonly replicas?: number;
    readonly resources: { readonly limits: { readonly memory: string } };
  };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/** Reads docker-compose.yml. */
export function readComposeFile(): ComposeFile {
  return parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
}

/** The services that run our own image, by name. */
export function ourServices({ services }: ComposeFile): [string, Service][] {
  return Object.entries(services).filter(([, { image }]) => image.startsWith('agent-registry:'));
}
