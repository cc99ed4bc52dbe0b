import fc from 'fast-check';

// A failing property prints its seed; REGISTRY_SEED=… runs the same one again.
const seed =
  process.env.REGISTRY_SEED === undefined ? Date.now() & 0x7fffffff : Number(process.env.REGISTRY_SEED);
fc.configureGlobal({ seed });
