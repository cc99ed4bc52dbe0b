import type { Handlers } from '../handler.ts';
import { getProducts } from './get-products.ts';
import { listAuthorizedProperties } from './list-authorized-properties.ts';

/** The tasks that find inventory, for sales agents. */
export const productHandlers: Handlers = {
  get_products: getProducts,
  list_authorized_properties: listAuthorizedProperties,
};
