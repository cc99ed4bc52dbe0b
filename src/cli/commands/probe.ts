import { inFull } from '../../calling/failure.ts';
import type { Observation } from '../../domain/observation.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { namedAgentUrl, readCredential } from '../input/arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import {
  counted,
  duration,
  paint,
  printFindings,
  printJson,
  printLine,
  shortList,
  table,
} from '../output/print.ts';
import { failureHint, healthJson, stepJson } from '../output/probe-answer.ts';
import { shownText } from '../output/show-value.ts';
import { withFetcher } from '../setup/fetcher.ts';
import { CREDENTIAL_FLAGS, JSON_FLAG, NETWORK_FLAGS } from '../shared-flags.ts';

/** Exits with 0 when the agent answered and could be read, otherwise with 1. */
export default command({
  name: 'probe',
  description:
    'Connect to one agent over MCP or A2A and show its type, tools, capabilities, problems and warnings.',
  arguments: [['<url>', 'URL of the agent; loopback URLs such as http://127.0.0.1:3000/mcp are allowed']],
  flags: { ...CREDENTIAL_FLAGS, ...NETWORK_FLAGS, ...JSON_FLAG },
  examples: [
    'agent-registry probe https://sales.agents.example/mcp',
    'agent-registry probe http://127.0.0.1:3000/mcp --json',
  ],
  async run(flags, url) {
    const key = namedAgentUrl(url, 'probed');
    const auth = await readCredential(flags, url);
    const { probeAgent } = await import('../../probe/probe.ts');
    return withFetcher(flags, async ({ fetcher, clock }) => {
      const { signal, dispose } = onInterrupt();
      try {
        const observation = await probeAgent({
          url,
          key,
          fetcher,
          clock,
          signal,
          ...(auth !== undefined && { auth }),
          openOrigin: url,
        });
        if (signal.aborted) return EXIT.interrupted;
        print(observation, flags.json === true);
        return observation.health.errorClass === undefined ? EXIT.ok : EXIT.findings;
      } finally {
        dispose();
      }
    });
  },
});

/** The JSON follows schemas/cli/probe.json, with the wire's names where it has any. */
function print(observation: Observation, json: boolean): void {
  if (json) printJson(probeJson(observation));
  else printText(observation);
}

function probeJson({
  agent,
  at,
  health,
  protocol,
  endpoint,
  exposed,
  steps,
  findings,
  durationMs,
}: Observation) {
  return {
    url: agent,
    type: exposed?.inferredType ?? 'unknown',
    protocol: protocol ?? null,
    ...(protocol === 'mcp' && endpoint !== undefined && { mcp_endpoint: endpoint }),
    ...(exposed?.name !== undefined && { name: exposed.name }),
    health: healthJson(health, at),
    ...(exposed && {
      capabilities: exposed.capabilities,
      specialisms: exposed.specialisms,
      supported_protocols: exposed.supportedProtocols,
    }),
    ...(exposed &&
      exposed.claimedPublisherDomains.length > 0 && {
        claimed_publisher_domains: exposed.claimedPublisherDomains,
      }),
    duration_ms: Math.round(durationMs),
    steps: steps.map(stepJson),
    findings,
  };
}

function printText(observation: Observation): void {
  const { agent, health, protocol, endpoint, exposed, steps, findings } = observation;
  const state = health.online ? paint('green', 'online') : paint('red', 'offline');
  printLine(
    `${paint('bold', exposed?.name ?? agent)}  ${state}${health.errorClass === undefined ? '' : `  ${health.errorClass}`}`,
  );
  if (health.error !== undefined)
    printLine(`  ${shownText(inFull({ message: health.error, words: health.words }), 800)}`);
  if (protocol !== undefined) printLine(`  ${protocol} at ${endpoint ?? agent}`);
  if (exposed) {
    printLine(
      `  type ${exposed.inferredType}, ${counted(exposed.capabilities.tools_count, 'tool')}: ${exposed.capabilities.tools.map((tool) => tool.name).join(', ')}`,
    );
    const metrics = exposed.capabilities.measurement_capabilities?.metrics ?? [];
    if (metrics.length > 0)
      printLine(
        `  ${counted(metrics.length, 'metric')}: ${metrics.map((metric) => metric.metric_id).join(', ')}`,
      );
    if (exposed.supportedVersions.length > 0)
      printLine(`  protocol versions: ${shortList(exposed.supportedVersions)}`);
    if (exposed.specialisms.length > 0) printLine(`  specialisms: ${exposed.specialisms.join(', ')}`);
  }
  printFindings(findings);
  printLine(
    table(
      steps.map(({ step, ok, durationMs, url, detail }) => [
        '  ',
        ok ? '✓' : '✗',
        step,
        duration(durationMs),
        detail === undefined ? url : `${url}  ${shownText(detail, 600)}`,
      ]),
    ),
  );
  const hint = health.errorClass === undefined ? undefined : failureHint(health.errorClass, agent, health);
  if (hint !== undefined) printLine(`  hint: ${hint}`);
}
