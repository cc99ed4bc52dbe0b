/** The domain under which every broken agent has a host of its own. */
export const BROKEN_DOMAIN = 'broken.example';
