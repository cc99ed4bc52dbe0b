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
    'Serve a small advertising web on this machine: publishers, brands, agents of every type, and many kinds of faults.',
  flags: {
    port: integerFlag('--port <n>', 'TCP port on 127.0.0.1; 0 selects a free one', PORTS, 4000),
    seed: integerFlag('--seed <n>', 'seed; the same seed creates the same web', [0, 2 ** 32 - 1], 1),
    vocabulary: choiceFlag(
      '--vocabulary <name>',
      'vocabulary of all agents (default: some agents use one, some the other)',
      ['proto', 'adcp'],
    ),
    deskKeys: textFlag(
      '--desk-keys <file>',
      'JWK set with your public keys, to sign as the buyer desk.example',
    ),
    wellKnown: textFlag(
      '--well-known <dir>',
      'serve files DIR/HOST/NAME as https://HOST/.well-known/NAME, for example ownership proofs',
    ),
    slow: listFlag(
      '--slow <url=ms>',
      'delay every task of this agent, at most 60000 ms (repeatable)',
      'none',
    ),
    connectTo: listFlag(
      '--connect-to <host=origin>',
      'map a host outside the sandbox, such as your webhook receiver, to an origin (repeatable)',
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
