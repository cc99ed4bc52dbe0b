import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegistryError } from '../../../src/errors.ts';
import { freePort } from './free-port.ts';
import { findJava } from './java.ts';
import { startKeeper } from './keeper.ts';
import { openSearchJars, startProgram } from './opensearch-jars.ts';
import {
  freezeNode,
  killNode,
  type NodeSpec,
  type RunningNode,
  startNode,
  stopNode,
  thawNode,
} from './opensearch-node.ts';
import { isRunning, waitUntil } from './processes.ts';

/** On a machine whose load was five times its cores, 120 s were not enough. A node that ends is told at once. */
const START_MS = 300_000;
const ATTEMPTS = 3;
const HEAP_ALONE_MB = 1024;
const HEAP_AMONG_OTHERS_MB = 512;

export interface OpenSearchOptions {
  /** How many nodes, each a process; default 1. From three on the cluster survives the loss of one. */
  readonly nodes?: number;
  /** Heap of each node in MiB; default 1024 for one node, 512 for each of several. */
  readonly heapMb?: number;
  /**
   * Without Java's second compiler, the threads of its collector and the proofs of its classes: a node starts and runs for
   * minutes with half of the CPU time. Default false: what is measured is compiled as an operator's is.
   */
  readonly shortLived?: boolean;
  /** More settings as in opensearch.yml, such as shorter fault detection. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface OpenSearchNode {
  /** Another one after a restart. */
  readonly pid: number;
  readonly url: string;
  /** Where its data is; removed while it is stopped, it comes back with nothing. */
  readonly dataFolder: string;
  /** An orderly end: the node leaves its cluster. Its data stays for `restart`. */
  readonly stop: () => Promise<void>;
  /** SIGKILL; the data stays for `restart`. */
  readonly kill: () => Promise<void>;
  /** Ends it if it runs, starts it on the same data and port, and waits until it is back in the cluster. */
  readonly restart: () => Promise<void>;
  /** SIGSTOP: connections hang. */
  readonly freeze: () => void;
  readonly thaw: () => void;
}

export interface OpenSearchEngine {
  /** The first node's URL. */
  readonly url: string;
  readonly urls: readonly string[];
  readonly nodes: readonly OpenSearchNode[];
  /** Ends all nodes and removes their data. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts an OpenSearch of its own on free ports of 127.0.0.1, plain HTTP with no password, with its data in
 * a temporary folder, and returns when all nodes have joined and the cluster is green.
 */
export async function startOpenSearch(options: OpenSearchOptions = {}): Promise<OpenSearchEngine> {
  const javaHome = findJava();
  const jars = await openSearchJars(javaHome);
  const classPath = [join(jars, '*'), await startProgram(javaHome, jars)];
  for (let attempt = 1; ; attempt++) {
    try {
      return await startCluster(options, javaHome, classPath);
    } catch (error) {
      // A port that was free may have been taken while Java started; other ports are tried then.
      if (attempt === ATTEMPTS || !String(error).includes('BindException')) throw error;
    }
  }
}

async function startCluster(
  options: OpenSearchOptions,
  javaHome: string,
  classPath: readonly string[],
): Promise<OpenSearchEngine> {
  const count = options.nodes ?? 1;
  const heapMb = options.heapMb ?? (count === 1 ? HEAP_ALONE_MB : HEAP_AMONG_OTHERS_MB);
  const cluster = await planCluster(count);
  const folder = mkdtempSync(join(tmpdir(), 'registry-opensearch-'));
  const keeper = startKeeper(folder);
  const specOf = (plan: NodePlan): NodeSpec => ({
    ...{
      folder: join(folder, plan.name),
      javaHome,
      classPath,
      heapMb,
      keeper,
      shortLived: options.shortLived ?? false,
    },
    settings: { ...nodeSettings(plan, cluster), ...options.settings },
  });
  try {
    const nodes = await Promise.all(
      cluster.nodes.map((plan) => startClusterNode(specOf(plan), urlOf(plan), cluster)),
    );
    const urls = cluster.nodes.map(urlOf);
    return { url: urls[0]!, urls, nodes, stop: () => keeper.release() };
  } catch (error) {
    await keeper.release();
    throw error;
  }
}

/** Starts one node and waits until it is part of a green cluster of all nodes. */
async function startClusterNode(spec: NodeSpec, url: string, cluster: ClusterPlan): Promise<OpenSearchNode> {
  let node = await startNode(spec);
  await healthy(node, url, cluster.name, cluster.nodes.length);
  return {
    url,
    dataFolder: join(spec.folder, 'node_1', 'data'),
    get pid() {
      return node.process.pid!;
    },
    stop: () => stopNode(node),
    kill: () => killNode(node),
    restart: async () => {
      await stopNode(node);
      node = await startNode(spec);
      await healthy(node, url, cluster.name, 1);
    },
    freeze: () => freezeNode(node),
    thaw: () => thawNode(node),
  };
}

interface NodePlan {
  readonly name: string;
  readonly httpPort: number;
  readonly transportPort: number;
}

interface ClusterPlan {
  readonly name: string;
  readonly nodes: readonly NodePlan[];
}

async function planCluster(count: number): Promise<ClusterPlan> {
  const ports = new Set<number>();
  while (ports.size < 2 * count) ports.add(await freePort());
  const [httpPorts, transportPorts] = [[...ports].slice(count), [...ports].slice(0, count)];
  const nodes = transportPorts.map((transportPort, index) => ({
    name: `node-${index + 1}`,
    httpPort: httpPorts[index]!,
    transportPort,
  }));
  return { name: `engines-${randomBytes(6).toString('hex')}`, nodes };
}

function urlOf(node: NodePlan): string {
  return `http://127.0.0.1:${node.httpPort}`;
}

function nodeSettings(node: NodePlan, cluster: ClusterPlan): Readonly<Record<string, unknown>> {
  return {
    'cluster.name': cluster.name,
    'node.name': node.name,
    'network.host': '127.0.0.1',
    'http.port': node.httpPort,
    'transport.port': node.transportPort,
    'discovery.type': 'zen', // the ordinary one
    'discovery.seed_hosts': cluster.nodes.map(({ transportPort }) => `127.0.0.1:${transportPort}`),
    'cluster.initial_cluster_manager_nodes': cluster.nodes.map(({ name }) => name),
    // A nearly full disk of a developer's machine is no reason to refuse an index.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
}

async function healthy(node: RunningNode, url: string, clusterName: string, count: number): Promise<void> {
  const settled = async () => !isRunning(node.process) || (await isHealthy(url, clusterName, count));
  if ((await waitUntil(settled, START_MS)) && isRunning(node.process)) return;
  await killNode(node);
  throw new RegistryError('index_unavailable', `OpenSearch did not start: ${node.lastWords()}`, {
    hint: 'what the node said is in the message; it needs its heap free in memory (1 GB for one node)',
  });
}

/** The name is compared because somebody else's OpenSearch could answer at the port. */
async function isHealthy(url: string, clusterName: string, count: number): Promise<boolean> {
  const health = `${url}/_cluster/health?wait_for_status=green&wait_for_nodes=>=${count}&timeout=1s`;
  try {
    const answer = (await (await fetch(health)).json()) as { cluster_name?: string; timed_out?: boolean };
    return answer.cluster_name === clusterName && answer.timed_out === false;
  } catch {
    return false; // not listening yet
  }
}
