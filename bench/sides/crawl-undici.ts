import { asSide } from '../support/as-side.ts';
import { bareVisitor, type PeerInput } from '../support/bare-undici.ts';

/** The floor: as many loops as visits at the same time. */
await asSide(async (input: PeerInput) => {
  const visit = bareVisitor(input);
  const domains = input.domains.values();
  const loop = async () => {
    for (const domain of domains) await visit(domain);
  };
  await Promise.all(Array.from({ length: input.concurrency }, loop));
});
