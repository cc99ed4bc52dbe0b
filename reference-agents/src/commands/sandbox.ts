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
    'Serve a small advertising web on this machine: publishers, brands, agents of every type, and every kind of fault.',
  flags: {
    port: integerFlag('--port <n>', 'TCP port on 127.0.0.1; 0 takes a free one', PORTS, 4000),
    seed: integerFlag('--seed <n>', 'the same seed gives the same web', [0, 2 ** 32 - 1], 1),
    vocabulary: choiceFlag(
      '--vocabulary <name>',
      'which names the agents use; by default some use one and some the other',
      ['proto', 'adcp'],
    ),
    deskKeys: textFlag(
      '--desk-keys <file>',
      'public keys (a JWK set) with which you sign as the buyer of desk.example',
    ),
    wellKnown: textFlag(
      '--well-known <dir>',
      'files DIR/HOST/NAME are served as https://HOST/.well-known/NAME, such as the text that proves ownership',
    ),
    slow: listFlag(
      '--slow <url=ms>',
      'an agent that takes this long for each task, at most 60000 ms (repeatable)',
      'none',
    ),
    connectTo: listFlag(
      '--connect-to <host=origin>',
      'where the agents reach a host outside of the sandbox, such as your receiver of webhooks (repeatable)',
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
