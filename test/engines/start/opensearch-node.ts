import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Keeper } from './keeper.ts';
import {
  ended,
  endProcess,
  freezeFamily,
  isRunning,
  killFamily,
  startProcess,
  thawFamily,
} from './processes.ts';

const STOP_MS = 15_000;
/** Enough for a Java stack with its cause. */
const MANY_LINES = 30;

/** Only what goes wrong, to standard output, which is the log file. */
const LOGGING = [
  'status = error',
  'appender.console.type = Console',
  'appender.console.name = console',
  'appender.console.layout.type = PatternLayout',
  'appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1}] %m%n',
  'rootLogger.level = warn',
  'rootLogger.appenderRef.console.ref = console',
];

/** The last two: OpenSearch's classes were verified by others a million times, which is a fifth of a start. */
const SHORT_LIVED = [
  ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
  ...['-XX:+UnlockDiagnosticVMOptions', '-XX:-BytecodeVerificationRemote'],
];

export interface NodeSpec {
  readonly folder: string;
  readonly javaHome: string;
  /** OpenSearch's jars, and the folder with the class StartNode. */
  readonly classPath: readonly string[];
  readonly heapMb: number;
  readonly shortLived: boolean;
  /** opensearch.yml, the names and ports included. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly keeper: Keeper;
}

/** One OpenSearch node in a process of its own. */
export interface RunningNode {
  readonly process: ChildProcess;
  /** What it said last, for an error message. */
  readonly lastWords: () => string;
}

/** Starts a node's process on the folder's data; it is not ready yet when this returns. */
export async function startNode(spec: NodeSpec): Promise<RunningNode> {
  const logFile = join(spec.folder, `log-${Date.now()}`);
  writeConfiguration(spec);
  const command = join(spec.javaHome, 'bin/java');
  const child = await startProcess({ command, args: javaArguments(spec), cwd: spec.folder, logFile });
  const pid = child.pid!;
  spec.keeper.watch(pid, 'SIGKILL'); // its data goes too, so there is nothing to write in order
  child.once('exit', () => spec.keeper.forget(pid));
  const log = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
  return {
    process: child,
    lastWords: () => log().trim().split('\n').slice(-MANY_LINES).join('\n'),
  };
}

/** An orderly end: the node leaves its cluster. */
export function stopNode(node: RunningNode): Promise<void> {
  return endProcess(node.process, 'SIGTERM', STOP_MS);
}

/** SIGKILL; the others have to find out. */
export async function killNode(node: RunningNode): Promise<void> {
  if (isRunning(node.process)) killFamily(node.process.pid!);
  await ended(node.process);
}

/** The node hangs: connections stay open and nobody answers. */
export function freezeNode(node: RunningNode): void {
  if (isRunning(node.process)) freezeFamily(node.process.pid!);
}

export function thawNode(node: RunningNode): void {
  if (isRunning(node.process)) thawFamily(node.process.pid!);
}

function writeConfiguration({ folder, settings }: NodeSpec): void {
  const config = join(folder, 'config');
  mkdirSync(config, { recursive: true });
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  writeFileSync(join(config, 'opensearch.yml'), lines.join(''));
  writeFileSync(join(config, 'log4j2.properties'), LOGGING.join('\n'));
}

function javaArguments({ folder, classPath, heapMb, shortLived }: NodeSpec): string[] {
  return [
    ...[`-Xms${heapMb}m`, `-Xmx${heapMb}m`, '-XX:-UsePerfData', `-Djava.io.tmpdir=${join(folder, 'tmp')}`],
    ...(shortLived ? SHORT_LIVED : []),
    ...['--add-modules', 'jdk.incubator.vector', '--enable-native-access=ALL-UNNAMED'],
    ...['-cp', classPath.join(delimiter), 'StartNode', folder, join(folder, 'config', 'opensearch.yml')],
  ];
}
