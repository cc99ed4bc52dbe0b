/**
 * The field's own runner, as it is: goes through what an agent of these words has to pass and writes one line of JSON for
 * each step. Reads one order from its argument.
 */
import {
  getComplianceStoryboardById,
  resolveStoryboardsForCapabilities,
  runStoryboard,
} from '@adcp/sdk/testing';

const {
  url,
  token,
  protocol,
  supported_protocols,
  specialisms,
  operator,
  policy,
  only = [],
} = JSON.parse(process.argv[2]);
console.log = console.info = console.warn = () => {}; // its own words are not ours to read

const known = new Map();
const add = (storyboard) => {
  if (storyboard === undefined || known.has(storyboard.id)) return;
  known.set(storyboard.id, withOperator(storyboard));
  for (const id of storyboard.requires_scenarios ?? []) add(getComplianceStoryboardById(id));
};
/** What `--operator` of ours does: accounts in samples name whom the token acts for. */
function withOperator(storyboard) {
  if (operator === undefined) return storyboard;
  return JSON.parse(JSON.stringify(storyboard).replaceAll('pinnacle-agency.example', operator));
}
/** Its option for what an agent's policy rules out: signatures without a digest, for one that requires it. */
const WITHOUT_DIGEST = [
  '001-basic-post',
  '003-es256-post',
  '004-multiple-signature-labels',
  '008-unknown-keyid',
  '009-key-ops-missing-verify',
  '015-signature-invalid',
  '016-replayed-nonce',
];
for (const one of resolveStoryboardsForCapabilities({ supported_protocols, specialisms }).storyboards)
  add(one);

for (const storyboard of known.values()) {
  if (only.length > 0 && !only.includes(storyboard.id)) continue;
  // what ours is given: a sandbox, a receiver of webhooks, and the token as the key of the test kit
  const result = await runStoryboard(url, storyboard, {
    protocol,
    allow_http: true,
    sandbox: true,
    test_session_id: `peers-${process.pid}`,
    ...(token && {
      auth: { type: 'bearer', token },
      // the task that the kit of the storyboard names
      test_kit: { auth: { api_key: token, probe_task: 'list_creatives' } },
    }),
    webhook_receiver: { mode: 'loopback_mock' },
    contracts: ['webhook_receiver_runner'],
    // how it calls agents that speak MCP; and no flood, which takes it a minute
    request_signing: {
      transport: 'mcp',
      skipRateAbuse: true,
      ...(policy === 'required' && { skipVectors: WITHOUT_DIGEST }),
    },
  });
  for (const { phase_id: phase, steps } of result.phases)
    for (const step of steps)
      process.stdout.write(
        `${JSON.stringify({
          storyboard: storyboard.id,
          phase,
          step: step.step_id,
          task: step.task,
          result: step.skipped ? 'skipped' : step.passed ? 'pass' : 'fail',
          reason: step.skip_reason,
          why: [
            step.error,
            ...step.validations
              .filter((one) => !one.passed)
              .map((one) => `${one.check} ${one.path ?? ''} ${one.error ?? ''}`),
          ].filter(Boolean),
          request: step.request?.payload,
          response: step.response,
        })}\n`,
      );
}
process.exit(0);
