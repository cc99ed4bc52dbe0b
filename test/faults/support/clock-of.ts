import { type Environment, runCommand } from './registry.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What `agent-registry doctor` says of the clock. */
export async function clockOf(env: Environment): Promise<Check | undefined> {
  const { stdout } = await runCommand(['doctor', '--json'], env);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
  return checks.find(({ name }) => name === 'clock');
}
