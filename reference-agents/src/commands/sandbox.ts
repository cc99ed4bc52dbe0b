import {
  AGENT_STATE_FLAG,
  choiceFlag,
  command,
  integerFlag,
  JSON_FLAG,
  listFlag,
  PORTS,
  textFlag,
} from '@agent-registry/surface/command-line';

export default command({
  name: 'sandbox',
  description:
    'Serve test domains on this machine: publishers, brands, agents of every type, and agents and files with every kind of fault.',
  flags: {
    port: integerFlag('--port <n>', 'TCP port on 127.0.0.1; 0 picks a free port', PORTS, 4000),
    seed: integerFlag('--seed <n>', 'seed of the generated domains and agents', [0, 2 ** 32 - 1], 1),
    vocabulary: choiceFlag('--vocabulary <name>', 'vocabulary of the agents (default: mixed)', [
      'proto',
      'adcp',
    ]),
    deskKeys: textFlag(
      '--desk-keys <file>',
      'JWK set with the public keys that you sign with as the buyer desk.example',
    ),
    wellKnown: textFlag(
      '--well-known <dir>',
      'serve DIR/HOST/NAME as https://HOST/.well-known/NAME, for example to prove ownership',
    ),
    slow: listFlag('--slow <url=ms>', 'delay each answer of an agent by up to 60000 ms (repeatable)', 'none'),
    connectTo: listFlag(
      '--connect-to <host=origin>',
      'origin at which the agents reach a host outside of the sandbox, such as your webhook receiver (repeatable)',
      'none',
    ),
    ...AGENT_STATE_FLAG,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry sandbox --port 4000',
    'agent-registry sandbox --state sqlite::memory:',
    'agent-registry sandbox --well-known proofs',
    "agent-registry sandbox --desk-keys jwks.json --connect-to 'hooks.desk.example=http://127.0.0.1:9000'",
    "agent-registry crawl noticeboard.example --connect-to '*.example=http://127.0.0.1:4000'",
  ],
  run: async (flags) => (await import('./run-sandbox.ts')).sandboxCommand(flags),
});
