import type { Product } from '../../../src/protocol/generated/types.ts';
import { accountHandlers, productHandlers } from '../../src/reference/handlers.ts';
import { startAgent } from './support.ts';

export const PUBLISHERS = [
  'larkhaven-courier.example',
  'gulltown-kitchen-table.example',
  'osterby-fm.example',
  'fennick-screens.example',
  'beekeeping-00020.example',
];

/** A seller with a catalogue of many kinds. */
export function seller() {
  return startAgent({
    type: 'sales',
    handlers: { ...productHandlers, ...accountHandlers },
    spec: { name: 'Harbour Lane Sales', description: 'Local papers of the coast' },
    facts: { publisherDomains: PUBLISHERS },
  });
}

export function ids({ products }: { readonly products: readonly Product[] }): string[] {
  return products.map((one) => one.product_id);
}

/** A request with a brief. */
export function brief(text: string, more: object = {}) {
  return { buying_mode: 'brief', brief: text, ...more };
}

/** A request that refines what was shown. */
export function refine(wishes: readonly object[], more: object = {}) {
  return { buying_mode: 'refine', refine: wishes, ...more };
}

/** A wish about the whole. */
export function ask(text: string) {
  return { scope: 'request', ask: text };
}

/** A wish about one product. */
export function about(product_id: string, action: string) {
  return { scope: 'product', product_id, action };
}
