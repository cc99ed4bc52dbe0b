import type { RunningAgent } from '../agents/running-agent.ts';
import { BROKEN_AGENTS } from './broken-agents.ts';
import { withFault } from './fault.ts';

/** Gives agents a fault while they run, and takes it away. */
export interface FaultSwitch {
  /** The agent as it is from now on; its transport never knows. */
  watch(agent: RunningAgent): RunningAgent;
  /**
   * The agent at this declared URL has the fault of the broken agent of this name, or none. Throws an Error for a URL
   * or a fault that there is not, and for a fault that does not stand in the tasks.
   */
  set(url: string, name: string | undefined): void;
}

/** All agents are sound. */
export function createFaultSwitch(): FaultSwitch {
  const sound = new Map<string, RunningAgent>();
  const now = new Map<string, RunningAgent>();
  return {
    watch(agent) {
      const { url } = agent.spec;
      sound.set(url, agent);
      return { ...agent, call: (...asked) => (now.get(url) ?? agent).call(...asked) };
    },
    set(url, name) {
      const agent = sound.get(url);
      if (agent === undefined) throw new Error(`the sandbox has no agent with the URL ${url}`);
      if (name === undefined) now.delete(url);
      else now.set(url, withFault(agent, faultNamed(name)));
    },
  };
}

function faultNamed(name: string) {
  const fault = BROKEN_AGENTS.find((broken) => broken.name === name)?.fault;
  if (fault?.tasks === undefined) throw new Error(`unknown task fault: ${name}`);
  return fault;
}
