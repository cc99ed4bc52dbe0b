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
  readonly tmpfs?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly restart: string;
  readonly stop_grace_period?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly deploy: {
    readonly replicas?: number;
    readonly resources: { readonly limits: { readonly memory: string; readonly pids: number } };
  };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<
    Record<
      string,
      { readonly internal?: boolean; readonly driver_opts?: Readonly<Record<string, string>> } | null
    >
  >;
}

export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

/** Reads docker-compose.yml. */
export function readComposeFile(): ComposeFile {
  return parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
}

/** The services that run the program until somebody stops them, by name. */
export function ourServices({ services }: ComposeFile): [string, Service][] {
  return Object.entries(services).filter(
    ([, { image, restart }]) => image.startsWith('agent-registry:') && restart !== 'no',
  );
}

/** What a service mounts: files of the checkout and named volumes. */
export function mountsOf({ volumes = [] }: Service): readonly Mount[] {
  return volumes.map((volume) => {
    const [source = '', target = '', mode] = volume.split(':');
    return { source, target, isReadOnly: mode === 'ro' };
  });
}
