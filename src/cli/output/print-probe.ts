import type { Observation } from '../../domain/observation.ts';
import { failureHint } from './failure-hints.ts';
import { counted, duration, paint, printJson, printLine, table } from './print.ts';
import { printFindings } from './print-findings.ts';
import { healthJson, stepJson } from './probe-json.ts';

/** Prints an observation; the JSON follows schemas/cli/probe.json, with the wire's names where it has any. */
export function printProbe(observation: Observation, json: boolean): void {
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
  if (health.error !== undefined) printLine(`  ${health.error}`);
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
    if (exposed.specialisms.length > 0) printLine(`  specialisms: ${exposed.specialisms.join(', ')}`);
  }
  printLine(
    table(
      steps.map(({ step, ok, durationMs, url, detail }) => [
        '  ',
        ok ? '✓' : '✗',
        step,
        duration(durationMs),
        detail === undefined ? url : `${url}  ${detail}`,
      ]),
    ),
  );
  const hint = health.errorClass === undefined ? undefined : failureHint(health.errorClass, agent);
  if (hint !== undefined) printLine(`  hint: ${hint}`);
  printFindings(findings);
}
